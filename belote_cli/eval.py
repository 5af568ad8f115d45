"""``belote eval A B``: agents on duplicate deals or matches, with confidence intervals."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import itertools
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from belote_cli.common import UsageError, add_set_option, rules_from

if TYPE_CHECKING:
    from belote_env.rules import Rules
    from training.comparison import Comparison
    from training.rating import Rating
    from training.store import Store

_DESCRIPTION = """Play A against B, or each of several, on duplicate deals: each deal is played twice, with the cards
of the two sides exchanged the second time (--protocol team: two of A against two of B), or four times (table: one A,
on each seat in turn, with a partner of B's level but at least Hard, against two of B). The difference is A's score
minus B's in points a deal, or a match, with its 95% interval. --json FILE holds "agents" [A, B], "rules", "protocol",
"match", "deals" (distinct deals or matches), "seed", "mean_difference", "ci95" and "bootstrap95" [low, high] (null
for one deal), "won" (tables A won, drew, lost), "win_rate", "win_rate_ci95" (null without --match), "until_sure",
"always_valid" and "sure", and of all tables "contracts" (A's, B's: bid, made, doubled, by denomination and value,
points as taker and defender, declarations, decisions, latency, faults) and "thrown_in"; "seconds", "deals_per_second"
(of one worker), "interrupted". With --all-pairs it is {"results": [...], "ratings": [{"rules", "agent", "elo",
"ci95", "games"}, ...]}."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "eval", help="measure agents against each other on duplicate deals", description=_DESCRIPTION
    )
    parser.add_argument("a", metavar="A", help="an agent: random, easy, normal, hard, crazy, or module:object")
    parser.add_argument("others", metavar="B", nargs="+", help="the agents to compare it with")
    parser.add_argument("--rules", default="belote", metavar="PRESET", help="a preset, or 'all' (default belote)")
    add_set_option(parser)
    parser.add_argument(
        "--deals", type=int, default=1000, metavar="N", help="distinct deals, each played twice (default 1000)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of cards and agents (default 0)")
    parser.add_argument("--protocol", choices=("team", "table"), default="team", help="who sits where (default team)")
    parser.add_argument("--match", action="store_true", help="play matches to the target of the rules; N counts them")
    parser.add_argument("--all-pairs", action="store_true", help="everybody against everybody, with ratings")
    parser.add_argument(
        "--until-sure", type=float, metavar="P", help="stop once it is that sure who is stronger, as 0.99"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="processes (default: one a core)")
    parser.add_argument("--store", metavar="FILE", help="keep results there (SQLite) and play nothing twice")
    parser.add_argument("--json", metavar="FILE", help="write the result; a list of them if there are several")
    return parser


def run(args: argparse.Namespace) -> int:
    """Play, show progress and the tables, write the JSON; Ctrl-C keeps what was played and gives 130."""
    from belote_env.rules import Rules
    from belote_env.warmup import warm_up

    presets = Rules.presets() if args.rules == "all" else (args.rules,)
    rule_sets = [rules_from(preset, args.options) for preset in presets]
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # so that the installed command finds module:object where the user stands
    _check(args, rule_sets)
    warm_up()
    with _store(args.store) as store:
        results = _measure_all(args, rule_sets, store)
    if not results:
        return 130
    rated = _rated(results) if args.all_pairs else []
    _show(args, results, rated)
    if args.json:
        _write(args, results, rated, as_list=len(rule_sets) * len(args.others) > 1)
    return 130 if results[-1].interrupted else 0


def _check(args: argparse.Namespace, rule_sets: list[Rules]) -> None:
    from agents.registry import make

    if args.workers is None:
        args.workers = os.cpu_count() or 1
    for name, value, least in (("deals", args.deals, 1), ("seed", args.seed, 0), ("workers", args.workers, 1)):
        if value < least:
            raise UsageError(f"--{name} is {value}, expected {least} or more")
    if args.until_sure is not None and not 0.5 < args.until_sure < 1:
        raise UsageError(f"--until-sure is {args.until_sure:g}, expected a number between 0.5 and 1")
    if len({args.a, *args.others}) <= len(args.others) > 1:
        raise UsageError("an agent is given twice")
    if args.all_pairs and importlib.util.find_spec("choix") is None:
        raise UsageError('--all-pairs needs choix: pip install "belote-env[eval]"')
    try:
        for rules in rule_sets:
            for agent in (args.a, *args.others):
                make(agent, rules, args.seed)
    except ValueError as error:
        raise UsageError(str(error)) from None
    for option, path in (("json", args.json), ("store", args.store)):
        if path is not None:
            folder = os.path.dirname(path) or "."
            writable = os.path.isdir(folder) and os.access(folder, os.W_OK)
            if not path or not writable or os.path.isdir(path):
                raise UsageError(f"--{option} {path}: expected a file in a folder that can be written to")


