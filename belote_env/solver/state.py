"""The solver on states of the kernel: exact values of the legal cards, for compiled code that solves many deals."""

from __future__ import annotations

from belote_env.cards import ALL_TRUMPS
from belote_env.engine.jit import lean
from belote_env.engine.layout import (
    BELOTE_POINTS,
    DENOMINATION,
    HANDS,
    LEADERS,
    NONE,
    PLAYED,
    POINTS,
    SEQUENCE,
    TRICKS,
    VALUES,
)
from belote_env.engine.options import R_CAPOT_POINTS, R_SCORING, SCORING_ENCHERES, SCORING_MORE_TRICKS
from belote_env.engine.scoring import TOTAL, pairs_in_play
from belote_env.engine.tables import RANK_K, RANK_Q
from belote_env.solver import search
from belote_env.solver.tables import FULL_POINTS, TRICK_ROW

_PAIR = 1 << RANK_K | 1 << RANK_Q


@lean
def read_state(s, r, work):
    """Write the position of a state into the working memory (or any ``int64`` array of ``PROBLEM_SIZE`` entries).

    Args:
        s: state in the phase PLAY, all hands open. Only the cards held and played, the contract's denomination, the
            tricks and points won and the belotes announced are read: nothing that a sampled deal may have stale.
        r: rule vector.
        work: where to write.
    """
    tricks_count = r[R_SCORING] == SCORING_ENCHERES or r[R_SCORING] == SCORING_MORE_TRICKS
    row = TRICK_ROW if tricks_count else s[VALUES]
    trick = s[PLAYED] >> 2
    work[search.LEADER] = s[LEADERS + trick]
    work[search.DENOMINATION] = s[DENOMINATION]
    work[search.ROW] = row
    for turn in range(3):
        work[search.TABLE + turn] = s[SEQUENCE + 4 * trick + turn] if turn < s[PLAYED] & 3 else NONE
    work[search.TOTAL] = 9 if tricks_count else TOTAL
    work[search.CAPOT] = 9 if tricks_count else r[R_CAPOT_POINTS]
    work[search.LEFT_POINTS] = FULL_POINTS[row]
    work[search.SWEEP] = 0
    for team in range(2):
        won = 4 * s[TRICKS + team] if tricks_count else s[POINTS + team]
        work[search.WON + team] = won
        work[search.LEFT_POINTS] -= won
        work[search.BELOTE + team] = s[BELOTE_POINTS + team]
        if not s[TRICKS + 1 - team] and work[search.CAPOT] > work[search.TOTAL]:
            work[search.SWEEP] |= 1 << team
    # A pair of which no card is played will be announced.
    pairs = pairs_in_play(s, r)
    for seat in range(4):
        hand = s[HANDS + seat]
        work[search.HANDS + seat] = hand
        if pairs:
            for suit in range(4):
                if (s[DENOMINATION] == ALL_TRUMPS or s[DENOMINATION] == suit) and hand >> 8 * suit & _PAIR == _PAIR:
                    work[search.BELOTE + (seat & 1)] += 1 if r[R_SCORING] == SCORING_ENCHERES else 20


@lean
def state_card_values(s, r, work, table, values):
    """Write how the deal ends after each legal card, with all hands open and perfect play; return the best value.

    Values are what the rules count: points of the team to act less those of the other at the end of the deal, of cards,
    last trick or capot, and belotes; in games that count tricks, those, the last one twice. Declarations are not in it.

    Args:
        s: state in the phase PLAY, all hands open; see :func:`read_state`.
        r: rule vector.
        work: from ``working_memory()``; one a thread.
        table: from ``table_memory(bits)``, always together with the same ``work``. Nothing is cleared between calls.
            10 bits are plenty for 4 cards a hand, 12 for 5, 16 for 8.
        values: where the values go, ``int64``, 32: UNPLAYABLE for other cards.
    """
    read_state(s, r, work)
    search.begin(work, table)
    best = search.solve_cards(work, r, table, values)
    seat, _ = search.root_cards(work, r)
    for card in range(32):
        if values[card] != search.UNPLAYABLE:
            values[card] = _difference(work, values[card], seat & 1)
    return _difference(work, best, seat & 1)


@lean
def _difference(work, rest, team):
    return search.side_points(work, rest, team) - search.side_points(work, rest, 1 - team)
