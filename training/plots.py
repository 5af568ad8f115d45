"""Plots of comparisons: the ladder of ratings, strength against time, points by contract."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from training.comparison import Comparison
from training.latency import Latency
from training.rating import Rating

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def ladder(rated: Sequence[Rating]) -> Figure:
    """Return ratings with their intervals, best on top."""
    figure, axes = _figure(1 + 0.4 * len(rated))
    rows = range(len(rated) - 1, -1, -1)
    elo = [r.elo for r in rated]
    errors = [[r.elo - r.ci95[0] for r in rated], [r.ci95[1] - r.elo for r in rated]]
    axes.errorbar(elo, rows, xerr=errors, fmt="o", capsize=4)
    axes.set_yticks(rows, [r.agent for r in rated])
    axes.set_xlabel("Elo, 95% intervals")
    axes.grid(axis="x", alpha=0.3)
    return figure


def strength_against_time(results: Sequence[Comparison], rated: Sequence[Rating]) -> Figure:
    """Return ratings over the mean time of a decision."""
    latency: dict[str, Latency] = {}
    for result in results:
        for agent, side in zip(result.pairing.agents, result.sides, strict=True):
            latency.setdefault(agent, Latency()).merge(side.latency)
    figure, axes = _figure(4.0)
    for r in rated:
        per_second = latency[r.agent].per_second
        if per_second:
            errors = [[r.elo - r.ci95[0]], [r.ci95[1] - r.elo]]
            axes.errorbar(1000 / per_second, r.elo, yerr=errors, fmt="o", capsize=4, color="C0")
            axes.annotate(r.agent, (1000 / per_second, r.elo), xytext=(6, 4), textcoords="offset points")
    axes.set_xscale("log")
    axes.set_xlabel("mean time of a decision, milliseconds")
    axes.set_ylabel("Elo, 95% intervals")
    axes.margins(x=0.15)
    axes.grid(alpha=0.3)
    return figure


def points_by_contract(result: Comparison) -> Figure:
    """Return the average score of the contracts that each side took, by value, or by denomination without values."""
    by = [side.by("value") for side in result.sides]
    if all(set(one) <= {""} for one in by):
        by = [side.by("denomination") for side in result.sides]
    kinds = sorted({kind for one in by for kind in one}, key=lambda kind: (len(kind), kind))
    figure, axes = _figure(4.0)
    for i, (agent, one) in enumerate(zip(result.pairing.agents, by, strict=True)):
        places = [place + 0.4 * i - 0.2 for place in range(len(kinds))]
        heights = [one[kind]["points"] if kind in one else 0.0 for kind in kinds]
        bars = axes.bar(places, heights, width=0.4, label="AB"[i] + f": {agent}")
        axes.bar_label(bars, [str(one[kind]["bid"]) if kind in one else "" for kind in kinds], fontsize=8)
    axes.set_xticks(range(len(kinds)), kinds)
    axes.set_xlabel("contract; on the bars, how many were taken")
    axes.set_ylabel("average score when taking")
    axes.legend()
    return figure


def png(figure: Figure) -> bytes:
    """Return a figure as a picture."""
    buffer = io.BytesIO()
    # Without the program's version in it, the same figure is the same file.
    figure.savefig(buffer, format="png", dpi=120, metadata={"Software": None})
    return buffer.getvalue()


def _figure(height: float) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, height), layout="constrained")
    return figure, figure.subplots()
