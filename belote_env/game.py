"""Game: one match, deal by deal, as a friendly object over the kernel."""

from __future__ import annotations

import base64
import json
import os
from typing import Any

import numpy as np

from belote_env import record as records
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
from belote_env.rules import Rules
from belote_env.seeding import generator_seed
from belote_env.sheet import contract_of, score_sheet, winner_of

MATCH_FORMAT = "belote-match/1"


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

    def check(self, action: int | str) -> int:
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

    def step(self, action: int | str) -> None:
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
        copy = object.__new__(Game)
        copy.rules = self.rules
        copy._state = self._state.copy()
        copy._ids = np.empty_like(self._ids)
        copy._starts = [start.copy() for start in self._starts]
        copy._actions = [actions.copy() for actions in self._actions]
        return copy

    def to_record(self) -> dict[str, Any]:
        """Return the current deal as a deal record (``belote-deal/1``, rules §10)."""
        return records.write_record(self.rules, self._starts[-1], self._actions[-1])

    @classmethod
    def from_record(cls, record: Any, seed: int | np.random.Generator | None = None) -> Game:
        """Return the match that stands where a deal record ends.

        Args:
            record: a ``belote-deal/1`` object.
            seed: decides the deals after this one.

        Raises:
            RecordError: if the record is malformed or breaks a rule.
        """
        rules, start = records.read_start(record)
        start[RNG] = generator_seed(seed)
        game = object.__new__(cls)
        game.rules = rules
        game._state = start
        game._ids = np.empty(NUM_ACTIONS, dtype=np.int64)
        game._begin_history()
        for number, action in enumerate(record.get("actions", ()), start=1):
            try:
                game.step(action)
            except IllegalActionError as error:
                raise RecordError(f"action {number}: {error}") from None
        return game

    def to_dict(self) -> dict[str, Any]:
        """Return the whole match, its random future included, as JSON-ready values."""
        return {
            "format": MATCH_FORMAT,
            "rules": self.rules.to_dict(),
            "deals": [
                {
                    "start": base64.b64encode(start.astype("<i8").tobytes()).decode(),
                    "actions": list(map(ACTIONS.__getitem__, actions)),
                }
                for start, actions in zip(self._starts, self._actions, strict=True)
            ],
        }

    @classmethod
    def from_dict(cls, data: Any) -> Game:
        """Return the match written by :meth:`to_dict`; it continues with the same future.

        Raises:
            RecordError: if ``data`` is not such a match.
        """
        try:
            if data["format"] != MATCH_FORMAT:
                raise RecordError(f"format is {data['format']!r}, expected {MATCH_FORMAT!r}")
            game = object.__new__(cls)
            game.rules = Rules.from_dict(data["rules"])
            starts = [np.frombuffer(base64.b64decode(deal["start"]), dtype="<i8") for deal in data["deals"]]
            if not starts or any(start.shape != (STATE_SIZE,) for start in starts):
                raise RecordError(f"a deal's start must hold {STATE_SIZE} integers")
            game._starts = [start.astype(np.int64) for start in starts]
            game._ids = np.empty(NUM_ACTIONS, dtype=np.int64)
            game._actions = []
            for start, deal in zip(game._starts, data["deals"], strict=True):
                game._state = start.copy()
                game._actions.append([])
                for action in deal["actions"]:
                    game.step(action)
        except RecordError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(f"not a saved match: {error}") from None
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
        with open(path, encoding="utf-8") as file:
            try:
                data = json.load(file)
            except json.JSONDecodeError as error:
                raise RecordError(f"{path}: not a saved match, or a truncated one: {error}") from None
        try:
            return cls.from_dict(data)
        except RecordError as error:
            raise RecordError(f"{path}: {error}") from None

    def __repr__(self) -> str:
        return f"<Game {self.rules} scores {self.scores} deal {len(self._starts)} phase {self.phase}>"
