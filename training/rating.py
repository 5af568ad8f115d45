"""Ratings from comparisons: the Bradley–Terry model on the Elo scale, with bootstrap intervals.

What counts as a game is a duplicate deal, won by whoever has more points over its tables, or, if matches were played,
a match at one table; a tie is half a win for both. 400 points more mean ten wins to one. Ratings from deals and from
matches are on scales of their own. Fitted by choix (Maystre & Grossglauser, "Fast and accurate inference of
Plackett–Luce models", NIPS 2015).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from training.comparison import Comparison

_ELO = 400 / math.log(10)
_MEAN = 1000.0
# Added to the wins of both sides of every pair: a rating exists even where one side won everything.
_PRIOR = 0.5


class Rating(NamedTuple):
    """An agent's place on the ladder.

    Attributes:
        agent: its name.
        elo: its rating; the mean of all is 1000.
        ci95: the 95% interval of ``elo``.
        games: how many it is drawn from.
    """

    agent: str
    elo: float
    ci95: tuple[float, float]
    games: int

    def to_dict(self) -> dict[str, Any]:
        """Return the rating as JSON-ready values."""
        return {"agent": self.agent, "elo": self.elo, "ci95": list(self.ci95), "games": self.games}


def ratings(results: Sequence[Comparison], samples: int = 300, seed: int = 0) -> list[Rating]:
    """Return the ratings of everybody in ``results``, best first.

    Args:
        results: comparisons that connect all agents, under one rule set and protocol.
        samples: how many times the games are drawn again for the intervals.
        seed: of the draws, which depend on nothing else.
    """
    agents = list(dict.fromkeys(agent for result in results for agent in result.pairing.agents))
    pairs = np.array([[agents.index(agent) for agent in result.pairing.agents] for result in results])
    games = np.array([result.games for result in results])  # (pairs, 3): won, drawn, lost
    elo = _fit(len(agents), pairs, games)
    rng = np.random.default_rng(seed)
    totals = games.sum(axis=1)
    shares = games / totals[:, None]
    draws = [_fit(len(agents), pairs, rng.multinomial(totals, shares)) for _ in range(samples)]
    low, high = np.quantile(draws, (0.025, 0.975), axis=0)
    return [
        Rating(agents[i], float(elo[i]), (float(low[i]), float(high[i])), int(totals[(pairs == i).any(axis=1)].sum()))
        for i in np.argsort(-elo, kind="stable")
    ]


def _fit(count: int, pairs: np.ndarray, games: np.ndarray) -> np.ndarray:
    """Return the Elo ratings of ``count`` agents: ``float64``, shape ``(count,)``."""
    import choix

    wins = np.zeros((count, count))
    for (a, b), (won, drawn, lost) in zip(pairs, games, strict=True):
        wins[a, b] += won + drawn / 2 + _PRIOR
        wins[b, a] += lost + drawn / 2 + _PRIOR
    return _MEAN + _ELO * choix.ilsr_pairwise_dense(wins)
