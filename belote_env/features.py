"""The table of features: every entry of an observation, its place in the vector, its largest value, its meaning.

Flags come first, so that they can be packed into bits; then the numbers.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from math import prod

import numpy as np

from belote_env.cards import CARDS, DENOMINATIONS, SUITS
from belote_env.engine.layout import PHASE_NAMES, RUNG_NAMES
from belote_env.engine.options import OPTION_NAMES

SEATS = ("me", "next", "partner", "previous")
SIDES = ("mine", "theirs")
KINDS = ("tierce", "cinquante", "cent", "carré")
DIGITS = ("hundreds", "units")
_SUITS = tuple(SUITS)
RULES = tuple(name for name in OPTION_NAMES if name != "target")


@dataclass(frozen=True)
class Feature:
    """One block of an observation: its name, the labels of its axes, its largest value and its meaning."""

    name: str
    axes: tuple[tuple[str, ...], ...]
    high: int
    meaning: str
    filled: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the block when it is cut out of the vector."""
        return tuple(map(len, self.axes))

    @property
    def size(self) -> int:
        """Number of entries."""
        return prod(self.shape)


FEATURES: tuple[Feature, ...] = (
    Feature("hand", (CARDS,), 1, "cards in my hand", "always"),
    Feature("trick", (SEATS, CARDS), 1, "card of each seat in the trick on the table", "play"),
    Feature("played_by", (SEATS, CARDS), 1, "cards played by each seat, the trick on the table included", "play"),
    Feature(
        "excluded",
        (SEATS, CARDS),
        1,
        "cards that a seat's plays prove it does not hold: voids, missed overtrumps, no belote said",
        "play",
    ),
    Feature("known", (SEATS, CARDS), 1, "cards in a seat's hand that the whole table knows of", "after the auction"),
    Feature("shown", (SEATS, CARDS), 1, "declaration cards laid open", "from the second trick"),
    Feature("turned", (CARDS,), 1, "the card turned up", "turned-card auction"),
    Feature(
        "trump", (_SUITS,), 1, "suits that are trumps: one, none in NT, all in AT", "once there is a contract or bid"
    ),
    Feature("lead", (_SUITS,), 1, "suit led to the trick on the table", "play"),
    Feature("void", (SEATS, _SUITS), 1, "suits that a seat's plays prove it has none of", "play"),
    Feature(
        "bid_seat", (RUNG_NAMES, SEATS), 1, "who bid a rung (n tricks stand at rung n - 1)", "points, tricks auction"
    ),
    Feature("bid_denomination", (RUNG_NAMES, DENOMINATIONS), 1, "what was bid at a rung", "points, tricks auction"),
    Feature("taker", (SEATS,), 1, "who holds the contract, or the last bid", "once there is one"),
    Feature("denomination", (DENOMINATIONS,), 1, "of the contract, or the last bid", "once there is one"),
    Feature("rung", (RUNG_NAMES,), 1, "of the contract, or the last bid", "points, tricks auction"),
    Feature("coincher", (SEATS,), 1, "who said coinche", "once said"),
    Feature("surcoincher", (SEATS,), 1, "who said surcoinche", "once said"),
    Feature("contest", (SIDES,), 1, "side that owns the best declaration", "from the second trick"),
    Feature("phase", (PHASE_NAMES,), 1, "of the seat to act, as I may know it", "always"),
    Feature("to_act", (SEATS,), 1, "seat to act", "always"),
    Feature("dealer", (SEATS,), 1, "who dealt", "always"),
    Feature("leader", (SEATS,), 1, "who led, or leads, the trick", "play"),
    Feature("played_trick", (CARDS,), 8, "number of the trick in which a card was played, 0 if it was not", "play"),
    Feature("played_place", (CARDS,), 4, "place of a card in its trick, 1 (led) to 4, 0 if it was not played", "play"),
    Feature("belote", (SEATS, _SUITS), 2, "1 belote, 2 rebelote said by a seat in a suit", "play"),
    Feature("passes", (("count",),), 8, "passes since the last bid or the start, or answers to a coinche", "auction"),
    Feature("announced", (SEATS,), 2, "with its first card: 1 nothing announced, 2 declarations announced", "play"),
    Feature("announced_kind", (SEATS, KINDS), 2, "announced declarations of each kind", "play"),
    Feature(
        "announced_top",
        (SEATS, KINDS),
        8,
        "1 + natural rank of the top card of a seat's best announced declaration of a kind, once public",
        "play",
    ),
    Feature("own_kind", (KINDS,), 2, "declarations that my hand makes, announced or not", "play"),
    Feature("own_declared", (DIGITS,), 255, "points of the declarations that my hand makes", "play"),
    Feature("declared", (SIDES, DIGITS), 255, "points of the declarations that count", "from the second trick"),
    Feature("cards_played", (("count",),), 32, "cards played so far", "play"),
    Feature("tricks", (SIDES,), 8, "tricks won", "play"),
    Feature("points", (SIDES, DIGITS), 255, "card points won; at the end with last trick or capot", "play"),
    Feature("belote_points", (SIDES,), 80, "points of the belotes said", "play"),
    Feature("scores", (SIDES, DIGITS), 255, "match scores", "always"),
    Feature("pot", (DIGITS,), 255, "points waiting after a litige", "always"),
    Feature("target", (DIGITS,), 255, "points that win the match", "always"),
    Feature("rules", (RULES,), 255, "options in force, by position of the value; max_bid in tens", "always"),
)


def _offsets() -> dict[str, int]:
    offsets, size = {}, 0
    for feature in FEATURES:
        offsets[feature.name] = size
        size += feature.size
    return offsets


OFFSETS = _offsets()
OBSERVATION_SIZE = sum(feature.size for feature in FEATURES)
NUM_FLAGS = sum(feature.size for feature in FEATURES if feature.high == 1)
PACKED_FLAGS = -(-NUM_FLAGS // 8)
PACKED_SIZE = PACKED_FLAGS + OBSERVATION_SIZE - NUM_FLAGS
PRIVILEGED_SIZE = 4 * 32

SCALE = np.concatenate([np.full(feature.size, feature.high, dtype=np.float32) for feature in FEATURES])
"""``float32``, shape ``(OBSERVATION_SIZE,)``: the largest value of each entry."""


def observation_layout() -> str:
    """Return a fingerprint of what lies where in an observation, which a network that was trained on it must share."""
    table = [(feature.name, feature.shape, feature.high) for feature in FEATURES]
    return hashlib.sha256(repr(table).encode()).hexdigest()[:16]


def blank_observation(rules: np.ndarray) -> np.ndarray:
    """Return what an observation says of a rule vector, zeros elsewhere: ``uint8``, shape ``(OBSERVATION_SIZE,)``."""
    values = dict(zip(OPTION_NAMES, rules.tolist(), strict=True))
    values["max_bid"] //= 10
    blank = np.zeros(OBSERVATION_SIZE, dtype=np.uint8)
    for name, numbers in (("target", divmod(values["target"], 100)), ("rules", [values[option] for option in RULES])):
        blank[OFFSETS[name] :][: len(numbers)] = numbers
    return blank
