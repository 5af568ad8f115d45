"""``belote bench``: how fast everything is on this machine, beside other libraries where they are installed."""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import platform
import sys
from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Any

from belote_cli.common import UsageError, check_writable, rules_from


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "bench", help="measure the speed of the engine and the environments"
    )
    parser.add_argument("--rules", default="coinche", metavar="PRESET", help="rule set of the environment loops")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each figure (default 1)")
    parser.add_argument("--peers", action="store_true", help='measure other libraries too (pip install ".[bench]")')
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--plot", metavar="FILE.png", help="measure and draw growth with games and threads")
    return parser


def run(args: argparse.Namespace) -> None:
    """Measure, print as it goes, and write the files asked for."""
    import numba
    import numpy as np

    import belote_env
    from belote_env import benchmark
    from belote_env.files import write_atomically
    from belote_env.rules import Rules
    from belote_env.warmup import warm_up

    _check(args)
    warm_up()
    cores = os.cpu_count() or 1
    machine = {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "processor": _processor(),
        "cores": cores,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "belote-env": belote_env.__version__,
    }
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    rows: list[dict[str, Any]] = []
    for measured in (
        lambda: benchmark.engine(Rules.presets(), args.seconds),
        lambda: benchmark.vector(args.rules, args.seconds),
        lambda: benchmark.aec(args.rules, args.seconds),
        lambda: benchmark.single(args.rules, args.seconds),
    ):
        rows += _printed(measured())
    figures: dict[str, Any] = {"machine": machine, "rules": args.rules, "seconds": args.seconds, "rows": rows}
    print("\nwhere the time of a step goes, on one core")
    figures["profile"] = _printed(benchmark.profile(args.rules))
    if args.plot is not None:
        figures["growth"] = benchmark.growth(args.rules, sorted({1, cores}), args.seconds)
        write_atomically(args.plot, _plot(figures))
    figures["solver"] = _solver(args.seconds)
    figures["networks"] = _networks(args.rules, args.seconds, cores)
    if args.peers:
        # Last: some leave threads of their own running.
        figures["peers"] = _peers(args.rules, rows, args.seconds)
    if args.json is not None:
        write_atomically(args.json, json.dumps(figures, indent=1) + "\n")


def _check(args: argparse.Namespace) -> None:
    rules_from(args.rules, [])
    if not 0 < args.seconds < math.inf:
        raise UsageError(f"--seconds is {args.seconds}, expected more than 0")
    for option in ("json", "plot"):
        if getattr(args, option) is not None:
            check_writable(f"--{option}", getattr(args, option))
    if args.plot is not None:
        if not args.plot.endswith(".png"):
            raise UsageError(f"--plot {args.plot}: expected a name that ends in .png")
        if importlib.util.find_spec("matplotlib") is None:
            raise UsageError('--plot needs matplotlib: pip install "belote-env[eval]"')


def _printed(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Print rows as they come and return them."""
    printed = []
    for row in rows:
        print(f"{row['name']:<52} {row['value']:>14,.0f} {row['unit']}", flush=True)
        printed.append(row)
    return printed


def _processor() -> str:
    """Return the processor's name, as far as the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _solver(seconds: float) -> list[dict[str, Any]]:
    from belote_env.solver.benchmark import benchmark_dds, benchmark_solver

    print(f"\n{'double dummy, ms':<46} {'median':>9} {'mean':>9} {'95%':>9} {'max':>9} {'nodes':>9}")
    rows = []
    for measured in (benchmark_solver(seconds), benchmark_dds(seconds)):
        for row in measured:
            times = "".join(f"{row[key]:>10.3f}" for key in ("median", "value", "p95", "max"))
            nodes = f"{row['nodes']:>10,.0f}" if "nodes" in row else ""
            print(f"{row['name']:<46}{times}{nodes}", flush=True)
            rows.append(row)
    return rows


def _networks(rules: str, seconds: float, cores: int) -> list[dict[str, Any]]:
    try:
        from agents.benchmark import benchmark_networks
        from training.throughput import benchmark_training
    except ImportError as error:
        print(f'\nnetworks need {error.name}: pip install "belote-env[train]"')
        return []
    print("\nnetworks, from what a seat sees to its action")
    rows = _printed(benchmark_networks(seconds, sorted({1, cores})))
    print("\ntraining, from deals to lessons learned")
    return rows + _printed(benchmark_training(rules, cores))


def _peers(rules: str, rows: list[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
    from belote_env.peers import measure_peers

    by_name = {row["name"]: row["value"] for row in rows}
    ours = {
        "engine loop": by_name[f"engine loop, {rules}"],
        "vector env": by_name["vector env, 8,192 games, bytes observations"],
        "AEC loop": by_name["AEC loop (raw_env, with observations)"],
    }
    peers = measure_peers(seconds, lambda message: print(message, file=sys.stderr))
    print(f"\n{'peer':<46} {'steps/s':>12}" + "".join(f"{'our ' + name:>16}" for name in ours))
    for row in peers:
        row["ratios"] = {name: value / row["value"] for name, value in ours.items()}
        print(f"{row['name']:<46} {row['value']:>12,.0f}" + "".join(f"{x:>15.2f}x" for x in row["ratios"].values()))
    return peers


def _plot(figures: dict[str, Any]) -> bytes:
    from matplotlib.figure import Figure

    from training.plots import png

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for threads in sorted({point["threads"] for point in figures["growth"]}):
        points = [point for point in figures["growth"] if point["threads"] == threads]
        label = f"{threads} thread{'s' if threads > 1 else ''}"
        axes.plot([p["games"] for p in points], [p["value"] / 1e6 for p in points], marker="o", label=label)
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("games in lockstep")
    axes.set_ylabel("million steps a second, observations and masks")
    machine = figures["machine"]
    axes.set_title(f"{figures['rules']}, {machine['processor']}, {machine['date']}", fontsize=9)
    axes.legend()
    axes.grid(alpha=0.3)
    return png(figure)
