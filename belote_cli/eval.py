"""``belote eval A B``: two agents on duplicate deals, with a confidence interval."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from belote_cli.common import UsageError, add_set_option, rules_from

if TYPE_CHECKING:
    from belote_env.rules import Rules
    from training.arena import Comparison

_DESCRIPTION = """Play A against B on duplicate deals: each deal is played twice, with the cards of the two sides
exchanged the second time. The difference is A's score minus B's in points a deal, with its 95% interval; agents sit
in teams of two of a kind. --json FILE holds "agents" [A, B], "rules", "deals" (distinct deals, each played twice),
"seed", "mean_difference", "ci95" [low, high] (null for one deal), and of both tables "contracts" (A's, B's: bid, made,
doubled) and "thrown_in"; "seconds", "deals_per_second", "interrupted"."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "eval", help="measure one agent against another on duplicate deals", description=_DESCRIPTION
    )
    parser.add_argument("a", metavar="A", help="an agent: random, easy, or module:object")
    parser.add_argument("b", metavar="B", help="the agent to compare with")
    parser.add_argument("--rules", default="belote", metavar="PRESET", help="a preset, or 'all' (default belote)")
    add_set_option(parser)
    parser.add_argument(
        "--deals", type=int, default=1000, metavar="N", help="distinct deals, each played twice (default 1000)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of cards and agents (default 0)")
    parser.add_argument("--json", metavar="FILE", help="write the result; a list of them with --rules all")
    return parser


def run(args: argparse.Namespace) -> int:
    """Play, show progress and the table, write the JSON; Ctrl-C keeps what was played and gives 130."""
    from belote_env.rules import Rules
    from belote_env.warmup import warm_up

    presets = Rules.presets() if args.rules == "all" else (args.rules,)
    rule_sets = [rules_from(preset, args.options) for preset in presets]
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # so that the installed command finds module:object where the user stands
    _check(args, rule_sets)
    warm_up()
    results = _measure_all(args, rule_sets)
    if not any(result.deals for result in results):
        return 130
    if args.json:
        _write(args.json, results, as_list=args.rules == "all")
    return 130 if results[-1].interrupted else 0


def _check(args: argparse.Namespace, rule_sets: list[Rules]) -> None:
    from agents.registry import make

    if args.deals < 1:
        raise UsageError(f"--deals is {args.deals}, expected 1 or more")
    if args.seed < 0:
        raise UsageError(f"--seed is {args.seed}, expected 0 or more")
    try:
        for rules in rule_sets:
            for agent in (args.a, args.b):
                make(agent, rules, args.seed)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if args.json is not None:
        folder = os.path.dirname(args.json) or "."
        writable = os.path.isdir(folder) and os.access(folder, os.W_OK)
        if not args.json or not writable or os.path.isdir(args.json):
            raise UsageError(f"--json {args.json}: expected a file in a folder that can be written to")


def _measure_all(args: argparse.Namespace, rule_sets: list[Rules]) -> list[Comparison]:
    """Print a table with a row for each rule set, as far as Ctrl-C lets it; return what was measured."""
    from belote_env.errors import IllegalActionError
    from training.arena import compare

    width = max(24, *(len(str(rules)) for rules in rule_sets))
    results: list[Comparison] = []
    print(_line("rules", width, "A - B, points a deal", "A bid/made/dbl", "B bid/made/dbl", "thrown in", "deals/s"))
    for rules in rule_sets:
        progress = _Progress(args.deals, str(rules))
        try:
            result = compare((args.a, args.b), rules, args.deals, args.seed, report=progress.show)
        except IllegalActionError as error:
            raise UsageError(str(error)) from None
        finally:
            progress.clear()
        results.append(result)
        if result.deals:
            print(_row(result, width), flush=True)
        if result.interrupted:
            print(f"belote: stopped after {result.deals} of {args.deals} deals of {rules}", file=sys.stderr)
            break
    print(
        f"A = {args.a}, B = {args.b}; up to {args.deals} deals a row, each played twice; seed {args.seed}; "
        "± is the 95% confidence interval of the paired differences"
    )
    return results


def _write(path: str, results: list[Comparison], as_list: bool) -> None:
    from belote_env.files import write_atomically

    entries = [result.to_dict() for result in results if result.deals]
    write_atomically(path, json.dumps(entries if as_list else entries[0], indent=1) + "\n")


class _Progress:
    """One line on a terminal: how far, how fast, how long still, the score so far. Nothing elsewhere."""

    def __init__(self, deals: int, name: str) -> None:
        self._deals, self._name, self._last = deals, name, 0.0
        self._terminal = sys.stderr.isatty()

    def show(self, result: Comparison) -> None:
        now = time.monotonic()
        if not self._terminal or now - self._last < 0.2:
            return
        self._last = now
        rate = result.deals_per_second
        filled = 20 * result.deals // self._deals
        print(
            f"\r\033[K{self._name} [{'#' * filled}{'.' * (20 - filled)}] {result.deals}/{self._deals} "
            f"{rate:.0f} deals/s, {(self._deals - result.deals) / rate:.0f} s left, {_difference(result)}",
            end="",
            file=sys.stderr,
            flush=True,
        )

    def clear(self) -> None:
        if self._terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _line(rules: str, width: int, difference: str, a: str, b: str, thrown_in: str, rate: str) -> str:
    return f"{rules:<{width}} {difference:>22} {a:>18} {b:>18} {thrown_in:>9} {rate:>8}"


def _row(result: Comparison, width: int) -> str:
    a, b = (f"{side.bid}/{side.made}/{side.doubled}" for side in result.contracts)
    rate = f"{result.deals_per_second:.0f}"
    return _line(str(result.rules), width, _difference(result), a, b, str(result.thrown_in), rate)


def _difference(result: Comparison) -> str:
    spread = "" if result.half_width is None else f" ± {result.half_width:.2f}"
    return f"{result.mean_difference:+.2f}{spread}"
