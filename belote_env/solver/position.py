"""Position: all hands open, from which both sides play perfectly; and what points won mean for the deal (rules §7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from belote_env.cards import ALL_TRUMPS, CARDS, DENOMINATIONS, FULL_PACK, NO_TRUMPS, mask_of, parse_card, parse_cards
from belote_env.engine.layout import NONE, PHASE, PHASE_NAMES, PLAY
from belote_env.engine.layout import POINTS as STATE_POINTS
from belote_env.engine.layout import TRICKS as STATE_TRICKS
from belote_env.engine.options import R_AT_VALUES, R_NT_VALUES
from belote_env.engine.scoring import TOTAL
from belote_env.engine.tables import AT_ROW, BEATS, NT_ROW, RANK_K, RANK_Q
from belote_env.rules import Rules
from belote_env.solver import search
from belote_env.solver.state import read_state
from belote_env.solver.tables import FULL_POINTS, LAST_TRICK, POINTS, TRICK_ROW

_TRICKS = 8


@dataclass(frozen=True)
class Position:
    """A moment of the play with all hands open. Texts are turned into ids and masks, and never seen again.

    Args:
        hands: for seats 0..3, the cards in hand, those on the table left out: a mask or a text as ``"7S JH"``.
        leader: seat that led, or is to lead, the trick.
        denomination: index in ``S H D C NT AT``, or its text.
        rules: a rule set or the name of a preset.
        trick: the cards on the table in the order played: ids, or one text.
        points: raw card points of the tricks each team has won, before any scaling; not read where tricks count.
        tricks: tricks each team has won. A side can be capot only if these and the tricks to come are eight.
        belote: what each team has in the end for kings and queens of trumps. None: what these rules count for each
            pair that one seat still shows in hand or on the table.

    Raises:
        ValueError: if this is no position that play can reach, with the reason.
    """

    hands: Any
    leader: int
    denomination: Any
    rules: Any
    trick: Any = ()
    points: tuple[int, int] = (0, 0)
    tricks: tuple[int, int] = (0, 0)
    belote: Any = None

    @classmethod
    def from_state(cls, state: np.ndarray, rules: Any) -> Position:
        """Return the position of a kernel state: a seat is to play a card, and all hands are read.

        Args:
            state: ``int64``, shape ``(STATE_SIZE,)``, as of :attr:`belote_env.game.Game.state`.
            rules: a rule set or the name of a preset.

        Raises:
            ValueError: if no card is to be played now.
        """
        rules = Rules.of(rules)
        if state[PHASE] != PLAY:
            raise ValueError(f"no card is to be played in the phase {PHASE_NAMES[state[PHASE]]!r}")
        problem = np.empty(search.PROBLEM_SIZE, dtype=np.int64)
        read_state(state, rules.vector, problem)
        fields = problem.tolist()
        return cls(
            fields[search.HANDS : search.HANDS + 4],
            fields[search.LEADER],
            fields[search.DENOMINATION],
            rules,
            [card for card in fields[search.TABLE : search.TABLE + 3] if card != NONE],
            tuple(state[STATE_POINTS : STATE_POINTS + 2]),
            tuple(state[STATE_TRICKS : STATE_TRICKS + 2]),
            tuple(fields[search.BELOTE : search.BELOTE + 2]),
        )

    def __post_init__(self) -> None:
        for name, value in (
            ("hands", tuple(_mask(hand) for hand in self.hands)),
            ("denomination", _denomination(self.denomination)),
            ("rules", Rules.of(self.rules)),
            ("trick", _trick(self.trick)),
            ("points", tuple(map(int, self.points))),
            ("tricks", tuple(map(int, self.tricks))),
        ):
            object.__setattr__(self, name, value)
        self._check()
        if self.belote is None:
            object.__setattr__(self, "belote", self._pairs())

    def _check(self) -> None:
        if len(self.hands) != 4 or self.leader not in range(4):
            raise ValueError("a position has four hands and a leader 0..3")
        sizes = [hand.bit_count() for hand in self.owned]
        if not 1 <= sizes[0] <= _TRICKS or len(set(sizes)) > 1:
            raise ValueError(f"the hands, with the cards on the table, must be equally long, 1 to 8 cards, not {sizes}")
        if len(self.trick) > 3:
            raise ValueError(f"at most three cards lie on the table, not {len(self.trick)}")
        if sum(self.owned) != mask_of(card for hand in self.owned for card in range(32) if hand >> card & 1):
            raise ValueError("a card is in two places")
        for name in ("points", "tricks"):
            pair = getattr(self, name)
            if len(pair) != 2 or min(pair) < 0:
                raise ValueError(f"{name} must be two numbers that are not negative, not {pair}")
        if sum(self.tricks) + sizes[0] > _TRICKS:
            raise ValueError(f"tricks {self.tricks} and {sizes[0]} cards a hand are more than eight tricks")
        if not self.counts_tricks and sum(self.points) + self.rest > self.full_points:
            raise ValueError(f"points {self.points} are more than the cards played are worth")
        for played, card in enumerate(self.trick):
            if (
                not search.root_cards(np.array(self._cards(self.trick[:played]), dtype=np.int64), self.rules.vector)[1]
                >> card
                & 1
            ):
                raise ValueError(f"{CARDS[card]} on the table breaks the rules: the seat that played it could not")

    @property
    def owned(self) -> tuple[int, ...]:
        """For each seat the mask of the cards in hand and on the table."""
        hands = list(self.hands)
        for turn, card in enumerate(self.trick):
            hands[(self.leader + turn) % 4] |= 1 << card
        return tuple(hands)

    def _pairs(self) -> tuple[int, int]:
        pairs = [0, 0]
        if self.rules.scoring != "more_tricks" and not (self.counts_tricks and self.denomination == ALL_TRUMPS):
            for suit in range(4):
                pair = (1 << RANK_K | 1 << RANK_Q) << 8 * suit
                for seat, hand in enumerate(self.owned):
                    if self.denomination in (suit, ALL_TRUMPS) and hand & pair == pair:
                        pairs[seat % 2] += 1 if self.counts_tricks else 20
        return pairs[0], pairs[1]

    @property
    def counts_tricks(self) -> bool:
        """Whether these rules count tricks, the last one twice, instead of points."""
        return self.rules.scoring in ("encheres", "more_tricks")

    @property
    def seat(self) -> int:
        """The seat to play."""
        return (self.leader + len(self.trick)) % 4

    @cached_property
    def row(self) -> int:
        """The row of :data:`belote_env.solver.tables.POINTS` in force."""
        if self.counts_tricks:
            return TRICK_ROW
        r = self.rules.vector
        if self.denomination == NO_TRUMPS:
            return int(NT_ROW + r[R_NT_VALUES])
        return int(AT_ROW + r[R_AT_VALUES]) if self.denomination == ALL_TRUMPS else int(self.denomination)

    @property
    def last_trick(self) -> int:
        """Points of the last trick."""
        return int(LAST_TRICK[self.row])

    @property
    def full_points(self) -> int:
        """Raw points of the whole deal: all cards and the last trick."""
        return int(FULL_POINTS[self.row])

    @cached_property
    def rest(self) -> int:
        """Raw points still to be won: the cards in hand and on the table, and the last trick."""
        cards = sum(self.owned)
        return sum(int(POINTS[self.row, card]) for card in range(32) if cards >> card & 1) + self.last_trick

    @property
    def unbeaten(self) -> int:
        """Bit t: team t has taken every trick of the deal so far."""
        if sum(self.tricks) + self.owned[0].bit_count() != _TRICKS:
            return 0
        return (not self.tricks[1]) | (not self.tricks[0]) << 1

    @cached_property
    def problem(self) -> np.ndarray:
        """The position as the compiled search reads it: ``int64``, shape ``(PROBLEM_SIZE,)``.

        A sweep is looked for only where a capot is worth more than all the points.
        """
        total = TOTAL
        capot = self.rules.capot_points
        won = self.points
        if self.counts_tricks:
            total = capot = _TRICKS + 1
            won = (4 * self.tricks[0], 4 * self.tricks[1])
        sweep = self.unbeaten if capot > total else 0
        fields = [*self._cards(self.trick), sweep, self.rest, *won, *self.belote, capot, total]
        return np.array(fields, dtype=np.int64)

    def _cards(self, trick: Iterable[int]) -> list[int]:
        """Return the part of the problem that says who may play what, after fewer cards on the table."""
        trick = list(trick)
        hands = list(self.owned)
        for turn, card in enumerate(trick):
            hands[(self.leader + turn) % 4] &= ~(1 << card)
        table = trick + [NONE] * (3 - len(trick))
        return [*hands, self.leader, self.denomination, self.row, *table]

    def sides(self, rest: int) -> tuple[int, int]:
        """Return each team's points at the end of the deal if team 0 takes ``rest`` of :attr:`rest`.

        ``rest`` is in the unit of the search: one more than all for a sweep by team 0, -1 for one by team 1.
        """
        return int(search.side_points(self.problem, rest, 0)), int(search.side_points(self.problem, rest, 1))

    def difference(self, rest: int) -> int:
        """Return team 0's points less team 1's at the end of the deal, for ``rest`` as in :meth:`sides`."""
        mine, theirs = self.sides(rest)
        return mine - theirs

    def play(self, card: int) -> Position | None:
        """Return the position after a legal card, or None if it was the last of the deal."""
        hands = list(self.hands)
        hands[self.seat] &= ~(1 << card)
        trick = (*self.trick, card)
        if len(trick) < 4:
            return Position(
                tuple(hands), self.leader, self.denomination, self.rules, trick, self.points, self.tricks, self.belote
            )
        if not any(hands):
            return None
        best = 0
        for turn in range(1, 4):
            if BEATS[self.denomination, trick[best]] >> trick[turn] & 1:
                best = turn
        winner = (self.leader + best) % 4
        points, tricks = list(self.points), list(self.tricks)
        points[winner % 2] += sum(int(POINTS[self.row, card]) for card in trick)
        tricks[winner % 2] += 1
        return Position(
            tuple(hands),
            winner,
            self.denomination,
            self.rules,
            (),
            (points[0], points[1]),
            (tricks[0], tricks[1]),
            self.belote,
        )


def _mask(hand: int | str) -> int:
    if isinstance(hand, str):
        cards = parse_cards(hand)
        if len(set(cards)) < len(cards):
            raise ValueError(f"{hand!r} holds a card twice")
        return mask_of(cards)
    hand = int(hand)
    if not 0 <= hand <= FULL_PACK:
        raise ValueError(f"{hand} is not a mask of 32 cards")
    return hand


def _denomination(denomination: int | str) -> int:
    if denomination in DENOMINATIONS:
        return DENOMINATIONS.index(denomination)
    if isinstance(denomination, str) or denomination not in range(6):
        raise ValueError(f"{denomination!r} is not a denomination: one of {' '.join(DENOMINATIONS)}, or its index 0..5")
    return int(denomination)


def _trick(trick: str | Iterable[int | str]) -> tuple[int, ...]:
    cards = parse_cards(trick) if isinstance(trick, str) else trick
    ids = tuple(parse_card(card) if isinstance(card, str) else int(card) for card in cards)
    if any(card not in range(32) for card in ids) or len(set(ids)) < len(ids):
        raise ValueError(f"{trick!r} are not different cards")
    return ids
