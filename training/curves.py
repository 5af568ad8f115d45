"""Learning curves as a picture: one panel a figure of the runs' ``progress.jsonl``, runs on top of each other."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from training.run import read_progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = ("points/*", "*explained", "*agreed", "critic/*", "*loss*", "*entropy")
"""Patterns of the figures that are drawn if none are asked for."""

_COLUMNS = 3
_NOISY = 60
"""Points from which on a curve without intervals is drawn with its running mean."""


class Curve(NamedTuple):
    """One figure of one run.

    Attributes:
        decisions: seen when it was logged, ``(n,)``.
        hours: since the run was begun, ``(n,)``.
        values: ``(n,)``.
        interval: low and high ends of 95% intervals, ``(2, n)``; None for figures that have none.
    """

    decisions: np.ndarray
    hours: np.ndarray
    values: np.ndarray
    interval: np.ndarray | None


def read_curves(folder: Path) -> dict[str, Curve]:
    """Return the curves of a run by name, in the order in which their figures were first logged.

    Raises:
        ValueError: if the folder holds no run, or one that has logged nothing yet.
    """
    lines = read_progress(folder)
    names = dict.fromkeys(name for line in lines for name in line if name not in ("step", "seconds"))
    if not names:
        raise ValueError(f"{folder}: this run has logged nothing yet")
    return {name: _curve(lines, name) for name in names if not name.endswith(("/low", "/high"))}


def _curve(lines: list[dict[str, Any]], name: str) -> Curve:
    keys = ["step", "seconds", name]
    if any(f"{name}/low" in line for line in lines):
        keys += [f"{name}/low", f"{name}/high"]
    table = np.array([[line[key] for key in keys] for line in lines if name in line], dtype=float).T
    return Curve(table[0], table[1] / 3600, table[2], table[3:] if len(keys) > 3 else None)


def draw(folders: Sequence[Path], patterns: Sequence[str] = SHOWN, *, hours: bool = False) -> Figure:
    """Return the curves of some runs, a colour each.

    Args:
        folders: of the runs.
        patterns: which figures, with ``*`` for anything.
        hours: whether they are drawn over hours, in place of decisions.

    Raises:
        ValueError: if there is no such run, or no such figure in any of them.
    """
    runs = {str(folder): read_curves(folder) for folder in folders}
    logged = dict.fromkeys(name for curves in runs.values() for name in curves)
    names = [name for name in logged if any(fnmatchcase(name, pattern) for pattern in patterns)]
    if not names:
        raise ValueError(f"no figure matches {' '.join(patterns)}: there are {', '.join(logged)}")
    names.sort(key=lambda name: not name.startswith("points/"))

    from matplotlib.figure import Figure

    rows, columns = -(-len(names) // _COLUMNS), min(len(names), _COLUMNS)
    figure = Figure(figsize=(1 + 4.6 * columns, 0.5 + 3.0 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, name in zip(panels, names, strict=False):
        _panel(axes, name, [curves.get(name) for curves in runs.values()], hours)
    for axes in panels[len(names) :]:
        axes.set_axis_off()
    if len(runs) > 1:
        from matplotlib.lines import Line2D

        figure.legend([Line2D([], [], color=f"C{i}") for i in range(len(runs))], list(runs), loc="outside upper left")
    return figure


def _panel(axes: Any, name: str, curves: Sequence[Curve | None], hours: bool) -> None:
    """Draw one figure of all runs; None for a run that has not logged it."""
    for number, curve in enumerate(curves):
        if curve is None:
            continue
        color, x = f"C{number}", curve.hours if hours else curve.decisions
        if curve.interval is not None:
            axes.fill_between(x, *curve.interval, color=color, alpha=0.2, linewidth=0)
            axes.plot(x, curve.values, color=color, marker="o", markersize=3)
        elif len(x) < _NOISY:
            axes.plot(x, curve.values, color=color)
        else:
            axes.plot(x, curve.values, color=color, alpha=0.25, linewidth=0.8)
            axes.plot(x, _running_mean(curve.values, len(x) // 20), color=color)
    kind, _, rest = name.partition("/")
    if kind == "points":
        rules, _, level = rest.partition("/")
        axes.axhline(0, color="0.3", linewidth=1, linestyle="--")
        axes.margins(y=0.15)
        axes.annotate(level, (1, 0), xycoords=("axes fraction", "data"), xytext=(-3, 3), textcoords="offset points",
                      ha="right", color="0.3")  # fmt: skip
        name = f"{rules}: points a deal against {level}"
    axes.set_title(name, fontsize=10)
    axes.set_xlabel("hours" if hours else "decisions")
    if not hours:
        from matplotlib.ticker import EngFormatter

        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.grid(alpha=0.3)


def _running_mean(values: np.ndarray, width: int) -> np.ndarray:
    """Return the means over ``width`` values around each, over fewer at the ends."""
    kernel = np.ones(2 * (width // 2) + 1)
    known = np.convolve(np.ones(len(values)), kernel, "same")
    return np.convolve(values, kernel, "same") / known
