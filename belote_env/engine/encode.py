"""Writing observations: the compiled half of ``features.py``."""

from __future__ import annotations

import numpy as np

from belote_env.engine import layout as at
from belote_env.engine.bits import spread
from belote_env.engine.declarations import declaration_kind, declaration_points, declaration_top
from belote_env.engine.jit import inner, lean
from belote_env.engine.layout import NONE
from belote_env.engine.options import R_CAPOT_POINTS, R_MAX_BID, R_TARGET
from belote_env.features import NUM_FLAGS, OBSERVATION_SIZE, OFFSETS, PACKED_FLAGS

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
    # The ladder is empty above the last bid.
    for rung in range(v[at.RUNG] + 1):
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


@inner
def _put_inferences(v, seat, out):
    """Write what the play has proved or shown of each hand."""
    for other in range(4):
        to = (other - seat) & 3
        excluded = v[at.EXCLUDED + other]
        _put_cards(out, _KNOWN + 32 * to, v[at.KNOWN + other])
        _put_cards(out, _SHOWN + 32 * to, v[at.SHOWN + other])
        if excluded:
            spread(excluded, out, _EXCLUDED + 32 * to)
            for suit in range(4):
                out[_VOID + 4 * to + suit] = excluded >> (8 * suit) & 0xFF == 0xFF


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
    if v[at.DENOMINATION] != NONE:
        _put_inferences(v, seat, out)
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
