"""How long decisions take: a histogram with logarithmic buckets, so that parts of a run add up to the whole."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

_PER_OCTAVE = 8


@dataclass
class Latency:
    """Times of decisions, each in a bucket ``2 ** (1 / 8)`` wide, so that a percentile is right within 5 %.

    Attributes:
        seconds: all of them together.
        buckets: how many lie in each bucket; bucket b begins at ``2 ** (b / 8)`` nanoseconds.
    """

    seconds: float = 0.0
    buckets: Counter[int] = field(default_factory=Counter)

    def add(self, nanoseconds: int) -> None:
        """Count one decision."""
        self.seconds += nanoseconds * 1e-9
        self.buckets[int(_PER_OCTAVE * math.log2(max(nanoseconds, 1)))] += 1

    def merge(self, other: Latency) -> None:
        """Count the decisions of another histogram too."""
        self.seconds += other.seconds
        self.buckets.update(other.buckets)

    @property
    def decisions(self) -> int:
        """How many were counted."""
        return self.buckets.total()

    @property
    def per_second(self) -> float:
        """Decisions a second of thinking; 0 before the first."""
        return self.decisions / self.seconds if self.seconds else 0.0

    def percentiles(self, shares: Iterable[float]) -> list[float]:
        """Return the times, in seconds, that these shares (0..1) of the decisions do not exceed; 0 before the first."""
        return [self._percentile(share) for share in shares]

    def _percentile(self, share: float) -> float:
        needed, found = share * self.decisions, 0
        for bucket in sorted(self.buckets):
            found += self.buckets[bucket]
            if found >= needed:
                return 2 ** ((bucket + 0.5) / _PER_OCTAVE) * 1e-9
        return 0.0
