"""View: what one seat may know of a game, which is all that an agent is given."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from belote_env.actions import ACTIONS
from belote_env.cards import CARDS, DENOMINATIONS, cards_of
from belote_env.checks import check_seat
from belote_env.engine.hiding import hide
from belote_env.engine.layout import (
    BEST,
    DENOMINATION,
    HANDS,
    LEADERS,
    NONE,
    NUM_ACTIONS,
    PHASE,
    PHASE_NAMES,
    PLAYED,
    SCORES,
    SEAT,
    SEQUENCE,
    STATE_SIZE,
    TURNED,
)
from belote_env.observation import OBSERVATION_SIZE, write_observation
from belote_env.rules import Rules
from belote_env.sheet import contract_of


class View:
    """What ``seat`` may know. Seats here are the table's own, 0..3; those of ``observation`` are relative.

    Attributes:
        rules: the rule set of the game.
        seat: whose view it is.
        state: the state without what the seat does not know, ``int64``, shape ``(STATE_SIZE,)``.
        legal: ids of the actions open to the seat, ascending; empty when it is not to act.
    """

    def __init__(self, rules: Rules, state: np.ndarray, seat: int, legal: list[int]) -> None:
        self.rules = rules
        self.seat = check_seat(seat)
        self.state = np.empty(STATE_SIZE, dtype=np.int64)
        hide(state, rules.vector, self.seat, self.state)
        self.legal = legal if state[SEAT] == seat else []

    @cached_property
    def observation(self) -> np.ndarray:
        """The observation vector: ``uint8``, shape ``(OBSERVATION_SIZE,)``."""
        observation = np.empty(OBSERVATION_SIZE, dtype=np.uint8)
        write_observation(self.state, self.rules.vector, self.rules.blank_observation, self.seat, observation)
        return observation

    @property
    def action_mask(self) -> np.ndarray:
        """1 at the legal actions: ``int8``, shape ``(NUM_ACTIONS,)``."""
        mask = np.zeros(NUM_ACTIONS, dtype=np.int8)
        mask[self.legal] = 1
        return mask

    @property
    def legal_actions(self) -> list[str]:
        """The legal actions as text."""
        return [ACTIONS[action] for action in self.legal]

    @property
    def phase(self) -> str:
        """``auction``, ``announce``, ``play``, ``belote`` or ``over``."""
        return PHASE_NAMES[self.state[PHASE]]

    @property
    def to_act(self) -> int:
        """The seat to act."""
        return int(self.state[SEAT])

    @property
    def hand(self) -> list[str]:
        """The cards in the seat's hand."""
        return [CARDS[card] for card in cards_of(int(self.state[HANDS + self.seat]))]

    @property
    def turned(self) -> str | None:
        """The card turned up, if the game has one."""
        return None if self.state[TURNED] == NONE else CARDS[self.state[TURNED]]

    @property
    def denomination(self) -> str | None:
        """The denomination of the contract or the last bid."""
        return None if self.state[DENOMINATION] == NONE else DENOMINATIONS[self.state[DENOMINATION]]

    @property
    def contract(self) -> dict[str, Any] | None:
        """The contract, or the last bid: ``seat``, ``value``, ``denomination``, ``doubled``."""
        return contract_of(self.rules, self.state)

    @property
    def scores(self) -> tuple[int, int]:
        """The match scores of team 0 and team 1."""
        return int(self.state[SCORES]), int(self.state[SCORES + 1])

    @property
    def tricks(self) -> list[list[tuple[int, str]]]:
        """Every trick so far as ``(seat, card)`` in the order played."""
        played = int(self.state[PLAYED])
        cards = [(int(self.state[LEADERS + i // 4] + i) & 3, CARDS[self.state[SEQUENCE + i]]) for i in range(played)]
        return [cards[i : i + 4] for i in range(0, played, 4)]

    @property
    def trick(self) -> list[tuple[int, str]]:
        """The trick on the table as ``(seat, card)``; empty between tricks."""
        return self.tricks[-1] if self.state[BEST] != NONE else []
