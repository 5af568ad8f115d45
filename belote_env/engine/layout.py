"""The state of one match as a fixed block of ``int64``: the name of every entry, and the numbers used in it.

A name that stands for several entries is the index of the first. "Team" is ``seat & 1``. A mask has bit ``card``
set for each card in it. ``NONE`` means "not yet" or "nobody".
"""

from __future__ import annotations

NONE = -1

# Phases.
AUCTION, ANNOUNCE, PLAY, BELOTE, OVER = range(5)
PHASE_NAMES = ("auction", "announce", "play", "belote", "over")

# Actions (their text: belote_env.actions).
PASS, COINCHE, SURCOINCHE, ANNOUNCE_YES, SILENT, BELOTE_YES = range(32, 38)
TAKE = 38
BID = 42
BID_TRICKS = 120
NUM_ACTIONS = 174
NUM_DENOMINATIONS = 6

# Rungs of the ladder of bids. A number of tricks n has the rung n - 1; capot is the same rung in both auctions.
RUNG_NAMES = ("80", "90", "100", "110", "120", "130", "140", "150", "160", "170", "180", "capot", "generale")
NUM_RUNGS = 13
CAPOT, GENERALE = 11, 12

# Winner of a match.
DRAW = 2

# Whether the contract was made.
FAILED, MADE = 0, 1

# Entries of the state: each name is an index, and the next one says how many entries it stands for.
PHASE = 0
SEAT = PHASE + 1  # seat to act
DEALER = SEAT + 1
RNG = DEALER + 1  # random number generator (rng.py)

# The deal.
PACK = RNG + 1  # cards in the order in which they are dealt
HANDS = PACK + 32  # mask a seat: cards still in hand
DEALT = HANDS + 4  # mask a seat: hand before the first trick (before the auction until then)
TURNED = DEALT + 4  # card turned up, or NONE

# The auction.
PASSES = TURNED + 1  # passes since the last bid, or since the start; answers to a coinche once there is one
LADDER = PASSES + 1  # rung -> 1 + seat + 4 * denomination of the bid made there, 0 for none
TAKER = LADDER + 13  # seat that holds the contract
RUNG = TAKER + 1  # of the contract; NONE in the turned-card auction
DENOMINATION = RUNG + 1  # of the contract
DOUBLED = DENOMINATION + 1  # 1, 2, 4
COINCHER = DOUBLED + 1
SURCOINCHER = COINCHER + 1

# The play.
VALUES = SURCOINCHER + 1  # row of tables.CARD_POINTS in force
PLAYED = VALUES + 1  # number of cards played, 0..32
SEQUENCE = PLAYED + 1  # the cards in the order played
LEADERS = SEQUENCE + 32  # leader of each trick; the entry after it is the winner
BEST = LEADERS + 9  # winning card of the trick in progress, or NONE
BEST_SEAT = BEST + 1
EXCLUDED = BEST_SEAT + 1  # mask a seat: cards that its plays prove it does not hold
KNOWN = EXCLUDED + 4  # mask a seat: cards in hand that the whole table knows of
TRICKS = KNOWN + 4  # tricks a team
POINTS = TRICKS + 2  # card points a team; with last trick or capot once the deal is over

# Declarations (declarations.py packs each into one integer).
DECLARATIONS = POINTS + 2  # two a seat, best first, 0 for none
ANNOUNCED = DECLARATIONS + 8  # a seat: NONE until its first card, then 1 announced, 0 silent or nothing to say
SHOWN = ANNOUNCED + 4  # mask a seat: declaration cards laid open
CONTEST = SHOWN + 4  # team that owns the best declaration, known once the first trick is complete
DECLARED = CONTEST + 1  # points of declarations a team; after the capot column once the deal is over

# Belote.
PAIR = DECLARED + 2  # a suit: seat dealt the king and queen of it as trumps, or NONE
CALLED = PAIR + 4  # a suit: 0 nothing said, 1 belote, 2 rebelote, NONE kept silent

# Result of the deal.
OUTCOME = CALLED + 4  # MADE, FAILED, or NONE (litige, or no contract)
BELOTE_POINTS = OUTCOME + 1
DEAL_SCORES = BELOTE_POINTS + 2

# The match.
SCORES = DEAL_SCORES + 2
POT = SCORES + 2
WINNER = POT + 1  # 0, 1, DRAW or NONE
DEALS = WINNER + 1  # deals begun
STATE_SIZE = DEALS + 1

MASKS = [first + seat for first in (HANDS, DEALT, EXCLUDED, KNOWN, SHOWN) for seat in range(4)]
"""The entries that are sets of cards, up to 32 bits without a sign."""
