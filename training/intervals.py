"""Confidence intervals of means and of proportions."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

NORMAL_95 = 1.959964
"""Half the width of a 95% interval, in standard errors."""


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """Return the 95% interval of a proportion by Wilson's score method; (0, 1) without a trial.

    Args:
        successes: how many; a draw may count as half of one.
        trials: out of how many.

    Source:
        E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
    """
    if not trials:
        return 0.0, 1.0
    z2 = NORMAL_95**2
    share = successes / trials
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = NORMAL_95 * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials**2)) / (1 + z2 / trials)
    return max(0.0, centre - half), min(1.0, centre + half)


def bootstrap(values: Mapping[int, int], samples: int = 2000, seed: int = 0) -> tuple[float, float]:
    """Return the 95% percentile-bootstrap interval of a mean.

    Args:
        values: how often each value was seen; at least one.
        samples: how many times the data are drawn again.
        seed: of the draws, which depend on nothing else.

    Source:
        B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7 (1979).
    """
    seen = np.array(sorted(values))
    counts = np.array([values[int(value)] for value in seen])
    total = counts.sum()
    draws = np.random.default_rng(seed).multinomial(total, counts / total, size=samples)
    low, high = np.quantile(draws @ seen / total, (0.025, 0.975))
    return float(low), float(high)
