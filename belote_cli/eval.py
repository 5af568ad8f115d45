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


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "eval",
        help="measure one agent against another on duplicate deals",
        description="Each deal is played twice, with the cards of the two sides exchanged the second time.",
    )
    parser.add_argument("a", metavar="A", help="an agent: random, easy, or module:object")
    parser.add_argument("b", metavar="B", help="the agent to compare with")
    parser.add_argument("--rules", default="belote", metavar="PRESET", help="a preset, or 'all' (default belote)")
    add_set_option(parser)
    parser.add_argument("--deals", type=int, default=1000, metavar="N", help="duplicate deals (default 1000)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of cards and agents (default 0)")
    parser.add_argument("--json", metavar="FILE", help="write the result; a list of them with --rules all")
    return parser


def run(args: argparse.Namespace) -> int:
    """Play, show progress and the table, write the JSON; Ctrl-C keeps what was played."""
    from belote_env.files import write_atomically
    from belote_env.rules import Rules
    from belote_env.warmup import warm_up

    presets = Rules.presets() if args.rules == "all" else (args.rules,)
    rule_sets = [rules_from(preset, args.options) for preset in presets]
    _check(args, rule_sets[0])
    warm_up()
    results: list[Comparison] = []
    interrupted = False
    print(_HEADER)
    for rules in rule_sets:
        result, interrupted = _measure(args, rules)
        if result is not None:
            results.append(result)
            print(_row(result), flush=True)
        if interrupted:
            break
    if results:
        print(_footer(results))
    if args.json and results:
        entries = [result.to_dict() for result in results]
        write_atomically(args.json, json.dumps(entries if args.rules == "all" else entries[0], indent=1) + "\n")
    return 130 if interrupted else 0


def _check(args: argparse.Namespace, rules: Rules) -> None:
    from agents.registry import make

    try:
        for agent in (args.a, args.b):
            make(agent, rules, 0)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if args.deals < 1:
        raise UsageError(f"--deals is {args.deals}, expected 1 or more")
    if args.seed < 0:
        raise UsageError(f"--seed is {args.seed}, expected 0 or more")
    folder = os.path.dirname(args.json or "") or "."
    if args.json and (not os.path.isdir(folder) or not os.access(folder, os.W_OK) or os.path.isdir(args.json)):
        raise UsageError(f"--json {args.json}: expected a file in a folder that can be written to")


def _measure(args: argparse.Namespace, rules: Rules) -> tuple[Comparison | None, bool]:
    """Return the comparison as far as it came, and whether Ctrl-C ended it."""
    from training.arena import compare

    result = None
    progress = _Progress(args.deals, str(rules))
    try:
        for result in compare((args.a, args.b), rules, args.deals, args.seed):
            progress.show(result)
    except KeyboardInterrupt:
        print(f"\nstopped after {result.deals if result else 0} of {args.deals} deals", file=sys.stderr)
        return result, True
    finally:
        progress.clear()
    return result, False


class _Progress:
    """One line on a terminal: how far, how fast, how long still, the score so far."""

    def __init__(self, deals: int, name: str) -> None:
        self._deals, self._name, self._last = deals, name, 0.0
        self._terminal = sys.stderr.isatty()

    def show(self, result: Comparison) -> None:
        now = time.monotonic()
        if not self._terminal or now - self._last < 0.2:
            return
        self._last = now
        rate = result.deals / max(result.seconds, 1e-9)
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


_COLUMNS = ("A bid/made/dbl", "B bid/made/dbl")
_HEADER = (
    f"{'rules':<24} {'A - B, points a deal':>22} {_COLUMNS[0]:>18} {_COLUMNS[1]:>18} {'thrown in':>9} {'deals/s':>8}"
)


def _difference(result: Comparison) -> str:
    spread = "" if result.half_width is None else f" ± {result.half_width:.2f}"
    return f"{result.mean_difference:+.2f}{spread}"


def _row(result: Comparison) -> str:
    sides = [f"{side.bid}/{side.made}/{side.doubled}" for side in result.contracts]
    rate = result.deals / max(result.seconds, 1e-9)
    return (
        f"{result.rules!s:<24} {_difference(result):>22} {sides[0]:>18} {sides[1]:>18} "
        f"{result.thrown_in:>9} {rate:>8.0f}"
    )


def _footer(results: list[Comparison]) -> str:
    a, b = results[0].agents
    return (
        f"A = {a}, B = {b}; {results[-1].deals} duplicate deals each, seed {results[0].seed}; "
        "± is the 95% confidence interval of the paired differences"
    )
