"""What many duplicate deals or matches of A against B say: differences, contracts, matches won, time, each exactly.

The paired difference x of a number is the mean over its tables of the score of A's side minus the other's, in points;
a deal that is thrown in counts 0. Over n of them with mean m and sample standard deviation s (divisor n - 1), the 95%
confidence interval is ``m ± 1.96 s / sqrt(n)``, the normal one; one alone has none. Everything but time is a sum of
whole numbers: neither the order of playing nor where it was done changes a digit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from training.duplicate import SEATINGS, Outcome, Pairing
from training.intervals import NORMAL_95, bootstrap, wilson
from training.latency import Latency
from training.sequential import LEAST, half_width


class Contract(NamedTuple):
    """A kind of contract: as in :class:`training.duplicate.Deal`."""

    denomination: str
    value: str
    doubled: int
    made: bool | None


@dataclass
class Side:
    """What one side did over all tables.

    Attributes:
        contracts: how many it took of each kind.
        points: its scores in the deals that it took, together, for each kind.
        defender_points: its scores in those that the other side took.
        defended: how many those are.
        declarations: points of declarations that it won.
        declared: deals in which it won any.
        latency: of its decisions.
        faults: crashes, time-outs and illegal answers of its agent, where it reports them.
    """

    contracts: Counter[Contract] = field(default_factory=Counter)
    points: Counter[Contract] = field(default_factory=Counter)
    defender_points: int = 0
    defended: int = 0
    declarations: int = 0
    declared: int = 0
    latency: Latency = field(default_factory=Latency)
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def bid(self) -> int:
        """Contracts that it took."""
        return self.contracts.total()

    @property
    def made(self) -> int:
        """Those that it made."""
        return sum(count for contract, count in self.contracts.items() if contract.made)

    @property
    def doubled(self) -> int:
        """Those that were doubled."""
        return sum(count for contract, count in self.contracts.items() if contract.doubled > 1)

    @property
    def as_taker(self) -> float:
        """Average score in the deals that it took; 0 without one."""
        return self.points.total() / self.bid if self.bid else 0.0

    @property
    def as_defender(self) -> float:
        """Average score in the deals that the other side took; 0 without one."""
        return self.defender_points / self.defended if self.defended else 0.0

    def by(self, key: str) -> dict[str, dict[str, Any]]:
        """Return how many contracts were bid, made and doubled, and their average score, by a field of a contract.

        Args:
            key: ``"denomination"`` or ``"value"``.
        """
        groups: dict[str, Side] = {}
        for contract, count in self.contracts.items():
            group = groups.setdefault(getattr(contract, key), Side())
            group.contracts[contract] += count
            group.points[contract] += self.points[contract]
        # From low to high: 80, 90, 100, ..., capot, generale.
        return {
            name: {"bid": group.bid, "made": group.made, "doubled": group.doubled, "points": group.as_taker}
            for name, group in sorted(groups.items(), key=lambda item: (len(item[0]), item[0]))
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values; times in milliseconds."""
        p50, p90, p99 = (1000 * seconds for seconds in self.latency.percentiles((0.5, 0.9, 0.99)))
        return {
            "bid": self.bid,
            "made": self.made,
            "doubled": self.doubled,
            "by_denomination": self.by("denomination"),
            "by_value": self.by("value"),
            "as_taker": self.as_taker,
            "as_defender": self.as_defender,
            "declarations": self.declarations,
            "declared": self.declared,
            "decisions": self.latency.decisions,
            "decisions_per_second": self.latency.per_second,
            "latency_ms": {"p50": p50, "p90": p90, "p99": p99},
            "faults": dict(sorted(self.faults.items())),
        }


