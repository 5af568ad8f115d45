"""The order in which the solver tries cards: a weighted guess, tuned to search as few nodes as possible.

Each card falls into one situation; it promises that situation's base, so much for each of its points, for each point
already in the trick and for each card of its suit in the hand. The numbers are the result of a random hill climb on the
nodes of zero-window searches of random positions around their true value.
"""

from __future__ import annotations

import numpy as np

from belote_env.cards import NO_TRUMPS
from belote_env.engine.bits import popcount
from belote_env.engine.jit import hot
from belote_env.engine.tables import BEATS, HIGHER, SUIT_MASKS
from belote_env.solver.tables import POINTS

# Cards led.
(
    DRAW_TRUMPS, LAST_TRUMPS, TRUMP_TO_PARTNER, LOW_TRUMP, TO_BE_RUFFED, MASTER, FOR_A_RUFF, TO_PARTNER,
    TOWARDS_PARTNER, LOSER,
) = range(10)  # fmt: skip
# Cards of the last to play; a card that leaves the trick may be of another suit than the one led.
LAST_WINS, LAST_OVERTAKES, LAST_GIVES, LAST_LOSES, LAST_GIVES_OTHER, LAST_LOSES_OTHER = range(10, 16)
# Cards of the second to play, and, _THIRD further on, of the third.
(
    WINS, WINS_AT_RISK, OVERTAKES, OVERTAKES_AT_RISK, GIVES, GIVES_OTHER, LOSES, LOSES_OTHER, PARTNER_CAN_WIN,
    PARTNER_CAN_WIN_OTHER,
) = range(16, 26)  # fmt: skip
_THIRD = 10

_WEIGHTS = np.array(
    [
        # A trump suit.
        [
            [189, 0, 0, 0],  # a master trump while opponents have trumps
            [-116, 1, 0, 0],  # a master trump when they have none
            [-108, -3, 0, 0],  # a trump that only the partner can beat
            [149, -10, 0, 0],  # any other trump
            [103, -5, 0, -15],  # a suit that an opponent can ruff
            [177, 6, 0, 0],  # a master of a plain suit
            [195, 3, 0, 0],  # a suit that the partner can ruff
            [139, 10, 0, 0],  # a card that only the partner can beat
            [45, -8, 0, 0],  # a card that the partner can beat, among others
            [2, -2, 0, 0],  # any other lead
            [100, -2, 1, 0],  # last to play: takes the trick from the opponents
            [-20, -2, 0, 0],  # last to play: takes it from the partner
            [50, 3, 0, 0],  # last to play: leaves it to the partner
            [0, -3, 0, 0],  # last to play: leaves it to the opponents
            [50, 3, 0, 0],  # the same two with a card of another suit
            [0, -3, 0, 0],
            [150, 0, 1, 0],  # second to play: beats the opponents, and the next player cannot beat it
            [40, -4, 0, 0],  # second to play: beats the opponents, but the next player can beat it
            [20, 0, 0, 0],  # second to play: beats the partner, and the next player cannot beat it
            [-119, -19, 0, 0],  # second to play: beats the partner, but the next player can beat it
            [60, 0, 0, 0],  # second to play: leaves it to the partner, whom the next player cannot beat
            [60, 0, 0, 0],  # the same with a card of another suit
            [-179, -7, 0, 0],  # second to play: leaves it to the opponents
            [-179, -7, 0, 0],  # the same with a card of another suit
            [-2, 0, 0, -15],  # second to play: leaves it to the opponents, whom the partner can beat
            [-2, 0, 0, 0],  # the same with a card of another suit
            [150, 0, 1, 0],  # third to play: beats the opponents, and the next player cannot beat it
            [40, -4, 0, 0],  # third to play: beats the opponents, but the next player can beat it
            [20, 0, 0, 0],  # third to play: beats the partner, and the next player cannot beat it
            [-119, -19, 0, 0],  # third to play: beats the partner, but the next player can beat it
            [60, 0, 0, -15],  # third to play: leaves it to the partner, whom the next player cannot beat
            [60, 4, 0, 0],  # the same with a card of another suit
            [-179, -7, 0, 0],  # third to play: leaves it to the opponents
            [-179, -7, 0, 0],  # the same with a card of another suit
        ],
        # No trumps, all trumps: nothing is ruffed, and no suit is drawn.
        [
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [177, 10, 0, -15],
            [0, 0, 0, 0],
            [89, 10, 0, 0],
            [45, -8, 0, 0],
            [2, -2, 0, -15],
            [100, -2, 1, 0],
            [-20, -2, 0, 0],
            [50, 3, 0, 0],
            [0, -3, 0, 0],
            [50, -5, 0, -15],
            [0, -3, 0, 0],
            [150, -4, 1, 0],
            [40, -4, 0, 0],
            [20, 0, 0, 0],
            [-119, -19, 0, 0],
            [60, 0, 0, 0],
            [60, 0, 0, 0],
            [-179, -7, 0, 0],
            [-179, -7, 0, 0],
            [-2, 0, 0, 0],
            [-2, -4, 0, 0],
            [150, 0, 1, 0],
            [40, -4, 0, 0],
            [20, 0, 0, 0],
            [-119, -19, 0, 0],
            [60, 0, 0, 0],
            [60, 0, 0, 0],
            [-179, -7, 0, 0],
            [-179, -7, 0, 0],
        ],
    ],
    dtype=np.int64,
)
"""``[0 or 1, situation, term]``: base, per point of the card, per point in the trick, per card of the suit held."""


