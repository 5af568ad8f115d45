"""How likely a side is to win the match from any pair of scores, learned from the outcomes of many deals.

A match is a walk: each deal adds to both scores what some deal of self-play added, whatever the scores were, until one
reaches the target. The table is exact for that walk, on a grid. It says when to gamble: the worth of a deal is by how
much it moves the chance of winning, which is not the same for every point.
"""

from __future__ import annotations

import numpy as np

from agents.teacher import rule_actions
from belote_env.engine.layout import DEAL_SCORES, SCORES, WINNER
from belote_env.rules import Rules
from belote_env.vector import BeloteVectorEnv

STEP = 10
"""Points of score from one line of the grid to the next."""


def deal_scores(rules: Rules, deals: int, seed: int = 0) -> np.ndarray:
    """Return the scores of both sides in deals that the compiled rule player plays: ``int64``, ``(deals, 2)``."""
    env = BeloteVectorEnv(min(deals, 1024), rules, observation="none", skip_forced=True)
    env.reset(seed=seed)
    found: list[np.ndarray] = []
    while sum(map(len, found)) < deals:
        step = env.step(rule_actions(env.get_state()["states"], rules))
        found.append(env.get_state()["finals"][step.deal_over][:, DEAL_SCORES : DEAL_SCORES + 2].astype(np.int64))
    return np.concatenate(found)[:deals]


class WinTable:
    """The chance of winning from any pair of scores.

    Args:
        rules: of the match; both sides over the target in one deal counts for the higher score.
        scores: of both sides in many deals, ``(deals, 2)``.
    """

    def __init__(self, rules: Rules, scores: np.ndarray) -> None:
        self.target = rules.target
        size = -(-self.target // STEP)
        gains = np.maximum(np.rint(scores / STEP).astype(np.int64), 0)
        gains = gains[gains.any(1)]  # deals that nobody scores in change nothing
        # Neither side is better than the other.
        gains, counts = np.unique(np.concatenate([gains, gains[:, ::-1]]), axis=0, return_counts=True)
        weights = counts / counts.sum()
        self.chances = np.zeros((size, size))
        # From high scores to low, since scores only rise.
        for total in range(2 * size - 2, -1, -1):
            for mine in range(max(0, total - size + 1), min(size, total + 1)):
                after = np.array([mine, total - mine]) + gains
                self.chances[mine, total - mine] = weights @ self._after(after, size)

    def _after(self, scores: np.ndarray, size: int) -> np.ndarray:
        inside = (scores < size).all(1)
        held = self.chances[np.where(inside, scores[:, 0], 0), np.where(inside, scores[:, 1], 0)]
        won = 0.5 + 0.5 * np.sign(scores[:, 0] - scores[:, 1])
        return np.where(inside, held, won)

    def chance(self, mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        """Return the chance of the side with the first scores, none of them at the target: ``float64``, ``(n,)``."""
        last = len(self.chances) - 1
        x, y = (np.clip(np.asarray(score) / STEP, 0, last) for score in (mine, theirs))
        left, low = x.astype(np.int64), y.astype(np.int64)
        right, high = np.minimum(left + 1, last), np.minimum(low + 1, last)
        u, v = x - left, y - low
        return (1 - u) * ((1 - v) * self.chances[left, low] + v * self.chances[left, high]) + u * (
            (1 - v) * self.chances[right, low] + v * self.chances[right, high]
        )

    @property
    def points(self) -> float:
        """By how many points of score at 0–0 the chance of winning rises by one."""
        return float(STEP / (self.chances[1, 0] - self.chances[0, 0]))

    def rewards(self, finals: np.ndarray) -> np.ndarray:
        """Return by how much deals moved the chance of seat 0's side, as points of score at 0–0 would: ``(n,)``.

        Args:
            finals: states in which a deal of a match has just ended, ``(n, STATE_SIZE)``.
        """
        after = finals[:, SCORES : SCORES + 2].astype(np.int64)
        before = after - finals[:, DEAL_SCORES : DEAL_SCORES + 2]
        winner = finals[:, WINNER]
        decided = np.select([winner == 0, winner == 1], [1.0, 0.0], 0.5)
        now = np.where(winner < 0, self.chance(after[:, 0], after[:, 1]), decided)
        return (now - self.chance(before[:, 0], before[:, 1])) * self.points
