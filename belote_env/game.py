"""Game: one match, deal by deal, as a friendly object over the kernel."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from belote_env.actions import ACTIONS, format_action, parse_action
from belote_env.cards import cards_of, format_cards
from belote_env.engine import kernel
from belote_env.engine.layout import (
    DEALER,
    HANDS,
    NUM_ACTIONS,
    OVER,
    PHASE,
    PHASE_NAMES,
    POT,
    RNG,
    SCORES,
    SEAT,
    STATE_SIZE,
)
from belote_env.errors import IllegalActionError, RecordError
from belote_env.files import write_atomically
from belote_env.record import is_list_of_texts, parse_json, read_start, write_record
from belote_env.rules import Rules
from belote_env.seeding import generator_seed
from belote_env.sheet import contract_of, score_sheet, winner_of
from belote_env.view import View

MATCH_FORMAT = "belote-match/1"
_MATCH_KEYS = ("format", "random", "first_deal", "deals")


class Game:
    """One match under one rule set. It begins with its first deal dealt.

    Play with :meth:`legal_actions` and :meth:`step`; when :attr:`phase` is ``"over"`` the deal is finished:
    read :attr:`result`, then call :meth:`next_deal` until :attr:`winner` is not None.

    Args:
        rules: a rule set or the name of a preset.
        seed: an integer, a ``numpy.random.Generator`` to draw from, or None for an unpredictable match.
    """

    def __init__(self, rules: Rules | str = "belote", seed: int | np.random.Generator | None = None) -> None:
        self.rules = Rules.of(rules)
        self._state = np.zeros(STATE_SIZE, dtype=np.int64)
        self._state[RNG] = generator_seed(seed)
        self._ids = np.empty(NUM_ACTIONS, dtype=np.int64)
        self.new_match()

    def new_match(self) -> None:
        """Begin a new match; its dealer and cards go on from this game's random numbers."""
        kernel.start_match(self._state, self.rules.vector)
        self._begin_history()

    def _begin_history(self) -> None:
        # The state at the start of each deal, and what was done in it: enough to undo and to write records.
        self._starts = [self._state.copy()]
        self._actions: list[list[int]] = [[]]

    @property
    def state(self) -> np.ndarray:
        """A copy of the whole state, hidden cards included: ``int64``, shape ``(STATE_SIZE,)``."""
        return self._state.copy()

    @property
    def seat(self) -> int:
        """The seat to act, 0..3."""
        return int(self._state[SEAT])

    @property
    def dealer(self) -> int:
        """The seat that dealt."""
        return int(self._state[DEALER])

    @property
    def phase(self) -> str:
        """``auction``, ``announce``, ``play``, ``belote``, or ``over`` when the deal is finished."""
        return PHASE_NAMES[self._state[PHASE]]

    @property
    def deal_over(self) -> bool:
        """Whether the deal is finished."""
        return bool(self._state[PHASE] == OVER)

    @property
    def winner(self) -> int | str | None:
        """The team that has won the match, ``"draw"``, or None while it goes on."""
        return winner_of(self._state)

    @property
    def scores(self) -> tuple[int, int]:
        """The match scores of team 0 and team 1."""
        return int(self._state[SCORES]), int(self._state[SCORES + 1])

    @property
    def pot(self) -> int:
        """Points that wait after a litige."""
        return int(self._state[POT])

    @property
    def contract(self) -> dict[str, Any] | None:
        """The contract as it stands: ``seat``, ``value``, ``denomination``, ``doubled``; None without one."""
        return contract_of(self.rules, self._state)

    @property
    def hands(self) -> list[str]:
        """The cards still in the four hands, as text."""
        return [format_cards(cards_of(int(self._state[HANDS + seat]))) for seat in range(4)]

    @property
    def actions(self) -> list[str]:
        """The actions of this deal so far, as text."""
        return [format_action(action) for action in self._actions[-1]]

    @property
    def result(self) -> dict[str, Any] | None:
        """The score sheet of the deal once it is over (rules §10), else None."""
        return score_sheet(self.rules, self._state) if self.deal_over else None

    def legal_ids(self) -> list[int]:
        """Return the ids of the legal actions, ascending; empty when the deal is over."""
        count = kernel.legal_actions(self._state, self.rules.vector, self._ids)
        return self._ids[:count].tolist()

    def legal_actions(self) -> list[str]:
        """Return the legal actions as text, in the order of their ids."""
        return [format_action(action) for action in self.legal_ids()]

    def view(self, seat: int | None = None) -> View:
        """Return what ``seat`` (by default the one to act) may know."""
        return View(self.rules, self._state, self.seat if seat is None else seat, self.legal_ids())

    def observation(self, seat: int) -> np.ndarray:
        """Return the observation vector of ``seat``: ``uint8``, shape ``(OBSERVATION_SIZE,)``, a new array."""
        return View(self.rules, self._state, seat, []).observation

    def action_mask(self, seat: int) -> np.ndarray:
        """Return 1 at the legal actions, all 0 unless ``seat`` is to act: ``int8``, shape ``(NUM_ACTIONS,)``."""
        mask = np.zeros(NUM_ACTIONS, dtype=np.int8)
        if seat == self._state[SEAT]:
            kernel.legal_mask(self._state, self.rules.vector, mask)
        return mask

    def check(self, action: int | str | None) -> int:
        """Return the id of an action if it is legal now.

        Raises:
            IllegalActionError: if it is not, saying what is; the game is unchanged.
        """
        try:
            number = parse_action(action)
        except ValueError as error:
            raise IllegalActionError(str(error)) from None
        legal = self.legal_ids()
        if number not in legal:
            if self.deal_over:
                raise IllegalActionError(f"{ACTIONS[number]!r} is illegal: the deal is over")
            raise IllegalActionError(
                f"{ACTIONS[number]!r} is illegal for seat {self.seat} in the {self.phase}: "
                f"legal are {', '.join(ACTIONS[i] for i in legal)}"
            )
        return number

    def step(self, action: int | str | None) -> None:
        """Take an action, by id or text, for the seat to act.

        Raises:
            IllegalActionError: if it is not legal; the game is unchanged.
        """
        number = self.check(action)
        kernel.step(self._state, self.rules.vector, number)
        self._actions[-1].append(number)

    def next_deal(self) -> None:
        """Deal the next deal of the match.

        Raises:
            ValueError: if the deal is not over, or the match is.
        """
        if not self.deal_over:
            raise ValueError("the deal is not over yet: step() until phase is 'over'")
        if self.winner is not None:
            raise ValueError("the match is over: begin a new Game")
        kernel.next_deal(self._state, self.rules.vector)
        self._starts.append(self._state.copy())
        self._actions.append([])

    def undo(self) -> None:
        """Take the last action back, across deals too.

        Raises:
            ValueError: if there is none.
        """
        if not any(self._actions):
            raise ValueError("nothing to undo: no action has been taken")
        while not self._actions[-1]:
            self._actions.pop()
            self._starts.pop()
        self._actions[-1].pop()
        self._state[:] = self._starts[-1]
        for action in self._actions[-1]:
            kernel.step(self._state, self.rules.vector, action)

    def clone(self) -> Game:
        """Return an independent copy with the same future."""
        copy = Game._standing_at(self.rules, self._state.copy())
        copy._starts = [start.copy() for start in self._starts]
        copy._actions = [actions.copy() for actions in self._actions]
        return copy

    def to_record(self) -> dict[str, Any]:
        """Return the current deal as a deal record (``belote-deal/1``, rules §10)."""
        return write_record(self.rules, self._starts[-1], self._actions[-1])

    @classmethod
    def from_record(cls, record: Any, seed: int | np.random.Generator | None = None) -> Game:
        """Return the match that stands where a deal record ends.

        Args:
            record: a ``belote-deal/1`` object.
            seed: decides the deals after this one.

        Raises:
            RecordError: if the record is malformed or breaks a rule.
        """
        rules, start = read_start(record)
        start[RNG] = generator_seed(seed)
        game = cls._standing_at(rules, start)
        game._replay(record.get("actions", ()))
        return game

    @classmethod
    def _standing_at(cls, rules: Rules, start: np.ndarray) -> Game:
        game = object.__new__(cls)
        game.rules = rules
        game._state = start
        game._ids = np.empty(NUM_ACTIONS, dtype=np.int64)
        game._begin_history()
        return game

    def _replay(self, actions: Iterable[str]) -> None:
        for number, action in enumerate(actions, start=1):
            try:
                self.step(action)
            except IllegalActionError as error:
                raise RecordError(f"action {number}: {error}") from None

    def to_dict(self) -> dict[str, Any]:
        """Return the whole match, its random future included, as JSON-ready values.

        Every deal follows from the cards of the first, the actions and the random numbers.
        """
        return {
            "format": MATCH_FORMAT,
            "random": int(self._starts[0][RNG]),
            "first_deal": write_record(self.rules, self._starts[0], []),
            "deals": [[format_action(action) for action in actions] for actions in self._actions],
        }

    @classmethod
    def from_dict(cls, data: Any) -> Game:
        """Return the match written by :meth:`to_dict`; it continues with the same future.

        Raises:
            RecordError: if ``data`` is not such a match.
        """
        if not isinstance(data, dict) or data.get("format") != MATCH_FORMAT or set(data) != set(_MATCH_KEYS):
            raise RecordError(f"not a saved match: an object {MATCH_FORMAT!r} has the keys {', '.join(_MATCH_KEYS)}")
        random, deals = data["random"], data["deals"]
        if type(random) is not int or not -(1 << 63) <= random < 1 << 63:
            raise RecordError("random must be a whole number of 64 bits")
        if not isinstance(deals, list) or not deals or not all(map(is_list_of_texts, deals)):
            raise RecordError("deals must hold, for each deal, its list of actions as texts")
        rules, start = read_start(data["first_deal"])
        if data["first_deal"].get("actions"):
            raise RecordError("first_deal has actions: they belong in deals")
        start[RNG] = random
        game = cls._standing_at(rules, start)
        for number, actions in enumerate(deals, start=1):
            try:
                if number > 1:
                    game.next_deal()
                game._replay(actions)
            except ValueError as error:
                raise RecordError(f"deal {number}: {error}") from None
        return game

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the match in progress to a file; :meth:`load` continues it with the same future."""
        write_atomically(path, json.dumps(self.to_dict()) + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Game:
        """Return the match saved in a file.

        Raises:
            RecordError: if the file is not a saved match, or truncated.
        """
        with open(path, "rb") as file:
            data = parse_json(file.read(), str(path))
        try:
            return cls.from_dict(data)
        except RecordError as error:
            raise RecordError(f"{path}: {error}") from None

    def __repr__(self) -> str:
        return f"<Game {self.rules} scores {self.scores} deal {len(self._starts)} phase {self.phase}>"
