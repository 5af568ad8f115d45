"""Who is stronger: duplicate deals between two kinds of agents, with a confidence interval.

Every deal is played at two tables with the same cards, agent A on seats 0+2 at the first and on 1+3 at the second, so
that the luck of the cards cancels out. The paired difference is the mean over both tables of A's score minus B's.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from agents.base import Agent
from agents.registry import make
from belote_env.game import Game
from belote_env.rules import Rules

NORMAL_95 = 1.959964


@dataclass
class Contracts:
    """The contracts of one side over all tables."""

    bid: int = 0
    made: int = 0
    doubled: int = 0


@dataclass
class Comparison:
    """The result of ``deals`` duplicate deals, each played twice; differences are A minus B, in points a deal."""

    agents: tuple[str, str]
    rules: Rules
    seed: int
    deals: int = 0
    mean_difference: float = 0.0
    thrown_in: int = 0
    contracts: tuple[Contracts, Contracts] = field(default_factory=lambda: (Contracts(), Contracts()))
    seconds: float = 0.0
    _squares: float = 0.0

    def add(self, difference: float, sheets: list[dict[str, Any]]) -> None:
        """Count one duplicate deal: the paired difference and the score sheets of both tables."""
        self.deals += 1
        # Welford's running mean and sum of squares.
        delta = difference - self.mean_difference
        self.mean_difference += delta / self.deals
        self._squares += delta * (difference - self.mean_difference)
        for table, sheet in enumerate(sheets):
            contract = sheet["contract"]
            if contract is None:
                self.thrown_in += self.rules.auction != "none"
                continue
            side = self.contracts[(contract["seat"] + table) % 2]
            side.bid += 1
            side.made += sheet["made"] is True
            side.doubled += contract["doubled"] > 1

    @property
    def half_width(self) -> float | None:
        """Half of the 95% confidence interval of the mean difference; None for fewer than two deals."""
        if self.deals < 2:
            return None
        return NORMAL_95 * math.sqrt(self._squares / (self.deals - 1) / self.deals)

    @property
    def ci95(self) -> tuple[float, float] | None:
        """The 95% confidence interval of the mean difference, from the spread of the paired differences."""
        if self.half_width is None:
            return None
        return self.mean_difference - self.half_width, self.mean_difference + self.half_width

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values; ``deals`` counts duplicate deals, each played at two tables."""
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
        }


def play_deal(game: Game, agents: list[Agent]) -> dict[str, Any]:
    """Play a deal to its end, ``agents[seat]`` acting for each seat, and return its score sheet."""
    while not game.deal_over:
        view = game.view()
        game.step(agents[view.seat].act(view))
    sheet = game.result
    assert sheet is not None
    return sheet


def play_duplicate(pair: tuple[str, str], rules: Rules, seed: int, deal: int) -> tuple[float, list[dict[str, Any]]]:
    """Play duplicate deal number ``deal`` of a run: it depends on nothing but the arguments.

    Returns:
        The paired difference in points, and the score sheets of the two tables.
    """
    start = Game(rules, seed=np.random.default_rng([seed, deal]))
    difference, sheets = 0, []
    for table in range(2):
        agents = [
            make(pair[(seat + table) % 2], rules, np.random.SeedSequence([seed, deal, table, seat]))
            for seat in range(4)
        ]
        sheet = play_deal(start.clone(), agents)
        difference += sheet["scores"][table] - sheet["scores"][1 - table]
        sheets.append(sheet)
    return difference / 2, sheets


def compare(pair: tuple[str, str], rules: Rules, deals: int, seed: int) -> Iterator[Comparison]:
    """Play ``deals`` duplicate deals of A against B; yield the growing result, the same object, after each.

    Raises:
        ValueError: for an unknown agent, or fewer than one deal.
    """
    if deals < 1:
        raise ValueError(f"deals is {deals}, expected 1 or more")
    for agent in pair:
        make(agent, rules, seed)
    result = Comparison(pair, rules, seed)
    start = time.perf_counter()
    for deal in range(deals):
        result.add(*play_duplicate(pair, rules, seed, deal))
        result.seconds = time.perf_counter() - start
        yield result
