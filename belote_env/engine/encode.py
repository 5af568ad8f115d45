"""Writing observations: the compiled half of ``features.py``."""

from __future__ import annotations

import numpy as np

from belote_env.engine import layout as at
from belote_env.engine.bits import collect, spread
from belote_env.engine.declarations import declaration_kind, declaration_points, declaration_top
from belote_env.engine.hiding import known_announced, known_declaration, known_declared, known_phase
from belote_env.engine.jit import hot, inner, lean
from belote_env.engine.layout import AUCTION, NONE, NUM_RUNGS, OVER
from belote_env.engine.memory import copy_bytes, put, put_half, put_word
from belote_env.features import NUM_FLAGS, OBSERVATION_SIZE, OFFSETS, PACKED_FLAGS, SCALE

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
_POT = OFFSETS["pot"]


@inner
def _put_number(out, offset, number):
    hundreds = np.uint64(number) // np.uint64(100)
    put(out, offset, min(np.int64(hundreds), 255))
    put(out, offset + 1, number - 100 * np.int64(hundreds))


@hot
def _put_seat(out, offset, seat, observer):
    put_half(out, offset, (seat >= 0) << 8 * ((seat - observer) & 3))


@hot
def _put_planes(s, seat, out):
    """Write the planes of cards, whole: the entries up to ``trump``."""
    spread(s[at.HANDS + seat], out, _HAND)
    for other in range(4):
        plane = 32 * ((other - seat) & 3)
        spread(0, out, _TRICK + plane)
        spread(s[at.DEALT + other] & ~s[at.HANDS + other], out, _PLAYED_BY + plane)
        spread(s[at.EXCLUDED + other], out, _EXCLUDED + plane)
        spread(s[at.KNOWN + other], out, _KNOWN + plane)
        spread(s[at.SHOWN + other], out, _SHOWN + plane)
    turned = s[at.TURNED]
    spread((turned >= 0) << (turned & 31), out, _TURNED)


@hot
def _put_tricks(s, seat, out):
    played = s[at.PLAYED]
    for i in range(played):
        card = s[at.SEQUENCE + i]
        put(out, _PLAYED_TRICK + card, (i >> 2) + 1)
        put(out, _PLAYED_PLACE + card, (i & 3) + 1)
    put(out, _CARDS_PLAYED, played)
    # A trick stays on the table until it is closed, which a question about belote may delay.
    first = 4 * ((played - 1) >> 2) if s[at.BEST] != NONE else played
    leader = s[at.LEADERS + (first >> 2)]
    for i in range(first, played):
        put(out, _TRICK + 32 * ((leader + i - seat) & 3) + s[at.SEQUENCE + i], 1)
    if first < played:
        put(out, _LEAD + (s[at.SEQUENCE + first] >> 3), 1)
    if AUCTION < s[at.PHASE] < OVER:
        _put_seat(out, _LEADER, leader, seat)


@hot
def _put_voids(s, seat, out):
    for other in range(4):
        # A suit is a byte of the mask: fold it upon itself, and its lowest bit says whether all were set.
        void = s[at.EXCLUDED + other]
        void &= void >> 4
        void &= void >> 2
        void &= void >> 1
        put_half(out, _VOID + 4 * ((other - seat) & 3), void & 0x01010101)


@hot
def _put_auction(s, seat, out):
    """Write the ladder and the contract.

    Without branches, most of which would be mispredicted. A word is longer than the rung or the denomination that it
    writes: what is beyond belongs to the entries that are written next.
    """
    rung = s[at.RUNG]
    if rung != NONE:
        for i in range(NUM_RUNGS):
            bid = s[at.LADDER + i] - 1
            put_half(out, _BID_SEAT + 4 * i, (bid >= 0) << 8 * ((bid - seat) & 3))
            put_word(out, _BID_DENOMINATION + 6 * i, (bid >= 0) << (8 * (bid >> 2) & 63))
    put(out, _PASSES, s[at.PASSES])
    _put_seat(out, _TAKER, s[at.TAKER], seat)
    denomination = s[at.DENOMINATION]
    put_word(out, _DENOMINATION, (denomination >= 0) << (8 * denomination & 63))
    put_half(out, _TRUMP, 0x01010101 if denomination == 5 else 1 << (8 * denomination & 63))
    _put_seat(out, _COINCHER, s[at.COINCHER], seat)
    _put_seat(out, _SURCOINCHER, s[at.SURCOINCHER], seat)
    if rung != NONE:
        put(out, _RUNG + rung, 1)


