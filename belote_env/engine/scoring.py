"""From the cards won to the score of the deal, the pot, and the end of the match (rules §7)."""

from __future__ import annotations

from belote_env.cards import ALL_TRUMPS, NO_TRUMPS
from belote_env.engine.jit import inner
from belote_env.engine.layout import (
    BELOTE_POINTS,
    CAPOT,
    CONTEST,
    DEAL_SCORES,
    DECLARED,
    DENOMINATION,
    DOUBLED,
    DRAW,
    FAILED,
    GENERALE,
    LEADERS,
    MADE,
    NONE,
    OUTCOME,
    POINTS,
    POT,
    RUNG,
    SCORES,
    TAKER,
    TRICKS,
    WINNER,
)
from belote_env.engine.options import (
    AT_FULL,
    AUCTION_TRICKS,
    AUCTION_TURNED,
    CAPOT_D_STAY,
    CAPOT_D_TAKEN,
    END_DRAW,
    END_HIGHER_LAST_WINNER,
    END_LAST_TAKERS,
    LITIGE_BELOTE_POT,
    LITIGE_NEXT_WINNER,
    LITIGE_NONE,
    MADE_AT_LEAST,
    MADE_BID_AND_82,
    MADE_BID_AND_MORE,
    MADE_CARDS_82,
    NT_DOUBLED,
    R_AT_VALUES,
    R_AUCTION,
    R_CAPOT_DECLARATIONS,
    R_CAPOT_POINTS,
    R_FAILED_CAPOT_DEFENCE,
    R_LITIGE,
    R_LITIGE_BELOTE,
    R_MADE,
    R_MATCH_END,
    R_NT_VALUES,
    R_ROUNDING,
    R_SCORING,
    R_TARGET,
    R_VALIDATE_TARGET,
    ROUNDING_TEN,
    SCORING_ANNOUNCED,
    SCORING_COINCHE,
    SCORING_CONTREE,
    SCORING_EACH_OWN,
    SCORING_ENCHERES,
    SCORING_MADE,
    SCORING_MADE_ANNOUNCED,
    SCORING_MORE_TRICKS,
)

TOTAL = 162


@inner
def last_trick_points(s, r):
    """Return what the last trick is worth, before any scaling."""
    return 20 if s[DENOMINATION] == NO_TRUMPS and r[R_NT_VALUES] == NT_DOUBLED else 10


@inner
def _scaled(points, scale):
    """Return ``points`` times 162 / scale, to the nearest whole point (a half cannot occur below 162)."""
    return (2 * points * TOTAL + scale) // (2 * scale)


@inner
def count_cards(s, r):
    """Add the last trick, scale where the values need it, or replace all by the capot."""
    s[POINTS + (s[LEADERS + 8] & 1)] += last_trick_points(s, r)
    for team in range(2):
        if s[TRICKS + team] == 8:
            s[POINTS + team] = r[R_CAPOT_POINTS]
            return
    scale = TOTAL
    if s[DENOMINATION] == NO_TRUMPS and r[R_NT_VALUES] == NT_DOUBLED:
        scale = 260
    elif s[DENOMINATION] == ALL_TRUMPS and r[R_AT_VALUES] == AT_FULL:
        scale = 258
    if scale != TOTAL:
        team = s[TAKER] & 1
        s[POINTS + team] = _scaled(s[POINTS + team], scale)
        s[POINTS + 1 - team] = TOTAL - s[POINTS + team]


@inner
def count_declarations(s, r):
    """Void or move the declarations when one side took no trick."""
    for team in range(2):
        if s[TRICKS + team] == 0 and s[CONTEST] == team:
            if r[R_CAPOT_DECLARATIONS] == CAPOT_D_TAKEN:
                s[DECLARED + 1 - team] = s[DECLARED + team]
            if r[R_CAPOT_DECLARATIONS] != CAPOT_D_STAY:
                s[DECLARED + team] = 0


@inner
def pairs_in_play(s, r):
    """Return whether king and queen of trumps are worth anything under this contract."""
    if r[R_SCORING] == SCORING_MORE_TRICKS or s[DENOMINATION] == NO_TRUMPS:
        return False
    return r[R_SCORING] != SCORING_ENCHERES or s[DENOMINATION] != ALL_TRUMPS


@inner
def count_belote(s, r, seat):
    """Credit one announced pair to the team of ``seat``."""
    s[BELOTE_POINTS + (seat & 1)] += 1 if r[R_SCORING] == SCORING_ENCHERES else 20