@hot
def _lead(card, left, partner, right, denomination):
    """Return the situation of a card led."""
    suit = SUIT_MASKS[card >> 3]
    opponents = left | right
    stronger = HIGHER[denomination, card]
    if card >> 3 == denomination:
        if not stronger & (opponents | partner):
            return DRAW_TRUMPS if opponents & suit else LAST_TRUMPS
        return LOW_TRUMP if stronger & opponents else TRUMP_TO_PARTNER
    trumps = SUIT_MASKS[denomination] if denomination < NO_TRUMPS else 0
    if (left & trumps and not left & suit) or (right & trumps and not right & suit):
        return TO_BE_RUFFED
    if not stronger & (opponents | partner):
        return MASTER
    if partner & trumps and not partner & suit:
        return FOR_A_RUFF
    if not stronger & opponents:
        return TO_PARTNER
    return TOWARDS_PARTNER if stronger & partner else LOSER


@hot
def _can_beat(best, hand, suit, denomination):
    """Return the cards of a hand that beat ``best`` in a trick of that suit, as far as it may play them."""
    beats = BEATS[denomination, best] & hand
    return beats & suit if hand & suit else beats


@hot
def _follow(card, left, partner, count, lead, best, ours, denomination):
    """Return the situation of a card that follows; ``ours``: the partner is winning."""
    wins = BEATS[denomination, best] >> card & 1
    other = card >> 3 != lead
    if count == 3:
        if wins:
            return LAST_OVERTAKES if ours else LAST_WINS
        return (LAST_GIVES if ours else LAST_LOSES) + 2 * other
    suit = SUIT_MASKS[lead & 3]
    threat = _can_beat(card if wins else best, left, suit, denomination)
    if wins:
        situation = (OVERTAKES if ours else WINS) + (threat != 0)
    elif ours and not threat:
        situation = GIVES + other
    elif count == 1 and _can_beat(best, partner, suit, denomination):
        return PARTNER_CAN_WIN + other
    else:
        situation = LOSES + other
    return situation if count == 1 else situation + _THIRD


@hot
def promise(card, hand, left, partner, right, count, lead, best, ours, trick, denomination, row):
    """Return how promising a card is, compared with others of the same hand.

    Args:
        card: to be played.
        hand: that it is in.
        left: hand of the next player; ``partner`` and ``right`` likewise.
        partner: see above.
        right: see above.
        count: cards on the table.
        lead: suit led, if there are any.
        best: card that is winning the trick.
        ours: whether it is the partner's.
        trick: points on the table.
        denomination: of the contract.
        row: of ``POINTS``.
    """
    if count == 0:
        situation = _lead(card, left, partner, right, denomination)
    else:
        situation = _follow(card, left, partner, count, lead, best, ours, denomination)
    weights = 1 if denomination >= NO_TRUMPS else 0
    return (
        _WEIGHTS[weights, situation, 0]
        + _WEIGHTS[weights, situation, 1] * POINTS[row, card]
        + _WEIGHTS[weights, situation, 2] * trick
        + _WEIGHTS[weights, situation, 3] * popcount(hand & SUIT_MASKS[card >> 3])
    )
