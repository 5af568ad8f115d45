"""Where an agent's cards lose points against perfect play with all hands open: in which trick, role and place.

A and B play duplicate deals in teams, and every card that had another beside it is solved. What a card loses is in
points of the side's own less those of the other (tricks, in games that count those). Nobody who does not see all hands
loses nothing: compare agents, do not expect 0. Calls and announcements have no such loss.
"""

from __future__ import annotations

import contextlib
import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from agents.analysis import CardLoss, card_losses
from belote_env.record import write_record
from belote_env.rules import Rules
from training.arena import spread
from training.duplicate import SEATINGS, Pairing, Play, play_deal, seat_agents, start_of
from training.intervals import NORMAL_95
from training.lockstep import finish


class Kind(NamedTuple):
    """A kind of card played: as in :class:`agents.analysis.CardLoss`."""

    trick: int
    role: str | None
    leading: bool


@dataclass
class Losses:
    """What cards lost over many duplicate deals; where there are two, those of A and of B.

    Attributes:
        pairing: who played what.
        cards: how many of each kind had another beside them.
        lost: what those lost together.
        totals: of each distinct deal, what all of them lost together at its two tables.
        interrupted: whether Ctrl-C ended the run early.
    """

    pairing: Pairing
    cards: tuple[Counter[Kind], Counter[Kind]] = field(default_factory=lambda: (Counter(), Counter()))
    lost: tuple[Counter[Kind], Counter[Kind]] = field(default_factory=lambda: (Counter(), Counter()))
    totals: list[tuple[int, int]] = field(default_factory=list)
    interrupted: bool = False

    def add(self, found: Iterable[tuple[int, CardLoss]]) -> None:
        """Count a distinct deal: the cards, each with 0 for A's and 1 for B's."""
        totals = [0, 0]
        for side, loss in found:
            kind = Kind(loss.trick, loss.role, loss.leading)
            self.cards[side][kind] += 1
            self.lost[side][kind] += loss.lost
            totals[side] += loss.lost
        self.totals.append((totals[0], totals[1]))

    @property
    def unit(self) -> str:
        """What is lost: ``"points"`` or ``"tricks"``."""
        return "tricks" if self.pairing.rules.scoring in ("encheres", "more_tricks") else "points"

    @property
    def deals(self) -> int:
        """How many distinct deals were counted, each at two tables."""
        return len(self.totals)

    def a_deal(self, side: int) -> tuple[float, float | None]:
        """Return what A (0) or B (1) loses in a deal at one table, and half of the 95% interval; None for one deal."""
        return _mean([total[side] / 2 for total in self.totals])

    @property
    def difference(self) -> tuple[float, float | None]:
        """What A loses more than B in a deal at one table, and half of the 95% interval; None for one deal."""
        return _mean([(a - b) / 2 for a, b in self.totals])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values."""
        return {
            "agents": list(self.pairing.agents),
            "rules": self.pairing.rules.to_dict(),
            "deals": self.deals,
            "seed": self.pairing.seed,
            "lost_a_deal": [_with_ci95(self.a_deal(side)) for side in (0, 1)],
            "difference": _with_ci95(self.difference),
            "cards": [
                {"agent": agent, **kind._asdict(), "cards": count, "lost": lost[kind]}
                for agent, cards, lost in zip(self.pairing.agents, self.cards, self.lost, strict=True)
                for kind, count in sorted(
                    cards.items(), key=lambda item: (item[0].trick, str(item[0].role), item[0][2])
                )
            ],
            "interrupted": self.interrupted,
        }


def _mean(values: list[float]) -> tuple[float, float | None]:
    half = NORMAL_95 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None
    return statistics.fmean(values), half


def _with_ci95(measured: tuple[float, float | None]) -> dict[str, Any]:
    mean, half = measured
    return {"mean": mean, "ci95": None if half is None else [mean - half, mean + half]}


def measure_losses(
    agents: tuple[str, str],
    rules: Rules,
    deals: int,
    seed: int = 0,
    *,
    workers: int = 1,
    ray: str | None = None,
    report: Callable[[Losses], None] | None = None,
) -> Losses:
    """Play A against B on duplicate deals and solve their cards; Ctrl-C ends it with the deals completed so far.

    Args:
        agents: what :func:`agents.registry.make` takes, for A and B; they may be the same.
        rules: the rule set.
        deals: number of distinct deals, each played at two tables; the same as in :func:`training.arena.compare`.
        seed: of cards and agents, 0 or more.
        workers: number of processes; the result is the same for any.
        ray: as for :func:`training.arena.compare`.
        report: is told the growing result after each deal.

    Raises:
        ValueError: for an unknown agent or a negative seed.
    """
    pairing = Pairing(agents, rules, seed)
    result = Losses(pairing)
    try:
        with contextlib.closing(spread(weigh_together, pairing, range(deals), workers, ray)) as found:
            for one in found:
                result.add(one)
                if report is not None:
                    report(result)
    except KeyboardInterrupt:
        result.interrupted = True
    return result


def weigh_together(pairing: Pairing, numbers: Sequence[int]) -> list[list[tuple[int, CardLoss]]]:
    """Return the cards of several distinct deals: for each, what :meth:`Losses.add` takes."""
    return finish(_weigh(pairing, number) for number in numbers)


def _weigh(pairing: Pairing, number: int) -> Play[list[tuple[int, CardLoss]]]:
    start = start_of(pairing, number)
    found = []
    for table, seating in enumerate(SEATINGS[pairing.protocol]):
        actions: list[int] = []
        yield from play_deal(pairing.rules, start.copy(), seat_agents(pairing, number, table, 0), actions=actions)
        record = write_record(pairing.rules, start, actions)
        found += [(seating[loss.seat], loss) for loss in card_losses(record)]
    return found