@inner
def bid_value(s):
    """Return the value of the contract's bid as scores use it: points, 250 for capot, 500 for générale."""
    if s[RUNG] == CAPOT:
        return 250
    if s[RUNG] == GENERALE:
        return 500
    return 80 + 10 * s[RUNG]


@inner
def _side_points(s, team):
    return s[POINTS + team] + s[DECLARED + team] + s[BELOTE_POINTS + team]


@inner
def _judge(s, r):
    """Return MADE or FAILED, or NONE for a litige."""
    team = s[TAKER] & 1
    if s[RUNG] == GENERALE:
        for trick in range(8):
            if s[LEADERS + trick + 1] != s[TAKER]:
                return FAILED
        return MADE
    if s[RUNG] == CAPOT:
        return MADE if s[TRICKS + team] == 8 else FAILED
    if r[R_AUCTION] == AUCTION_TRICKS:
        tricks = s[TRICKS + team] + (s[LEADERS + 8] & 1 == team) + s[BELOTE_POINTS + team]
        return MADE if tricks >= s[RUNG] + 1 else FAILED
    mine, theirs = _side_points(s, team), _side_points(s, 1 - team)
    rule = r[R_MADE]
    if r[R_AUCTION] == AUCTION_TURNED:
        if s[TRICKS + team] == 8:
            return MADE
        if rule == MADE_CARDS_82:
            made = s[POINTS + team] >= 82
        elif mine == theirs:
            if r[R_LITIGE] != LITIGE_NONE:
                return NONE
            made = rule == MADE_AT_LEAST
        else:
            made = mine > theirs
    else:
        made = mine >= bid_value(s)
        if rule == MADE_BID_AND_MORE:
            made = made and mine > theirs
        elif rule == MADE_BID_AND_82:
            made = made and s[POINTS + team] >= 82
    return MADE if made else FAILED


@inner
def _score_litige(s, r):
    team = s[TAKER] & 1
    kept = 0 if r[R_LITIGE_BELOTE] == LITIGE_BELOTE_POT else s[BELOTE_POINTS + team]
    s[DEAL_SCORES + team] = kept
    s[DEAL_SCORES + 1 - team] = _side_points(s, 1 - team)
    s[POT] += _side_points(s, team) - kept


@inner
def _base(s, r, winner):
    """Return what the winner of a deal scores for the cards when the other side's are not counted."""
    swept = s[TRICKS + winner] == 8
    if r[R_AUCTION] == AUCTION_TURNED:
        return r[R_CAPOT_POINTS] if swept and r[R_FAILED_CAPOT_DEFENCE] else TOTAL
    if r[R_SCORING] == SCORING_CONTREE and s[RUNG] == CAPOT:
        return 250
    return 250 if swept and (s[DOUBLED] > 1 or r[R_FAILED_CAPOT_DEFENCE]) else 160


@inner
def _score_tricks(s, winner):
    """``encheres``: points are deals won, with one more for all tricks, a capot bid, a coinche."""
    score = 1 + (s[TRICKS + winner] == 8) + (s[RUNG] == CAPOT) + (s[DOUBLED] > 1)
    s[DEAL_SCORES + winner] = score
    s[DEAL_SCORES + 1 - winner] = 0


@inner
def _score_contract(s, r):
    """Write the scores of a deal whose contract was made or failed."""
    takers = s[TAKER] & 1
    defenders = 1 - takers
    made = s[OUTCOME] == MADE
    winner = takers if made else defenders
    scoring, m = r[R_SCORING], s[DOUBLED]
    if scoring == SCORING_ENCHERES:
        _score_tricks(s, winner)
        return
    for team in range(2):
        s[DEAL_SCORES + team] = _side_points(s, team) if made else s[BELOTE_POINTS + team]
    if scoring == SCORING_EACH_OWN:
        if not made:
            s[DEAL_SCORES + winner] += _base(s, r, winner) + s[DECLARED] + s[DECLARED + 1]
        return
    bid = bid_value(s)
    belote = s[BELOTE_POINTS + winner]
    if scoring == SCORING_COINCHE or scoring == SCORING_CONTREE:
        if made and m == 1:
            s[DEAL_SCORES + takers] += bid
        else:
            s[DEAL_SCORES + 1 - winner] = s[BELOTE_POINTS + 1 - winner]
            s[DEAL_SCORES + winner] = (_base(s, r, winner) + bid + s[DECLARED] + s[DECLARED + 1]) * m + belote
        return
    if scoring == SCORING_ANNOUNCED:
        s[DEAL_SCORES] = s[DEAL_SCORES + 1] = belote = 0
        if made:
            s[DEAL_SCORES + takers] = bid * m
    if not made:
        s[DEAL_SCORES + defenders] = (_base(s, r, defenders) if m == 1 else bid * m) + belote
    elif scoring == SCORING_MADE:
        if m > 1:
            s[DEAL_SCORES + takers] = bid * m + belote
            s[DEAL_SCORES + defenders] = s[BELOTE_POINTS + defenders]
        elif s[RUNG] == CAPOT:
            s[DEAL_SCORES + takers] = 350 + belote
    elif scoring == SCORING_MADE_ANNOUNCED:
        if s[RUNG] == CAPOT:
            s[DEAL_SCORES + takers] = 350 + belote
        s[DEAL_SCORES + takers] += bid * m