@inner
def _put_declarations_of(s, r, seat, other, out):
    to = (other - seat) & 3
    own = 0
    for i in range(2):
        declaration = known_declaration(s, r, seat, other, i)
        if declaration == 0:
            continue
        kind = declaration_kind(declaration) - 1
        if to == 0:
            out[_OWN_KIND + kind] += 1
            own += declaration_points(declaration)
        if known_announced(s, seat, other) == 1:
            out[_ANNOUNCED_KIND + 4 * to + kind] += 1
            if declaration >> 3 and out[_ANNOUNCED_TOP + 4 * to + kind] == 0:
                out[_ANNOUNCED_TOP + 4 * to + kind] = declaration_top(declaration) + 1
    if to == 0:
        _put_number(out, _OWN_DECLARED, own)


@hot
def _put_declarations(s, r, seat, out):
    for other in range(4):
        put(out, _ANNOUNCED + ((other - seat) & 3), known_announced(s, seat, other) + 1)
        if s[at.DECLARATIONS + 2 * other]:
            _put_declarations_of(s, r, seat, other, out)


@hot
def _put_belotes(s, seat, out):
    for suit in range(4):
        if s[at.CALLED + suit] > 0:
            put(out, _BELOTE + 4 * ((s[at.PAIR + suit] - seat) & 3) + suit, s[at.CALLED + suit])


@hot
def _put_sides(s, r, seat, out):
    for side in range(2):
        team = (seat ^ side) & 1
        put(out, _TRICKS + side, s[at.TRICKS + team])
        put(out, _BELOTE_POINTS + side, s[at.BELOTE_POINTS + team])
        _put_number(out, _POINTS + 2 * side, s[at.POINTS + team])
        _put_number(out, _DECLARED + 2 * side, known_declared(s, r, seat, team))
        _put_number(out, _SCORES + 2 * side, s[at.SCORES + team])
    if s[at.CONTEST] != NONE:
        put(out, _CONTEST + ((s[at.CONTEST] ^ seat) & 1), 1)


@lean
def write_observation(s, r, blank, seat, out):
    """Write the observation of ``seat``: what is not wholly public it reads through ``engine.hiding``.

    Args:
        s: the state, or what ``hide`` leaves of it for ``seat``.
        r: rule vector.
        blank: ``Rules.blank_observation``.
        seat: the observer, 0..3.
        out: ``uint8``, shape ``(OBSERVATION_SIZE,)``, overwritten.
    """
    _put_planes(s, seat, out)
    copy_bytes(blank[_TRUMP:], out[_TRUMP:])
    _put_tricks(s, seat, out)
    _put_voids(s, seat, out)
    _put_auction(s, seat, out)
    _put_declarations(s, r, seat, out)
    _put_belotes(s, seat, out)
    put(out, _PHASE + known_phase(s, seat), 1)
    _put_seat(out, _TO_ACT, s[at.SEAT], seat)
    _put_seat(out, _DEALER, s[at.DEALER], seat)
    _put_sides(s, r, seat, out)
    _put_number(out, _POT, s[at.POT])


@lean
def write_privileged(s, seat, out):
    """Write all that is hidden from ``seat``, for critics in training: ``uint8``, shape ``(PRIVILEGED_SIZE,)``.

    Four blocks of 32 cards: the hands of the next seat, the partner and the previous seat, then the stock that is
    not dealt out yet.
    """
    stock = 0xFFFFFFFF
    for i in range(s[at.PLAYED]):
        stock &= ~(1 << s[at.SEQUENCE + i])
    for other in range(4):
        hand = s[at.HANDS + other]
        stock &= ~hand
        if other != seat:
            spread(hand, out, 32 * (((other - seat) & 3) - 1))
    spread(stock, out, 96)


@lean
def pack_observation(observation, out):
    """Write an observation with its flags packed into bits, lowest first: ``uint8``, shape ``(PACKED_SIZE,)``."""
    for byte in range(0, PACKED_FLAGS, 4):
        flags = min(32, NUM_FLAGS - 8 * byte)
        put_half(out, byte, collect(observation, 8 * byte) & ((1 << flags) - 1))
    copy_bytes(observation[NUM_FLAGS:], out[PACKED_FLAGS:])


@lean
def scale_observation(observation, out):
    """Write an observation divided by ``SCALE``: ``float32``, shape ``(OBSERVATION_SIZE,)``."""
    for i in range(NUM_FLAGS):
        out[i] = observation[i]
    for i in range(NUM_FLAGS, OBSERVATION_SIZE):
        out[i] = observation[i] / SCALE[i]
