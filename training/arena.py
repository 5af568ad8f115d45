"""Who is stronger: duplicate deals between two kinds of agents, with a confidence interval.

Every deal is played at two tables with the same cards, dealer and turned card, agent A on seats 0+2 at the first and
on 1+3 at the second, so that the luck of the cards cancels out. The paired difference x of a deal is the mean over
both tables of A's score minus B's, in points; a deal that is thrown in counts 0. All are first deals of a match at
0-0. Over n deals with mean m and sample standard deviation s (divisor n - 1) of x, the 95% confidence interval is
``m ± 1.96 s / sqrt(n)``, the normal one; one deal alone has none.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from agents.base import Agent
from agents.registry import make
from belote_env.actions import ACTIONS
from belote_env.engine import kernel
from belote_env.engine.layout import NUM_ACTIONS, OVER, PHASE, SEAT
from belote_env.errors import IllegalActionError
from belote_env.game import Game
from belote_env.rules import Rules
from belote_env.sheet import score_sheet
from belote_env.view import View

NORMAL_95 = 1.959964
"""Half the width of a 95% interval, in standard errors."""


@dataclass
class Contracts:
    """The contracts of one side over all tables: how many it bid, made, and bid and had doubled."""

    bid: int = 0
    made: int = 0
    doubled: int = 0


@dataclass
class Comparison:
    """What came of duplicate deals of A against B; differences are A minus B, in points a deal.

    Attributes:
        agents: A and B.
        rules: the rule set.
        seed: of the run; deal i depends on it and i alone.
        deals: distinct deals completed, each played at two tables.
        contracts: those of A and of B, over both tables.
        thrown_in: tables, of ``2 * deals``, at which everybody passed.
        seconds: time taken.
        interrupted: whether Ctrl-C ended the run early.
    """

    agents: tuple[str, str]
    rules: Rules
    seed: int
    deals: int = 0
    contracts: tuple[Contracts, Contracts] = field(default_factory=lambda: (Contracts(), Contracts()))
    thrown_in: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    # Of twice the paired differences: whole numbers, so that no order of adding changes the result.
    _sum: int = 0
    _squares: int = 0

    def add(self, sheets: tuple[dict[str, Any], dict[str, Any]]) -> None:
        """Count one duplicate deal by the score sheets of its two tables."""
        doubled_difference = 0
        for table, sheet in enumerate(sheets):
            doubled_difference += sheet["scores"][table] - sheet["scores"][1 - table]
            contract = sheet["contract"]
            if contract is None:
                self.thrown_in += self.rules.auction != "none"
                continue
            side = self.contracts[(contract["seat"] + table) % 2]
            side.bid += 1
            side.made += sheet["made"] is True
            side.doubled += contract["doubled"] > 1
        self.deals += 1
        self._sum += doubled_difference
        self._squares += doubled_difference**2

    def merge(self, other: Comparison) -> None:
        """Add the other deals of the same run; the result is the same in whatever chunks they were played.

        Raises:
            ValueError: if the other run has other agents, rules or seed.
        """
        if (self.agents, self.rules, self.seed) != (other.agents, other.rules, other.seed):
            raise ValueError("only parts of one run can be merged: the same agents, rules and seed")
        for mine, theirs in zip(self.contracts, other.contracts, strict=True):
            mine.bid += theirs.bid
            mine.made += theirs.made
            mine.doubled += theirs.doubled
        self.deals += other.deals
        self.thrown_in += other.thrown_in
        self.seconds += other.seconds
        self.interrupted |= other.interrupted
        self._sum += other._sum
        self._squares += other._squares

    @property
    def mean_difference(self) -> float:
        """Mean of the paired differences, in points a deal; 0 before the first."""
        return self._sum / (2 * self.deals) if self.deals else 0.0

    @property
    def half_width(self) -> float | None:
        """Half of the 95% confidence interval of the mean difference; None for fewer than two deals."""
        n = self.deals
        if n < 2:
            return None
        variance = (n * self._squares - self._sum**2) / (4 * n * (n - 1))
        return NORMAL_95 * math.sqrt(variance / n)

    @property
    def ci95(self) -> tuple[float, float] | None:
        """The 95% confidence interval of the mean difference; None for fewer than two deals."""
        if self.half_width is None:
            return None
        return self.mean_difference - self.half_width, self.mean_difference + self.half_width

    @property
    def deals_per_second(self) -> float:
        """Duplicate deals a second; twice as many deals were played."""
        return self.deals / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values.

        ``deals`` and ``deals_per_second`` count distinct deals, each played at two tables; ``contracts`` and
        ``thrown_in`` count tables; ``ci95`` is ``[low, high]``, or None for one deal alone.
        """
        return {
            "agents": list(self.agents),
            "rules": self.rules.to_dict(),
            "deals": self.deals,
            "seed": self.seed,
            "mean_difference": self.mean_difference,
            "ci95": None if self.ci95 is None else list(self.ci95),
            "contracts": [asdict(side) for side in self.contracts],
            "thrown_in": self.thrown_in,
            "seconds": self.seconds,
            "deals_per_second": self.deals_per_second,
            "interrupted": self.interrupted,
        }


