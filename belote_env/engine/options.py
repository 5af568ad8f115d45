"""The options of a rule set as the kernel sees them: one integer each, in a fixed order (rules §7).

``OPTIONS`` is the only list of option names and values. A rule vector is an ``int64`` array with one entry
an option, at the index ``R_<NAME>``: numbers stand for themselves, a set of denominations is a bit mask,
anything else is the position of the value in its tuple here.
"""

from __future__ import annotations

NUMERIC = ("max_bid", "capot_points", "target")

OPTIONS: dict[str, tuple] = {
    "direction": ("anticlockwise", "clockwise"),
    "deal": ("turned", "full", "random_trump"),
    "auction": ("turned", "points", "tricks", "none"),
    "reshuffle": (False, True),
    "denominations": ("S", "H", "D", "C", "NT", "AT"),
    "max_bid": (160, 180),
    "capot_bid": (False, True),
    "generale_bid": (False, True),
    "surcoinche": ("none", "bidder", "both"),
    "overtake_partner": (False, True),
    "undertrump": ("forced", "free"),
    "partner_winning": ("free", "beat_if_trumping", "must_trump"),
    "nt_values": ("ace19", "doubled"),
    "at_values": ("13", "14", "full"),
    "nt_carres": ("plain", "literal"),
    "declarations": (False, True),
    "announce": ("auto", "choose"),
    "announce_detail": ("kind", "kind_top"),
    "declaration_order": ("value", "value_length", "carre_first"),
    "carre_order": ("strength", "natural"),
    "capot_points": (162, 250, 252),
    "capot_declarations": ("lost", "taken", "stay"),
    "made": ("more", "at_least", "cards_82", "bid", "bid_and_more", "bid_and_82", "tricks", "none"),
    "scoring": ("each_own", "coinche", "contree", "announced", "made", "made_announced", "encheres", "more_tricks"),
    "rounding": ("none", "ten"),
    "failed_capot_defence": (False, True),
    "litige": ("none", "next_winner", "next_made"),
    "litige_belote": ("kept", "pot"),
    "match_end": ("higher", "draw", "higher_last_winner", "last_takers"),
    "validate_target": (False, True),
    "target": (),
}
OPTION_NAMES = tuple(OPTIONS)
RULES_SIZE = len(OPTION_NAMES)

(
    R_DIRECTION, R_DEAL, R_AUCTION, R_RESHUFFLE, R_DENOMINATIONS, R_MAX_BID, R_CAPOT_BID, R_GENERALE_BID,
    R_SURCOINCHE, R_OVERTAKE_PARTNER, R_UNDERTRUMP, R_PARTNER_WINNING, R_NT_VALUES, R_AT_VALUES, R_NT_CARRES,
    R_DECLARATIONS, R_ANNOUNCE, R_ANNOUNCE_DETAIL, R_DECLARATION_ORDER, R_CARRE_ORDER, R_CAPOT_POINTS,
    R_CAPOT_DECLARATIONS, R_MADE, R_SCORING, R_ROUNDING, R_FAILED_CAPOT_DEFENCE, R_LITIGE, R_LITIGE_BELOTE,
    R_MATCH_END, R_VALIDATE_TARGET, R_TARGET,
) = range(RULES_SIZE)  # fmt: skip

DEAL_TURNED, DEAL_FULL, DEAL_RANDOM_TRUMP = range(3)
AUCTION_TURNED, AUCTION_POINTS, AUCTION_TRICKS, AUCTION_NONE = range(4)
SURCOINCHE_NONE, SURCOINCHE_BIDDER, SURCOINCHE_BOTH = range(3)
UNDERTRUMP_FORCED, UNDERTRUMP_FREE = range(2)
PARTNER_FREE, PARTNER_BEAT_IF_TRUMPING, PARTNER_MUST_TRUMP = range(3)
NT_ACE19, NT_DOUBLED = range(2)
AT_13, AT_14, AT_FULL = range(3)
CARRES_PLAIN, CARRES_LITERAL = range(2)
ANNOUNCE_AUTO, ANNOUNCE_CHOOSE = range(2)
DETAIL_KIND, DETAIL_KIND_TOP = range(2)
ORDER_VALUE, ORDER_VALUE_LENGTH, ORDER_CARRE_FIRST = range(3)
CARRES_BY_STRENGTH, CARRES_NATURAL = range(2)
CAPOT_D_LOST, CAPOT_D_TAKEN, CAPOT_D_STAY = range(3)
MADE_MORE, MADE_AT_LEAST, MADE_CARDS_82, MADE_BID, MADE_BID_AND_MORE, MADE_BID_AND_82, MADE_TRICKS, MADE_NONE = range(8)
(
    SCORING_EACH_OWN, SCORING_COINCHE, SCORING_CONTREE, SCORING_ANNOUNCED, SCORING_MADE, SCORING_MADE_ANNOUNCED,
    SCORING_ENCHERES, SCORING_MORE_TRICKS,
) = range(8)  # fmt: skip
ROUNDING_NONE, ROUNDING_TEN = range(2)
LITIGE_NONE, LITIGE_NEXT_WINNER, LITIGE_NEXT_MADE = range(3)
LITIGE_BELOTE_KEPT, LITIGE_BELOTE_POT = range(2)
END_HIGHER, END_DRAW, END_HIGHER_LAST_WINNER, END_LAST_TAKERS = range(4)
