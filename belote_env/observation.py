"""Observations: what a seat may know, as one flat ``uint8`` vector; ``FEATURES`` documents every entry.

Seats are relative to the observer: 0 me, 1 next to play, 2 partner, 3 before me. Sides: 0 mine, 1 theirs. Cards
stand by id (suits S H D C, ranks 7 8 9 T J Q K A), so that a network can share weights over the four suits.
Numbers up to 25,599 are two base-100 digits, exact and linear in their entries. Divide by :data:`SCALE` for floats
in 0..1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from belote_env.cards import CARDS, DENOMINATIONS, RANKS, SUITS
from belote_env.engine import layout as at
from belote_env.engine.bits import spread
from belote_env.engine.declarations import declaration_kind, declaration_points, declaration_top
from belote_env.engine.jit import inner, lean
from belote_env.engine.layout import NONE, NUM_RUNGS, PHASE_NAMES, RUNG_NAMES
from belote_env.engine.options import OPTION_NAMES, R_CAPOT_POINTS, R_MAX_BID, R_TARGET
from belote_env.engine.tables import SUIT_MASKS

_SEATS = ("me", "next", "partner", "previous")
_SIDES = ("mine", "theirs")
_KINDS = ("tierce", "cinquante", "cent", "carré")
_DIGITS = ("hundreds", "units")
_RULES = tuple(name for name in OPTION_NAMES if name != "target")


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
    # Flags first, so that they can be packed into bits; then the numbers.
    Feature("hand", (CARDS,), 1, "cards in my hand", "always"),
    Feature("trick", (_SEATS, CARDS), 1, "card of each seat in the trick on the table", "play"),
    Feature("played_by", (_SEATS, CARDS), 1, "cards played by each seat, the trick on the table included", "play"),
    Feature(
        "excluded",
        (_SEATS, CARDS),
        1,
        "cards that a seat's plays prove it does not hold: voids, missed overtrumps, no belote said",
        "play",
    ),
    Feature("known", (_SEATS, CARDS), 1, "cards in a seat's hand that the whole table knows of", "after the auction"),
    Feature("shown", (_SEATS, CARDS), 1, "declaration cards laid open", "from the second trick"),
    Feature("turned", (CARDS,), 1, "the card turned up", "turned-card auction"),
    Feature(
        "trump", (SUITS,), 1, "suits that are trumps: one, none in NT, all in AT", "once there is a contract or bid"
    ),
    Feature("lead", (SUITS,), 1, "suit led to the trick on the table", "play"),
    Feature("void", (_SEATS, SUITS), 1, "suits that a seat's plays prove it has none of", "play"),
    Feature(
        "bid_seat", (RUNG_NAMES, _SEATS), 1, "who bid a rung (n tricks stand at rung n - 1)", "points, tricks auction"
    ),
    Feature("bid_denomination", (RUNG_NAMES, DENOMINATIONS), 1, "what was bid at a rung", "points, tricks auction"),
    Feature("taker", (_SEATS,), 1, "who holds the contract, or the last bid", "once there is one"),
    Feature("denomination", (DENOMINATIONS,), 1, "of the contract, or the last bid", "once there is one"),
    Feature("rung", (RUNG_NAMES,), 1, "of the contract, or the last bid", "points, tricks auction"),
    Feature("coincher", (_SEATS,), 1, "who said coinche", "once said"),
    Feature("surcoincher", (_SEATS,), 1, "who said surcoinche", "once said"),
    Feature("contest", (_SIDES,), 1, "side that owns the best declaration", "from the second trick"),
    Feature("phase", (PHASE_NAMES,), 1, "of the seat to act, as I may know it", "always"),
    Feature("to_act", (_SEATS,), 1, "seat to act", "always"),
    Feature("dealer", (_SEATS,), 1, "who dealt", "always"),
    Feature("leader", (_SEATS,), 1, "who led, or leads, the trick", "play"),
    Feature("played_trick", (CARDS,), 8, "number of the trick in which a card was played, 0 if it was not", "play"),
    Feature("played_place", (CARDS,), 4, "place of a card in its trick, 1 (led) to 4, 0 if it was not played", "play"),
    Feature("belote", (_SEATS, SUITS), 2, "1 belote, 2 rebelote said by a seat in a suit", "play"),
    Feature("passes", (("count",),), 8, "passes since the last bid or the start, or answers to a coinche", "auction"),
    Feature("announced", (_SEATS,), 2, "with its first card: 1 nothing announced, 2 declarations announced", "play"),
    Feature("announced_kind", (_SEATS, _KINDS), 2, "announced declarations of each kind", "play"),
    Feature(
        "announced_top",
        (_SEATS, _KINDS),
        8,
        "1 + natural rank of the top card of a seat's best announced declaration of a kind, once public",
        "play",
    ),
    Feature("own_kind", (_KINDS,), 2, "declarations that my hand makes, announced or not", "play"),
    Feature("own_declared", (_DIGITS,), 255, "points of the declarations that my hand makes", "play"),
    Feature("declared", (_SIDES, _DIGITS), 255, "points of the declarations that count", "from the second trick"),
    Feature("cards_played", (("count",),), 32, "cards played so far", "play"),
    Feature("tricks", (_SIDES,), 8, "tricks won", "play"),
    Feature("points", (_SIDES, _DIGITS), 255, "card points won; at the end with last trick or capot", "play"),
    Feature("belote_points", (_SIDES,), 80, "points of the belotes said", "play"),
    Feature("scores", (_SIDES, _DIGITS), 255, "match scores", "always"),
    Feature("pot", (_DIGITS,), 255, "points waiting after a litige", "always"),
    Feature("target", (_DIGITS,), 255, "points that win the match", "always"),
    Feature("rules", (_RULES,), 255, "options in force, by position of the value; max_bid in tens", "always"),
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

_HAND, _TRICK, _PLAYED_BY = OFFSETS["hand"], OFFSETS["trick"], OFFSETS["played_by"]
_PLAYED_TRICK, _PLAYED_PLACE = OFFSETS["played_trick"], OFFSETS["played_place"]
_EXCLUDED, _KNOWN, _SHOWN, _TURNED = OFFSETS["excluded"], OFFSETS["known"], OFFSETS["shown"], OFFSETS["turned"]
_TRUMP, _LEAD, _VOID, _BELOTE = OFFSETS["trump"], OFFSETS["lead"], OFFSETS["void"], OFFSETS["belote"]
_BID_SEAT, _BID_DENOMINATION, _PASSES = OFFSETS["bid_seat"], OFFSETS["bid_denomination"], OFFSETS["passes"]
_TAKER, _DENOMINATION, _RUNG = OFFSETS["taker"], OFFSETS["denomination"], OFFSETS["rung"]
_COINCHER, _SURCOINCHER = OFFSETS["coincher"], OFFSETS["surcoincher"]
_ANNOUNCED, _ANNOUNCED_KIND, _ANNOUNCED_TOP = OFFSETS["announced"], OFFSETS["announced_kind"], OFFSETS["announced_top"]
_OWN_KIND, _OWN_DECLARED, _CONTEST = OFFSETS["own_kind"], OFFSETS["own_declared"], OFFSETS["contest"]
_DECLARED, _PHASE, _TO_ACT, _DEALER = OFFSETS["declared"], OFFSETS["phase"], OFFSETS["to_act"], OFFSETS["dealer"]
_LEADER, _CARDS_PLAYED, _TRICKS = OFFSETS["leader"], OFFSETS["cards_played"], OFFSETS["tricks"]
_POINTS, _BELOTE_POINTS, _SCORES = OFFSETS["points"], OFFSETS["belote_points"], OFFSETS["scores"]
_POT, _TARGET, _RULES_AT = OFFSETS["pot"], OFFSETS["target"], OFFSETS["rules"]


@inner
def _put_cards(out, offset, mask):
    if mask:
        spread(mask, out, offset)


@inner
def _put_number(out, offset, number):
    out[offset] = min(number // 100, 255)
    out[offset + 1] = number % 100


@inner
def _put_seat(out, offset, seat, observer):
    if seat != NONE:
        out[offset + ((seat - observer) & 3)] = 1


@inner
def _put_played(v, seat, out):
    played = v[at.PLAYED]
    # A trick stays on the table until it is closed, which a question about belote may delay.
    first = 4 * ((played - 1) >> 2) if v[at.BEST] != NONE else played
    for i in range(played):
        card = v[at.SEQUENCE + i]
        by = (v[at.LEADERS + (i >> 2)] + i - seat) & 3
        out[_PLAYED_BY + 32 * by + card] = 1
        out[_PLAYED_TRICK + card] = (i >> 2) + 1
        out[_PLAYED_PLACE + card] = (i & 3) + 1
        if i >= first:
            out[_TRICK + 32 * by + card] = 1
    if first < played:
        out[_LEAD + (v[at.SEQUENCE + first] >> 3)] = 1
        _put_seat(out, _LEADER, v[at.LEADERS + (first >> 2)], seat)
    elif played < 32:
        _put_seat(out, _LEADER, v[at.LEADERS + (played >> 2)], seat)
    out[_CARDS_PLAYED] = played


@inner
def _put_auction(v, seat, out):
    for rung in range(NUM_RUNGS):
        bid = v[at.LADDER + rung] - 1
        if bid >= 0:
            out[_BID_SEAT + 4 * rung + ((bid - seat) & 3)] = 1
            out[_BID_DENOMINATION + 6 * rung + (bid >> 2)] = 1
    out[_PASSES] = v[at.PASSES]
    _put_seat(out, _TAKER, v[at.TAKER], seat)
    _put_seat(out, _COINCHER, v[at.COINCHER], seat)
    _put_seat(out, _SURCOINCHER, v[at.SURCOINCHER], seat)
    denomination = v[at.DENOMINATION]
    if denomination != NONE:
        out[_DENOMINATION + denomination] = 1
        for suit in range(4):
            out[_TRUMP + suit] = denomination == suit or denomination == 5
    if v[at.RUNG] != NONE:
        out[_RUNG + v[at.RUNG]] = 1


@inner
def _put_declarations(v, seat, out):
    own = 0
    for other in range(4):
        to = (other - seat) & 3
        out[_ANNOUNCED + to] = v[at.ANNOUNCED + other] + 1
        for i in range(2):
            declaration = v[at.DECLARATIONS + 2 * other + i]
            if declaration == 0:
                continue
            kind = declaration_kind(declaration) - 1
            if to == 0:
                out[_OWN_KIND + kind] += 1
                own += declaration_points(declaration)
            if v[at.ANNOUNCED + other] == 1:
                out[_ANNOUNCED_KIND + 4 * to + kind] += 1
                if declaration >> 3 and out[_ANNOUNCED_TOP + 4 * to + kind] == 0:
                    out[_ANNOUNCED_TOP + 4 * to + kind] = declaration_top(declaration) + 1
    _put_number(out, _OWN_DECLARED, own)
    if v[at.CONTEST] != NONE:
        out[_CONTEST + ((v[at.CONTEST] ^ seat) & 1)] = 1
    for suit in range(4):
        if v[at.CALLED + suit] > 0:
            out[_BELOTE + 4 * ((v[at.PAIR + suit] - seat) & 3) + suit] = v[at.CALLED + suit]


@inner
def _put_sides(v, seat, out):
    for side in range(2):
        team = (seat ^ side) & 1
        out[_TRICKS + side] = v[at.TRICKS + team]
        out[_BELOTE_POINTS + side] = v[at.BELOTE_POINTS + team]
        _put_number(out, _POINTS + 2 * side, v[at.POINTS + team])
        _put_number(out, _DECLARED + 2 * side, v[at.DECLARED + team])
        _put_number(out, _SCORES + 2 * side, v[at.SCORES + team])


@inner
def _put_rules(r, out):
    for option in range(R_TARGET):
        out[_RULES_AT + option] = r[option]
    out[_RULES_AT + R_MAX_BID] = r[R_MAX_BID] // 10
    out[_RULES_AT + R_CAPOT_POINTS] = r[R_CAPOT_POINTS]
    _put_number(out, _TARGET, r[R_TARGET])


@lean
def write_observation(v, r, seat, out):
    """Write the observation of ``seat`` from what it may know.

    Args:
        v: the state as ``engine.hiding.hide`` leaves it for ``seat``.
        r: rule vector.
        seat: the observer, 0..3.
        out: ``uint8``, shape ``(OBSERVATION_SIZE,)``, overwritten.
    """
    out[:] = 0
    _put_cards(out, _HAND, v[at.HANDS + seat])
    _put_played(v, seat, out)
    for other in range(4):
        to = (other - seat) & 3
        excluded = v[at.EXCLUDED + other]
        _put_cards(out, _EXCLUDED + 32 * to, excluded)
        _put_cards(out, _KNOWN + 32 * to, v[at.KNOWN + other])
        _put_cards(out, _SHOWN + 32 * to, v[at.SHOWN + other])
        for suit in range(4):
            if excluded & SUIT_MASKS[suit] == SUIT_MASKS[suit]:
                out[_VOID + 4 * to + suit] = 1
    if v[at.TURNED] != NONE:
        out[_TURNED + v[at.TURNED]] = 1
    _put_auction(v, seat, out)
    _put_declarations(v, seat, out)
    out[_PHASE + v[at.PHASE]] = 1
    _put_seat(out, _TO_ACT, v[at.SEAT], seat)
    _put_seat(out, _DEALER, v[at.DEALER], seat)
    _put_sides(v, seat, out)
    _put_number(out, _POT, v[at.POT])
    _put_rules(r, out)


@lean
def write_privileged(s, seat, out):
    """Write all that is hidden from ``seat``, for critics in training: ``uint8``, shape ``(PRIVILEGED_SIZE,)``.

    Four blocks of 32 cards: the hands of the next seat, the partner and the previous seat, then the stock that is
    not dealt out yet.
    """
    out[:] = 0
    stock = 0xFFFFFFFF
    for i in range(s[at.PLAYED]):
        stock &= ~(1 << s[at.SEQUENCE + i])
    for other in range(4):
        hand = s[at.HANDS + other]
        stock &= ~hand
        if other != seat:
            _put_cards(out, 32 * (((other - seat) & 3) - 1), hand)
    _put_cards(out, 96, stock)


@lean
def pack_observation(observation, out):
    """Write an observation with its flags packed into bits, lowest first: ``uint8``, shape ``(PACKED_SIZE,)``."""
    for byte in range(PACKED_FLAGS):
        bits = 0
        for bit in range(min(8, NUM_FLAGS - 8 * byte)):
            bits |= np.int64(observation[8 * byte + bit]) << bit
        out[byte] = bits
    for i in range(NUM_FLAGS, OBSERVATION_SIZE):
        out[PACKED_FLAGS + i - NUM_FLAGS] = observation[i]


def unpack_observation(packed: np.ndarray) -> np.ndarray:
    """Return the observations of a packed batch: ``uint8``, ``(…, PACKED_SIZE)`` to ``(…, OBSERVATION_SIZE)``."""
    flags = np.unpackbits(packed[..., :PACKED_FLAGS], axis=-1, count=NUM_FLAGS, bitorder="little")
    return np.concatenate([flags, packed[..., PACKED_FLAGS:]], axis=-1)


def block(observation: np.ndarray, name: str) -> np.ndarray:
    """Return the block ``name`` of an observation, in its shape; leading axes of a batch are kept."""
    feature = next(feature for feature in FEATURES if feature.name == name)
    start = OFFSETS[name]
    return observation[..., start : start + feature.size].reshape(*observation.shape[:-1], *feature.shape)


def number(observation: np.ndarray, name: str) -> np.ndarray:
    """Return a block of base-100 digits as whole numbers, its last axis gone."""
    digits = block(observation, name).astype(np.int64)
    return digits[..., 0] * 100 + digits[..., 1]


def _entries(values: np.ndarray, axes: tuple[tuple[str, ...], ...], flags: bool) -> str:
    """Return the entries that are not 0 in words: ``JH AS``, or ``tierce=2`` for numbers."""
    words = []
    for index in np.argwhere(values):
        label = " ".join(axis[i] for axis, i in zip(axes, index, strict=True))
        words.append(label if flags else f"{label}={values[tuple(index)]}")
    return ", ".join(words) if len(axes) > 1 else " ".join(words)


def explain(observation: np.ndarray) -> str:
    """Return an observation in words: a line for each feature that says something.

    Args:
        observation: ``uint8``, shape ``(OBSERVATION_SIZE,)``.

    Raises:
        ValueError: if the shape is another.
    """
    if np.shape(observation) != (OBSERVATION_SIZE,):
        raise ValueError(f"an observation has shape ({OBSERVATION_SIZE},), not {np.shape(observation)}")
    lines = []
    for feature in FEATURES:
        values = block(observation, feature.name)
        if not values.any():
            continue
        if feature.axes[-1] == _DIGITS:
            numbers = number(observation, feature.name)
            words = (
                str(numbers)
                if numbers.ndim == 0
                else ", ".join(f"{side} {value}" for side, value in zip(_SIDES, numbers, strict=True))
            )
        elif feature.name == "announced_top":
            words = ", ".join(f"{_SEATS[s]} {_KINDS[k]} {RANKS[values[s, k] - 1]}" for s, k in np.argwhere(values))
        elif feature.name == "rules":
            words = ", ".join(f"{name}={value}" for name, value in zip(_RULES, values, strict=True))
        elif feature.axes == (("count",),):
            words = str(values[0])
        elif len(feature.axes) > 1 and feature.axes[1] == CARDS:
            words = "; ".join(
                f"{seat}: {_entries(row, (CARDS,), True)}"
                for seat, row in zip(_SEATS, values, strict=True)
                if row.any()
            )
        else:
            words = _entries(values, feature.axes, feature.high == 1)
        lines.append(f"{feature.name:>16}  {words}")
    return "\n".join(lines)


def feature_table() -> str:
    """Return :data:`FEATURES` as a Markdown table, for the page ``docs/observation.md``."""
    lines = ["| entries | name | shape | values | meaning | filled |", "|---|---|---|---|---|---|"]
    for feature in FEATURES:
        start = OFFSETS[feature.name]
        shape = " × ".join(map(str, feature.shape))
        lines.append(
            f"| {start}..{start + feature.size - 1} | `{feature.name}` | {shape} | 0..{feature.high} "
            f"| {feature.meaning} | {feature.filled} |"
        )
    return "\n".join(lines)
