"""What a seat knows of the hidden cards, as a plan from which worlds are drawn: see worlds.py.

Plays leave, for each other hand, cards that it must hold and cards that it may hold; so deals can be counted
(world_counts.py). An announced declaration would be met by few of these deals. So every place where announced
declarations can lie gets a row of its own, in which their cards are forced: a hand declares in one way only, so no deal
belongs to two rows. What rows cannot express, such as that a hand makes no declaration, is left to rejection.

A plan is one ``int64`` array, made by :func:`plan_memory`. The three other seats are hands 0, 1, 2 in order of play
after the own one.
"""

from __future__ import annotations

import numpy as np

from agents.world_counts import COUNTS_END, COUNTS_ROW_END, count_ways, set_hand
from belote_env.cards import FULL_PACK
from belote_env.engine.bits import popcount
from belote_env.engine.declarations import best_declarations, settle_contest
from belote_env.engine.hiding import hide
from belote_env.engine.jit import inner, lean
from belote_env.engine.layout import (
    ANNOUNCED,
    AUCTION,
    BEST,
    CONTEST,
    DECLARATIONS,
    DENOMINATION,
    EXCLUDED,
    HANDS,
    KNOWN,
    LEADERS,
    NONE,
    OVER,
    PHASE,
    PLAY,
    PLAYED,
    SEAT,
    SEQUENCE,
    STATE_SIZE,
    TURNED,
)
from belote_env.engine.options import ANNOUNCE_AUTO, AUCTION_TURNED, R_ANNOUNCE, R_AUCTION, R_DECLARATIONS
from belote_env.engine.tables import RANK_K, RANK_Q

MAX_ROWS = 4096
MAX_CANDIDATES = 512
"""Ways to hold announced declarations; a tierce and a cinquante can lie in fewer than 24 * 20."""


def _groups() -> np.ndarray:
    sequences = [
        ((1 << length) - 1) << (8 * suit + bottom)
        for suit in range(4)
        for length in range(3, 9)
        for bottom in range(9 - length)
    ]
    carres = [0x01010101 << rank for rank in range(8)]
    return np.array([0, *sequences, *carres], dtype=np.int64)


def _neighbours(group: int) -> int:
    """Return the cards that would make a sequence longer; a carré has none."""
    suit = next((0xFF << (8 * suit) for suit in range(4) if group & ~(0xFF << (8 * suit)) == 0), 0)
    return (group << 1 | group >> 1) & suit & ~group


_GROUPS = _groups()
"""``[group]``: mask of the cards of one declaration; the first is none."""

_NEIGHBOURS = np.array([_neighbours(int(group)) for group in _GROUPS], dtype=np.int64)
"""``[group]``: mask of the cards next to it, which its holder lacks unless they are of his other declaration."""

# Entries of a plan, after those of world_counts.
WAYS = COUNTS_END  # how many deals the rows allow together
NUM_ROWS = WAYS + 1
PLAYED_BY = NUM_ROWS + 1  # mask a hand: cards that it has played
SIZE = PLAYED_BY + 3  # a hand: how many cards it holds
HOLDS = SIZE + 3  # mask a hand: cards that it is known to hold
MAY_HOLD = HOLDS + 3  # mask a hand: cards that it may hold besides
BITS = MAY_HOLD + 3  # two a hand: the bits that are known of its declarations
_UNSEEN = BITS + 6  # mask: cards in no place that is known
_COUNTS = _UNSEEN + 1  # a hand: how many candidates it has
_SINGLE = _COUNTS + 3  # a group: the declaration that its cards alone make
_PROBE = _SINGLE + len(_GROUPS)  # two states
_CANDIDATES = _PROBE + 2 * STATE_SIZE

# Entries of a candidate.
_CARDS = 0  # mask: the cards of the declarations
_BARRED = 1  # mask: cards that the hand lacks then
_DECLARED = 2  # the two declarations
_CANDIDATE_SIZE = 4

ROWS = _CANDIDATES + 3 * MAX_CANDIDATES * _CANDIDATE_SIZE

