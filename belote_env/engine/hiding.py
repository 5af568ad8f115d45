"""What one seat may know of a state: everything else blanked. Observations and agents see only this (rules §5).

One thing follows from acting in turn and cannot be hidden: with ``announce="choose"``, that a seat acts twice
tells that it was asked. What it answered is hidden wherever the rules hide it.
"""

from __future__ import annotations

from belote_env.engine.declarations import declaration_kind, declaration_points
from belote_env.engine.jit import hot, inner, lean
from belote_env.engine.layout import (
    ANNOUNCE,
    ANNOUNCED,
    BELOTE,
    CALLED,
    CONTEST,
    DEALT,
    DECLARATIONS,
    DECLARED,
    HANDS,
    LEADERS,
    NONE,
    OVER,
    PACK,
    PAIR,
    PHASE,
    PLAY,
    PLAYED,
    RNG,
    SEAT,
    SHOWN,
)
from belote_env.engine.memory import copy_state
from belote_env.engine.options import DETAIL_KIND_TOP, R_ANNOUNCE_DETAIL

# Bits of a declaration: its kind, and the rank of its top card.
_KIND_BITS = 7
_KIND_TOP_BITS = 63


@inner
def _announced_publicly(s, seat):
    """Return whether ``seat`` has announced with a first card that is on the table."""
    return s[ANNOUNCED + seat] == 1 and (seat - s[LEADERS]) & 3 < s[PLAYED]


@inner
def _opponent_announced(s, seat, kind):
    """Return whether an opponent of ``seat`` has announced a declaration of this kind too."""
    for opponent in ((seat + 1) & 3, (seat + 3) & 3):
        if _announced_publicly(s, opponent):
            for i in range(2):
                if declaration_kind(s[DECLARATIONS + 2 * opponent + i]) == kind:
                    return True
    return False


@inner
def _public_declaration(s, r, seat, i):
    """Return what the table knows of the declaration ``i`` of ``seat``: all, kind and top rank, kind, or nothing."""
    declaration = s[DECLARATIONS + 2 * seat + i]
    if s[SHOWN + seat]:
        return declaration
    kind = declaration_kind(declaration)
    best_of_kind = i == 0 or declaration_kind(s[DECLARATIONS + 2 * seat]) != kind
    if r[R_ANNOUNCE_DETAIL] == DETAIL_KIND_TOP and best_of_kind and _opponent_announced(s, seat, kind):
        return declaration & _KIND_TOP_BITS
    return declaration & _KIND_BITS


@hot
def known_announced(s, seat, other):
    """Return ``ANNOUNCED`` of ``other`` as ``seat`` knows it."""
    return s[ANNOUNCED + other] if other == seat or (other - s[LEADERS]) & 3 < s[PLAYED] else NONE


@inner
def known_declaration(s, r, seat, other, i):
    """Return the declaration ``i`` of ``other`` as ``seat`` knows it."""
    if other == seat:
        return s[DECLARATIONS + 2 * other + i]
    return _public_declaration(s, r, other, i) if _announced_publicly(s, other) else 0


@hot
def known_declared(s, r, seat, team):
    """Return ``DECLARED`` of ``team`` as ``seat`` knows it: all once they lie open, till then what is open or own."""
    if r[R_ANNOUNCE_DETAIL] != DETAIL_KIND_TOP or s[CONTEST] != team or s[PHASE] == OVER:
        return s[DECLARED + team]
    total = 0
    for member in range(team, 4, 2):
        if s[ANNOUNCED + member] == 1 and (s[SHOWN + member] or member == seat):
            for i in range(2):
                total += declaration_points(s[DECLARATIONS + 2 * member + i])
    return total


@hot
def known_phase(s, seat):
    """Return ``PHASE`` as ``seat`` knows it: what another seat is asked is between it and the table."""
    asked = s[PHASE] == ANNOUNCE or s[PHASE] == BELOTE
    return PLAY if asked and s[SEAT] != seat else s[PHASE]


@lean
def hide(s, r, seat, out):
    """Copy state ``s`` into ``out`` without what ``seat`` does not know; hidden entries read 0 or NONE.

    Of the hands that the others were dealt, the cards played are left.
    """
    copy_state(s, out)
    out[RNG] = 0
    for i in range(PACK, PACK + 32):
        out[i] = NONE
    for other in range(4):
        out[ANNOUNCED + other] = known_announced(s, seat, other)
        for i in range(2):
            out[DECLARATIONS + 2 * other + i] = known_declaration(s, r, seat, other, i)
        if other != seat:
            out[DEALT + other] &= ~s[HANDS + other]
            out[HANDS + other] = 0
    for team in range(2):
        out[DECLARED + team] = known_declared(s, r, seat, team)
    for suit in range(4):
        if s[PAIR + suit] != seat and s[CALLED + suit] <= 0:
            out[PAIR + suit] = NONE
            out[CALLED + suit] = 0
    out[PHASE] = known_phase(s, seat)