def play_deal(rules: Rules, state: np.ndarray, agents: list[Agent]) -> dict[str, Any]:
    """Play the deal of ``state`` to its end, ``agents[seat]`` acting for each seat, and return its score sheet.

    Args:
        rules: the rule set.
        state: as ``Game.state``; it is played on.
        agents: one for each seat.

    Raises:
        IllegalActionError: if an agent returns an action that is not legal.
    """
    # What Game does too, but the legal actions are listed once an action: an evaluation spends its time here.
    vector = rules.vector
    ids = np.empty(NUM_ACTIONS, dtype=np.int64)
    while state[PHASE] != OVER:
        seat = int(state[SEAT])
        legal = ids[: kernel.legal_actions(state, vector, ids)].tolist()
        action = agents[seat].act(View(rules, state, seat, legal.copy()))
        if not isinstance(action, int | np.integer) or action not in legal:
            expected = ", ".join(ACTIONS[i] for i in legal)
            raise IllegalActionError(f"seat {seat} returned {action!r}, expected the id of one of {expected}")
        kernel.step(state, vector, int(action))
    return score_sheet(rules, state)


def play_duplicate(
    agents: tuple[str, str], rules: Rules, seed: int, deal: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Play duplicate deal number ``deal`` of a run, which depends on nothing but the arguments.

    Returns:
        The score sheets of the two tables; A sat on seats 0+2 at the first and on 1+3 at the second.
    """
    # Spawn keys, because a list of words is padded with zeros: [seed, deal] and [seed, deal, 0, 0] are one seed.
    cards = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(deal,)))
    start = Game(rules, seed=cards).state

    def play(table: int) -> dict[str, Any]:
        seated = [
            make(agents[(seat + table) % 2], rules, np.random.SeedSequence(seed, spawn_key=(deal, table, seat)))
            for seat in range(4)
        ]
        try:
            return play_deal(rules, start.copy(), seated)
        except IllegalActionError as error:
            at = f"deal {deal}, table {table}, {agents[0]} on seats {table}+{table + 2}, {agents[1]} on the others"
            raise IllegalActionError(f"{at}: {error}") from None

    return play(0), play(1)


def compare(
    agents: tuple[str, str],
    rules: Rules,
    deals: int,
    seed: int = 0,
    *,
    first: int = 0,
    report: Callable[[Comparison], None] | None = None,
) -> Comparison:
    """Play A against B on duplicate deals; Ctrl-C ends it with the deals completed so far.

    Args:
        agents: what :func:`agents.registry.make` takes, for A and B.
        rules: the rule set.
        deals: number of distinct deals, each played at two tables.
        seed: of cards and agents, 0 or more.
        first: number of the first deal, to play a part of a run that :meth:`Comparison.merge` puts together.
        report: is told the growing result after each deal.

    Raises:
        ValueError: for an unknown agent, a negative seed, or fewer than one deal.
    """
    for name, value, least in (("deals", deals, 1), ("seed", seed, 0), ("first", first, 0)):
        if value < least:
            raise ValueError(f"{name} is {value}, expected {least} or more")
    for agent in agents:
        make(agent, rules, seed)
    result = Comparison(agents, rules, seed)
    start = time.perf_counter()
    try:
        for deal in range(first, first + deals):
            result.add(play_duplicate(agents, rules, seed, deal))
            result.seconds = time.perf_counter() - start
            if report is not None:
                report(result)
    except KeyboardInterrupt:
        result.interrupted = True
    return result
