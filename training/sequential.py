"""Stopping as soon as it is sure who is stronger, without being fooled by having looked after every deal.

A fixed-size 95% interval that is looked at again and again excludes the truth, sooner or later, far more often than
5 % of the time. A confidence sequence holds at all times at once: with probability ``1 - alpha`` none of its intervals
ever excludes the mean, so one may stop on looking. This is the normal-mixture sequence (Robbins, "Statistical methods
related to the law of the iterated logarithm", 1970; Howard et al., "Time-uniform, nonparametric, nonasymptotic
confidence sequences", Annals of Statistics 2021) with the sample's own standard deviation, which is valid as the number
of deals grows (Waudby-Smith et al., "Time-uniform central limit theory and asymptotic confidence sequences", 2024).
"""

from __future__ import annotations

import math

LEAST = 50
"""Fewest deals after which to stop: before, the standard deviation is not known well enough."""

_TUNED_FOR = 500
"""The number of deals at which the sequence is nearly as narrow as can be; it is valid at any."""


def half_width(deals: int, deviation: float, alpha: float) -> float:
    """Return half the width of the interval that the confidence sequence has after a number of deals.

    Args:
        deals: how many.
        deviation: sample standard deviation of the paired differences.
        alpha: chance, over all times together, that an interval excludes the mean.
    """
    rho2 = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / _TUNED_FOR
    spread = deals * rho2 + 1
    return deviation * math.sqrt(2 * spread / (deals**2 * rho2) * math.log(math.sqrt(spread) / alpha))
