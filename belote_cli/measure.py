"""What ``eval``, ``benchmark`` and ``losses`` share: workers and store, progress, tables."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from belote_cli.common import UsageError, check_at_least, check_writable

if TYPE_CHECKING:
    from belote_env.rules import Rules
    from training.comparison import Comparison
    from training.report import Grid
    from training.store import Store


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--workers``, ``--ray`` and ``--json``."""
    parser.add_argument("--workers", type=int, metavar="N", help="processes (default: one a core)")
    parser.add_argument(
        "--ray", nargs="?", const="", metavar="ADDRESS", help="play on a Ray cluster (default: one of its own, here)"
    )
    parser.add_argument("--json", metavar="FILE", help="write the result; a list of them if there are several")


def add_store_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--store``."""
    parser.add_argument("--store", metavar="FILE", help="keep results there (SQLite) and play nothing twice")


def check_run_options(args: argparse.Namespace) -> None:
    """Tell what is wrong with those options, and with ``--deals``, before anything is played."""
    if args.workers is None:
        args.workers = os.cpu_count() or 1
    check_at_least(args, 1, "deals", "workers")
    if args.ray is not None and importlib.util.find_spec("ray") is None:
        raise UsageError('--ray needs Ray: pip install "belote-env[ray]"')
    for option in ("json", "store"):
        path = getattr(args, option, None)
        if path is not None:
            check_writable(f"--{option}", path)
    store = getattr(args, "store", None)
    if args.json is not None and store is not None and os.path.realpath(args.json) == os.path.realpath(store):
        raise UsageError("--json and --store name the same file")


def check_agents(agents: Iterable[str], rule_sets: Iterable[Rules]) -> None:
    """Tell which agent there is not, or does not play these rules."""
    from agents.registry import make

    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # so that the installed command finds module:object where the user stands
    try:
        for rules in rule_sets:
            for agent in agents:
                make(agent, rules, 0)
    except ValueError as error:
        raise UsageError(str(error)) from None


@contextlib.contextmanager
def open_store(path: str | None) -> Iterator[Store | None]:
    """Open the store, if one was named."""
    if path is None:
        yield None
        return
    from training.store import Store, StoreError

    try:
        with Store(path) as store:
            yield store
    except StoreError as error:
        raise UsageError(str(error)) from None


def measure(
    pairs: Iterable[tuple[str, str]], rules: Rules, deals: int, seed: int, **options: Any
) -> Iterator[Comparison]:
    """Yield each pair's result, with progress on a terminal; Ctrl-C ends it with what was played, be it nothing.

    Args:
        pairs: who plays whom.
        rules: the rule set.
        deals: for each pair.
        seed: of cards and agents.
        options: further arguments of :func:`training.arena.compare`.
    """
    from training.arena import compare
    from training.report import difference

    for pair in pairs:
        with progress(deals, f"{' - '.join(pair)}, {rules}") as show:
            result = compare(
                pair, rules, deals, seed, report=lambda result: show(result.deals, difference(result)), **options
            )
        if result.interrupted:
            unit = "matches" if result.pairing.match else "deals"
            tell_interruption(result.deals, deals, unit, rules)
        yield result
        if result.interrupted:
            return


def tell_interruption(played: int, deals: int, unit: str, rules: Rules) -> None:
    """Say how far it came before Ctrl-C."""
    print(f"belote: stopped after {played} of {deals} {unit} of {rules}", file=sys.stderr)


@contextlib.contextmanager
def progress(deals: int, name: str) -> Iterator[Callable[[int, str], None]]:
    """One line on a terminal: how far, how fast, how long still, the score so far. Nothing elsewhere.

    It also tells in one line of an agent's illegal action, and of a cluster that there is not.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from belote_env.errors import IllegalActionError

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}/s"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[score]}"),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    task = bar.add_task(name, total=deals, speed="-", score="")

    def show(completed: int, score: str) -> None:
        speed = bar.tasks[0].speed
        bar.update(task, completed=completed, speed="-" if speed is None else f"{speed:.1f}", score=score)

    try:
        with bar:
            yield show
    except (IllegalActionError, ConnectionError) as error:
        raise UsageError(str(error)) from None


def print_grids(grids: Iterable[Grid]) -> None:
    """Print tables."""
    from rich.console import Console

    # What is piped into a file or another program is not cut to the width of a terminal.
    console = Console(width=None if sys.stdout.isatty() else 240, highlight=False)
    for grid in grids:
        console.print(grid.to_rich())
        console.print()
