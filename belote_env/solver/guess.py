"""A first guess at the value of a position: who holds the strong cards. It only decides where the search begins."""

from __future__ import annotations

import numpy as np

from belote_env.cards import ALL_TRUMPS, NO_TRUMPS
from belote_env.engine.bits import lowest
from belote_env.engine.jit import inner
from belote_env.engine.tables import STRENGTH

_POINTS = 162

# By strength in its suit, what a card is worth more than a low plain one to its side, in points of 162: the least
# squares fit over solved deals, which leaves an error of 17 points.
_WORTH = np.array(
    [
        [0, 0, 0, 0, 0, 1, 4, 12],  # plain suits beside a trump suit
        [8, 8, 9, 9, 11, 14, 18, 31],  # the trump suit
        [0, 0, 1, 0, 0, 1, 6, 20],  # no trumps
        [1, 0, 0, 0, 1, 1, 6, 19],  # all trumps
    ],
    dtype=np.int64,
)
_LEAD = 8


@inner
def guess_rest(mine, theirs, leads, denomination, rest):
    """Return about how much of ``rest`` the side with the cards ``mine`` takes; ``leads`` is 1 if it leads, else -1."""
    worth = _LEAD * leads
    cards = mine | theirs
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if denomination == NO_TRUMPS:
            kind = 2
        elif denomination == ALL_TRUMPS:
            kind = 3
        else:
            kind = 1 if card >> 3 == denomination else 0
        points = _WORTH[kind, STRENGTH[denomination, card]]
        worth += points if mine >> card & 1 else -points
    return max(0, min(rest, rest // 2 + worth * rest // _POINTS))