@inner
def _pay_pot(s, r):
    if s[OUTCOME] == NONE or r[R_LITIGE] == LITIGE_NONE:
        return
    if s[OUTCOME] == MADE or r[R_LITIGE] == LITIGE_NEXT_WINNER:
        winner = s[TAKER] & 1 if s[OUTCOME] == MADE else 1 - (s[TAKER] & 1)
        s[DEAL_SCORES + winner] += s[POT]
        s[POT] = 0


@inner
def score_deal(s, r):
    """After the last card: count the cards, then do the rest."""
    count_cards(s, r)
    settle_deal(s, r)


@inner
def settle_deal(s, r):
    """With the cards counted: judge, score, pay the pot, round, add up, and look for the end of the match."""
    count_declarations(s, r)
    if r[R_SCORING] == SCORING_MORE_TRICKS:
        last = s[LEADERS + 8] & 1
        # The last trick counts double, so nine are shared out and there is no tie.
        winner = 0 if s[TRICKS] + (last == 0) > 4 else 1
        s[DEAL_SCORES + winner] = 1
    else:
        s[OUTCOME] = _judge(s, r)
        if s[OUTCOME] == NONE:
            _score_litige(s, r)
        else:
            _score_contract(s, r)
        _pay_pot(s, r)
    if r[R_ROUNDING] == ROUNDING_TEN:
        for team in range(2):
            s[DEAL_SCORES + team] = (s[DEAL_SCORES + team] + 5) // 10 * 10
    for team in range(2):
        s[SCORES + team] += s[DEAL_SCORES + team]
    s[WINNER] = _match_winner(s, r)
    _blank_uncounted(s, r)


@inner
def _blank_uncounted(s, r):
    """Zero what a game scored without card points does not look at."""
    if r[R_SCORING] == SCORING_ENCHERES or r[R_SCORING] == SCORING_MORE_TRICKS:
        s[POINTS] = s[POINTS + 1] = 0


@inner
def _reached(s, r, team):
    """Return whether a side has reached the target, and truly so where the target must be validated."""
    total = s[SCORES + team]
    if total < r[R_TARGET] or not r[R_VALIDATE_TARGET]:
        return total >= r[R_TARGET]
    if total - s[DEAL_SCORES + team] >= r[R_TARGET]:
        return s[TRICKS + team] > 0
    beaten = s[TRICKS + team] == 0 or (s[OUTCOME] == FAILED and s[TAKER] & 1 == team)
    scores_belote = r[R_SCORING] != SCORING_ANNOUNCED and r[R_SCORING] != SCORING_ENCHERES
    return not beaten or total - (s[BELOTE_POINTS + team] if scores_belote else 0) >= r[R_TARGET]


@inner
def _match_winner(s, r):
    """Return the team that has won the match, DRAW, or NONE if another deal is to be played."""
    winner = NONE
    for team in range(2):
        if _reached(s, r, team):
            winner = team if winner == NONE else DRAW
    if winner != DRAW:
        return winner
    if r[R_MATCH_END] == END_DRAW:
        return DRAW
    if r[R_MATCH_END] == END_LAST_TAKERS and s[TAKER] != NONE:
        return s[TAKER] & 1
    if s[SCORES] != s[SCORES + 1]:
        return 0 if s[SCORES] > s[SCORES + 1] else 1
    if r[R_MATCH_END] == END_HIGHER_LAST_WINNER and s[OUTCOME] != NONE:
        return s[TAKER] & 1 if s[OUTCOME] == MADE else 1 - (s[TAKER] & 1)
    return NONE
