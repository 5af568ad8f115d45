"""Rewards of the four seats at the end of a deal.

==============  ======================================================================================
``score``       own side's score of the deal minus the other's, divided by 162 (by 1 in games that are
                scored in tricks or deals); zero-sum. The default.
``points``      own side's score of the deal, as it is written down; not zero-sum.
``contract``    +1 to the side that won the contract (takers if made, defenders if failed), -1 to the
                other, 0 for a litige or a thrown-in deal. Without an auction: by the score.
``match``       +1 to the side that wins the match, -1 to the other, 0 for a draw and until then.
==============  ======================================================================================
"""

from __future__ import annotations

from belote_env.checks import unknown
from belote_env.engine.jit import inner, lean
from belote_env.engine.layout import DEAL_SCORES, MADE, NONE, OUTCOME, TAKER, WINNER
from belote_env.engine.options import AUCTION_NONE, R_AUCTION, R_SCORING, SCORING_ENCHERES, SCORING_MORE_TRICKS
from belote_env.rules import Rules

REWARDS = ("score", "points", "contract", "match")
SCORE, POINTS, CONTRACT, MATCH = range(4)
EPISODES = ("deal", "match")


def reward_code(reward: str, episode: str) -> int:
    """Return the number of a reward in the kernel, checked against the form of the episode.

    Raises:
        ValueError: for an unknown name, or ``match`` rewards in episodes of one deal.
    """
    if episode not in EPISODES:
        raise ValueError(unknown("episode", episode, EPISODES))
    if reward not in REWARDS:
        raise ValueError(unknown("reward", reward, REWARDS))
    if reward == "match" and episode != "match":
        raise ValueError("reward='match' does not go with episode='deal': it needs episode='match'")
    return REWARDS.index(reward)


def reward_scale(rules: Rules) -> float:
    """Return what score differences are divided by under ``reward="score"``."""
    return 1.0 if rules.scoring in ("encheres", "more_tricks") else 162.0


@inner
def _side_reward(s, r, kind, team):
    mine, theirs = s[DEAL_SCORES + team], s[DEAL_SCORES + 1 - team]
    if kind == SCORE:
        small = r[R_SCORING] == SCORING_ENCHERES or r[R_SCORING] == SCORING_MORE_TRICKS
        return (mine - theirs) / (1.0 if small else 162.0)
    if kind == POINTS:
        return float(mine)
    if kind == MATCH:
        if s[WINNER] != 0 and s[WINNER] != 1:
            return 0.0
        return 1.0 if s[WINNER] == team else -1.0
    if r[R_AUCTION] == AUCTION_NONE:
        return 1.0 if mine > theirs else -1.0
    if s[OUTCOME] == NONE:
        return 0.0
    won = (s[TAKER] & 1 == team) == (s[OUTCOME] == MADE)
    return 1.0 if won else -1.0


@lean
def write_rewards(s, r, kind, out):
    """Write the rewards of seats 0..3 for the deal that has just ended in ``s`` into ``out`` (``float32``)."""
    out[0] = out[2] = _side_reward(s, r, kind, 0)
    out[1] = out[3] = _side_reward(s, r, kind, 1)