# Entries of a row, after those of world_counts.
WAYS_TO_HERE = COUNTS_ROW_END  # ways in this row and those before
WANTED = WAYS_TO_HERE + 1  # two a hand: its declarations, as far as BITS goes
ROW_SIZE = WANTED + 6

_PLAN_SIZE = ROWS + MAX_ROWS * ROW_SIZE


def plan_memory() -> np.ndarray:
    """Return the memory of a plan for :func:`prepare` and ``draw``: ``int64``, one dimension, C-contiguous."""
    return np.zeros(_PLAN_SIZE, dtype=np.int64)


@lean
def asked_about_belote(hidden: np.ndarray) -> bool:
    """Return whether the seat to act is another that has just played a card of its pair: it is asked what to say.

    Its turn has not ended with its card, which gives it away.
    """
    if hidden[PHASE] != PLAY or hidden[BEST] == NONE:
        return False
    last = hidden[PLAYED] - 1
    return (hidden[LEADERS + last // 4] + last) & 3 == hidden[SEAT]


@lean
def contest_settled(hidden: np.ndarray) -> bool:
    """Return whether the first trick has been closed."""
    return hidden[PLAYED] > 4 or (hidden[PLAYED] == 4 and hidden[BEST] == NONE)


@inner
def _read_cards(hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray) -> None:
    """Write which cards each hand has played, holds and may hold."""
    turned_auction = hidden[PHASE] == AUCTION and r[R_AUCTION] == AUCTION_TURNED
    played_by_me = 0
    for hand in range(3):
        plan[PLAYED_BY + hand] = 0
    for i in range(hidden[PLAYED]):
        card = 1 << hidden[SEQUENCE + i]
        hand = (hidden[LEADERS + i // 4] + i - seat - 1) & 3
        if hand == 3:
            played_by_me |= card
        else:
            plan[PLAYED_BY + hand] |= card
    unseen = FULL_PACK & ~(hidden[HANDS + seat] | played_by_me)
    if turned_auction:
        unseen &= ~(1 << hidden[TURNED])
    for hand in range(3):
        other = (seat + 1 + hand) & 3
        plan[HOLDS + hand] = hidden[KNOWN + other]
        if asked_about_belote(hidden) and hidden[SEAT] == other:
            plan[HOLDS + hand] |= 1 << (hidden[SEQUENCE + hidden[PLAYED] - 1] ^ (RANK_Q ^ RANK_K))
        plan[SIZE + hand] = 5 if turned_auction else 8 - popcount(plan[PLAYED_BY + hand])
        unseen &= ~(plan[PLAYED_BY + hand] | plan[HOLDS + hand])
    plan[_UNSEEN] = unseen
    for hand in range(3):
        plan[MAY_HOLD + hand] = unseen & ~hidden[EXCLUDED + ((seat + 1 + hand) & 3)]


@inner
def _read_bits(hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray) -> None:
    """Write which bits of the others' declarations are known: hide() itself tells, by what it lets through."""
    for i in range(6):
        plan[BITS + i] = 0
    if not r[R_DECLARATIONS] or hidden[PHASE] == AUCTION:
        return
    probe, seen = plan[_PROBE : _PROBE + STATE_SIZE], plan[_PROBE + STATE_SIZE : _PROBE + 2 * STATE_SIZE]
    for i in range(STATE_SIZE):
        probe[i] = hidden[i]
    for hand in range(3):
        other = (seat + 1 + hand) & 3
        for i in range(2):
            if hidden[ANNOUNCED + other] == 1:
                probe[DECLARATIONS + 2 * other + i] |= ~7
    hide(probe, r, seat, seen)
    for hand in range(3):
        other = (seat + 1 + hand) & 3
        for i in range(2):
            if hidden[ANNOUNCED + other] == 1:
                plan[BITS + 2 * hand + i] = seen[DECLARATIONS + 2 * other + i] | 7
            elif hidden[ANNOUNCED + other] == 0 and r[R_ANNOUNCE] == ANNOUNCE_AUTO:
                plan[BITS + 2 * hand + i] = -1


@inner
def _one_candidate(hidden: np.ndarray, seat: int, plan: np.ndarray, hand: int) -> None:
    """Leave it to rejection where the declarations of ``hand`` lie."""
    other = (seat + 1 + hand) & 3
    at = _CANDIDATES + hand * MAX_CANDIDATES * _CANDIDATE_SIZE
    plan[at + _CARDS] = plan[at + _BARRED] = 0
    plan[at + _DECLARED] = hidden[DECLARATIONS + 2 * other]
    plan[at + _DECLARED + 1] = hidden[DECLARATIONS + 2 * other + 1]
    plan[_COUNTS + hand] = 1


@inner
def _list_candidates(hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray, hand: int) -> None:
    """List where the announced declarations of ``hand`` can lie."""
    first_known = DECLARATIONS + 2 * ((seat + 1 + hand) & 3)
    pair = plan[_PROBE : _PROBE + 2]
    dealt = plan[PLAYED_BY + hand] | plan[HOLDS + hand]
    lacking = ~(dealt | plan[MAY_HOLD + hand])
    count = 0
    for g in range(len(_GROUPS)):
        first = plan[_SINGLE + g]
        if _GROUPS[g] & lacking or (first ^ hidden[first_known]) & plan[BITS + 2 * hand]:
            continue
        for h in range(len(_GROUPS)):
            second = plan[_SINGLE + h]
            if (second ^ hidden[first_known + 1]) & plan[BITS + 2 * hand + 1] or (second == 0 and h > 0):
                continue
            cards = _GROUPS[g] | _GROUPS[h]
            barred = (_NEIGHBOURS[g] | _NEIGHBOURS[h]) & ~cards
            if _GROUPS[h] & (lacking | _GROUPS[g]) or barred & dealt or popcount(cards) > 8:
                continue
            best_declarations(cards, hidden[DENOMINATION], r, pair)
            if pair[0] == first and pair[1] == second:
                at = _CANDIDATES + (hand * MAX_CANDIDATES + count) * _CANDIDATE_SIZE
                plan[at + _CARDS], plan[at + _BARRED] = cards, barred
                plan[at + _DECLARED], plan[at + _DECLARED + 1] = first, second
                count += 1
    plan[_COUNTS + hand] = count


@inner
def _find_candidates(hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray) -> None:
    """List the candidates of all hands."""
    placed = False
    for hand in range(3):
        if hidden[ANNOUNCED + ((seat + 1 + hand) & 3)] != 1:
            _one_candidate(hidden, seat, plan, hand)
            continue
        if not placed:
            placed = True
            pair = plan[_PROBE : _PROBE + 2]
            for g in range(len(_GROUPS)):
                best_declarations(_GROUPS[g], hidden[DENOMINATION], r, pair)
                plan[_SINGLE + g] = pair[0]
        _list_candidates(hidden, r, seat, plan, hand)


@inner
def _give_up_most(hidden: np.ndarray, seat: int, plan: np.ndarray) -> None:
    """Leave to rejection the hand that has the most candidates."""
    most = 0
    for hand in range(1, 3):
        if plan[_COUNTS + hand] > plan[_COUNTS + most]:
            most = hand
    _one_candidate(hidden, seat, plan, most)


@inner
def _add_row(hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray, a: int, b: int, c: int) -> None:
    """Add the row in which the three hands hold the candidates at ``a``, ``b``, ``c``, if any deal has them."""
    row = ROWS + plan[NUM_ROWS] * ROW_SIZE
    free = plan[_UNSEEN]
    for hand in range(3):
        at = a if hand == 0 else b if hand == 1 else c
        needed = plan[at + _CARDS] & ~(plan[PLAYED_BY + hand] | plan[HOLDS + hand])
        free &= ~needed
        set_hand(plan, row, hand, needed | plan[HOLDS + hand], plan[SIZE + hand])
        plan[row + WANTED + 2 * hand] = plan[at + _DECLARED]
        plan[row + WANTED + 2 * hand + 1] = plan[at + _DECLARED + 1]
    ways = count_ways(
        plan,
        row,
        free,
        free & plan[MAY_HOLD] & ~plan[a + _BARRED],
        free & plan[MAY_HOLD + 1] & ~plan[b + _BARRED],
        free & plan[MAY_HOLD + 2] & ~plan[c + _BARRED],
    )
    if ways:
        plan[WAYS] += ways
        plan[row + WAYS_TO_HERE] = plan[WAYS]
        plan[NUM_ROWS] += 1


@inner
def _contest_agrees(hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray, a: int, b: int, c: int) -> bool:
    """Return whether these candidates, all placed, let the contest end as it did."""
    probe = plan[_PROBE : _PROBE + STATE_SIZE]
    for hand in range(3):
        at = a if hand == 0 else b if hand == 1 else c
        probe[DECLARATIONS + 2 * ((seat + 1 + hand) & 3)] = plan[at + _DECLARED]
    probe[CONTEST] = NONE
    settle_contest(probe, r)
    return probe[CONTEST] == hidden[CONTEST]


@inner
def _add_rows(hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray, check_contest: bool) -> bool:
    """Add a row for each combination of candidates that is possible; return whether there was room for all."""
    plan[WAYS] = plan[NUM_ROWS] = 0
    probe = plan[_PROBE : _PROBE + STATE_SIZE]
    for i in range(STATE_SIZE):
        probe[i] = hidden[i]
    width = MAX_CANDIDATES * _CANDIDATE_SIZE
    for i in range(plan[_COUNTS]):
        a = _CANDIDATES + i * _CANDIDATE_SIZE
        for j in range(plan[_COUNTS + 1]):
            b = _CANDIDATES + width + j * _CANDIDATE_SIZE
            if plan[a + _CARDS] & plan[b + _CARDS]:
                continue
            for k in range(plan[_COUNTS + 2]):
                c = _CANDIDATES + 2 * width + k * _CANDIDATE_SIZE
                if (plan[a + _CARDS] | plan[b + _CARDS]) & plan[c + _CARDS]:
                    continue
                if check_contest and not _contest_agrees(hidden, r, seat, plan, a, b, c):
                    continue
                if plan[NUM_ROWS] == MAX_ROWS:
                    return False
                _add_row(hidden, r, seat, plan, a, b, c)
    return True


@lean
def prepare(hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray) -> int:
    """Write into ``plan`` all that ``draw`` needs: once for each decision.

    Args:
        hidden: what ``seat`` knows of a deal in progress, as :func:`hide` writes it: ``int64``, ``(STATE_SIZE,)``.
        r: rule vector (``Rules.vector``).
        seat: whose knowledge it is.
        plan: from :func:`plan_memory`; what it held is overwritten.

    Returns:
        How many deals the plays and the announced declarations allow; ``draw`` rejects those of them that make
        other declarations. 0 if there is none, or the deal is over.
    """
    plan[WAYS] = plan[NUM_ROWS] = 0
    if hidden[PHASE] == OVER:
        return 0
    _read_cards(hidden, r, seat, plan)
    _read_bits(hidden, r, seat, plan)
    _find_candidates(hidden, r, seat, plan)
    if not _add_rows(hidden, r, seat, plan, r[R_DECLARATIONS] and contest_settled(hidden)):
        _give_up_most(hidden, seat, plan)
        while not _add_rows(hidden, r, seat, plan, False):
            _give_up_most(hidden, seat, plan)
    for hand in range(3):
        # Listed candidates are wanted to the last bit.
        if plan[NUM_ROWS] and plan[_CANDIDATES + hand * MAX_CANDIDATES * _CANDIDATE_SIZE + _CARDS]:
            plan[BITS + 2 * hand] = plan[BITS + 2 * hand + 1] = -1
    return plan[WAYS]