@dataclass
class Comparison:
    """What came of A against B; differences are A minus B, in points a deal (a match, if matches were played).

    Attributes:
        pairing: who played what.
        differences: how often each sum over the tables of a number was seen, of A's scores minus B's.
        sides: what A's side and B's did.
        won: of the tables at which matches were played, those that A won, drew, and lost.
        thrown_in: deals, over all tables, in which everybody passed.
        seconds: time that playing took, summed over the workers.
        interrupted: whether Ctrl-C ended the run early.
        until_sure: how sure the run wanted to be before it stopped; None if its length was fixed.
    """

    pairing: Pairing
    differences: Counter[int] = field(default_factory=Counter)
    sides: tuple[Side, Side] = field(default_factory=lambda: (Side(), Side()))
    won: tuple[int, int, int] = (0, 0, 0)
    thrown_in: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    until_sure: float | None = None

    def add(self, outcome: Outcome) -> None:
        """Count one number of the pairing."""
        difference = 0
        for table in outcome.tables:
            for deal in table:
                difference += deal.scores[0] - deal.scores[1]
                for i, side in enumerate(self.sides):
                    side.declarations += deal.declarations[i]
                    side.declared += deal.declarations[i] > 0
                if deal.taker is None:
                    self.thrown_in += self.pairing.rules.auction != "none"
                    continue
                taker, defender = self.sides[deal.taker], self.sides[1 - deal.taker]
                contract = Contract(deal.denomination, deal.value, deal.doubled, deal.made)
                taker.contracts[contract] += 1
                taker.points[contract] += deal.scores[deal.taker]
                defender.defender_points += deal.scores[1 - deal.taker]
                defender.defended += 1
        for side, latency, faults in zip(self.sides, outcome.latency, outcome.faults, strict=True):
            side.latency.merge(latency)
            side.faults.update(faults)
        wins, draws, losses = (outcome.winners.count(result) for result in (0, None, 1))
        self.won = (self.won[0] + wins, self.won[1] + draws, self.won[2] + losses)
        self.differences[difference] += 1
        self.seconds += outcome.seconds

    def add_all(self, outcomes: Iterable[Outcome]) -> Comparison:
        """Count several; return the comparison itself."""
        for outcome in outcomes:
            self.add(outcome)
        return self

    @property
    def deals(self) -> int:
        """How many distinct deals, or matches, were completed, each at every table of the protocol."""
        return self.differences.total()

    @property
    def tables(self) -> int:
        """At how many tables each was played."""
        return len(SEATINGS[self.pairing.protocol])

    @property
    def mean_difference(self) -> float:
        """Mean of the paired differences; 0 before the first."""
        total = sum(value * count for value, count in self.differences.items())
        return total / (self.tables * self.deals) if self.deals else 0.0

    @property
    def standard_deviation(self) -> float | None:
        """Sample standard deviation of the paired differences; None for fewer than two."""
        n = self.deals
        if n < 2:
            return None
        total = sum(value * count for value, count in self.differences.items())
        squares = sum(value * value * count for value, count in self.differences.items())
        return math.sqrt((n * squares - total**2) / (n * (n - 1))) / self.tables

    @property
    def half_width(self) -> float | None:
        """Half of the 95% confidence interval of the mean difference; None for fewer than two."""
        deviation = self.standard_deviation
        return None if deviation is None else NORMAL_95 * deviation / math.sqrt(self.deals)

    @property
    def ci95(self) -> tuple[float, float] | None:
        """The 95% confidence interval of the mean difference; None for fewer than two."""
        if self.half_width is None:
            return None
        return self.mean_difference - self.half_width, self.mean_difference + self.half_width

    @property
    def bootstrap95(self) -> tuple[float, float] | None:
        """The same interval by the bootstrap, which takes nothing for granted about the differences' distribution."""
        if self.deals < 2:
            return None
        low, high = bootstrap(self.differences)
        return low / self.tables, high / self.tables

    @property
    def always_valid(self) -> tuple[float, float] | None:
        """The interval to trust if the run could stop at any time (``until_sure``); None before it may stop."""
        if self.until_sure is None or self.deals < LEAST:
            return None
        assert self.standard_deviation is not None
        half = half_width(self.deals, self.standard_deviation, 1 - self.until_sure)
        return self.mean_difference - half, self.mean_difference + half

    @property
    def sure(self) -> bool:
        """Whether it is as sure as wanted who is stronger."""
        return self.always_valid is not None and not self.always_valid[0] <= 0 <= self.always_valid[1]

    @property
    def games(self) -> tuple[int, int, int]:
        """How many games A won, drew and lost: matches at a table, or distinct deals by their paired difference."""
        if self.pairing.match:
            return self.won
        won, lost = (sum(n for value, n in self.differences.items() if sign * value > 0) for sign in (1, -1))
        return won, self.deals - won - lost, lost

    @property
    def win_rate(self) -> float | None:
        """Share of the matches that A won, a draw counting half; None if none was played."""
        matches = sum(self.won)
        return (self.won[0] + self.won[1] / 2) / matches if matches else None

    @property
    def win_rate_ci95(self) -> tuple[float, float] | None:
        """Its 95% interval by Wilson's method; None if no match was played.

        It takes the tables of one match for independent. As good cards for one side there are good cards for the other
        side here, they are less alike than that, and the interval errs on the wide side.
        """
        matches = sum(self.won)
        return wilson(self.won[0] + self.won[1] / 2, matches) if matches else None

    @property
    def deals_per_second(self) -> float:
        """Distinct deals, or matches, a second of one worker."""
        return self.deals / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values.

        ``deals`` and ``deals_per_second`` count distinct deals (matches), each played at every table; what is in
        ``contracts`` (A's, B's), ``won`` and ``thrown_in`` counts tables; intervals are ``[low, high]``, or None.
        """
        return {
            "agents": list(self.pairing.agents),
            "rules": self.pairing.rules.to_dict(),
            "protocol": self.pairing.protocol,
            "match": self.pairing.match,
            "deals": self.deals,
            "seed": self.pairing.seed,
            "mean_difference": self.mean_difference,
            "ci95": None if self.ci95 is None else list(self.ci95),
            "bootstrap95": None if self.bootstrap95 is None else list(self.bootstrap95),
            "until_sure": self.until_sure,
            "always_valid": None if self.always_valid is None else list(self.always_valid),
            "sure": self.sure,
            "won": list(self.won),
            "win_rate": self.win_rate,
            "win_rate_ci95": None if self.win_rate_ci95 is None else list(self.win_rate_ci95),
            "contracts": [side.to_dict() for side in self.sides],
            "thrown_in": self.thrown_in,
            "seconds": self.seconds,
            "deals_per_second": self.deals_per_second,
            "interrupted": self.interrupted,
        }