@contextlib.contextmanager
def _store(path: str | None) -> Iterator[Store | None]:
    if path is None:
        yield None
        return
    from training.store import Store

    try:
        store = Store(path)
    except ValueError as error:
        raise UsageError(str(error)) from None
    with store:
        yield store


def _measure_all(args: argparse.Namespace, rule_sets: list[Rules], store: Store | None) -> list[Comparison]:
    """Return what was measured, as far as Ctrl-C let it."""
    from belote_env.errors import IllegalActionError
    from training.arena import compare

    agents = (args.a, *args.others)
    pairs = list(itertools.combinations(agents, 2) if args.all_pairs else itertools.product(agents[:1], agents[1:]))
    results: list[Comparison] = []
    for rules in rule_sets:
        for pair in pairs:
            with _progress(args.deals, f"{' - '.join(pair)}, {rules}") as show:
                try:
                    result = compare(
                        pair,
                        rules,
                        args.deals,
                        args.seed,
                        protocol=args.protocol,
                        match=args.match,
                        workers=args.workers,
                        store=store,
                        until_sure=args.until_sure,
                        report=show,
                    )
                except IllegalActionError as error:
                    raise UsageError(str(error)) from None
            if result.deals:
                results.append(result)
            if result.interrupted:
                unit = "matches" if args.match else "deals"
                print(f"belote: stopped after {result.deals} of {args.deals} {unit} of {rules}", file=sys.stderr)
                return results
    return results


def _by_rules(results: list[Comparison]) -> list[list[Comparison]]:
    return [list(group) for _, group in itertools.groupby(results, key=lambda result: result.pairing.rules)]


def _rated(results: list[Comparison]) -> list[list[Rating]]:
    """Return the ratings under each rule set."""
    from training.rating import ratings

    return [ratings(group) for group in _by_rules(results)]


def _show(args: argparse.Namespace, results: list[Comparison], rated: list[list[Rating]]) -> None:
    from rich.console import Console

    from training.report import cross_table, details, ladder, overview

    grids = [overview(results)]
    if len(results) == 1:
        grids += details(results[0])
    for group, ladder_ in zip(_by_rules(results), rated, strict=False):
        grids += [cross_table(group), ladder(f"{group[0].pairing.rules}: ratings", ladder_)]
    # What is piped into a file or another program is not cut to the width of a terminal.
    console = Console(width=None if sys.stdout.isatty() else 240, highlight=False)
    for grid in grids:
        console.print(grid.to_rich())
        console.print()
    times = {"team": "twice", "table": "four times"}[args.protocol]
    unit = "matches" if args.match else "deals"
    print(
        f"up to {args.deals} {unit} a row, each played {times}; "
        "± is the 95% confidence interval of the paired differences"
    )


def _write(args: argparse.Namespace, results: list[Comparison], rated: list[list[Rating]], as_list: bool) -> None:
    from belote_env.files import write_atomically

    entries = [result.to_dict() for result in results]
    content: Any = entries if as_list else entries[0]
    if args.all_pairs:
        rules = [group[0].pairing.rules.to_dict() for group in _by_rules(results)]
        content = {
            "results": entries,
            "ratings": [{"rules": r, **one.to_dict()} for r, ones in zip(rules, rated, strict=True) for one in ones],
        }
    write_atomically(args.json, json.dumps(content, indent=1) + "\n")


@contextlib.contextmanager
def _progress(deals: int, name: str) -> Iterator[Callable[[Comparison], None]]:
    """One line on a terminal: how far, how fast, how long still, the score so far. Nothing elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from training.report import difference

    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}/s"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[score]}"),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    task = progress.add_task(name, total=deals, speed="-", score="")

    def show(result: Comparison) -> None:
        speed = progress.tasks[0].speed
        progress.update(
            task, completed=result.deals, speed="-" if speed is None else f"{speed:.1f}", score=difference(result)
        )

    with progress:
        yield show
