"""``belote eval A B``: agents on duplicate deals or matches, with confidence intervals."""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from belote_cli.common import UsageError, add_set_option, check_at_least, check_folder, rules_from
from belote_cli.measure import (
    add_run_options,
    add_store_option,
    check_agents,
    check_run_options,
    measure,
    open_store,
    print_grids,
)

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
    parser.add_argument(
        "a", metavar="A", help="an agent: random, easy, normal, hard, crazy, net:NAME, or another of docs/evaluation.md"
    )
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
    add_run_options(parser)
    add_store_option(parser)
    parser.add_argument("--report", metavar="DIR", help="write a page with tables and plots (HTML, Markdown, PNG)")
    return parser


def run(args: argparse.Namespace) -> int:
    """Play, show progress and the tables, write the files; Ctrl-C keeps what was played and gives 130."""
    from belote_env.rules import Rules
    from belote_env.warmup import warm_up
    from training.rating import ratings
    from training.report import by_rules, grids

    presets = Rules.presets() if args.rules == "all" else (args.rules,)
    rule_sets = [rules_from(preset, args.options) for preset in presets]
    _check(args, rule_sets)
    warm_up()
    with open_store(args.store) as store:
        measured = _measure_all(args, rule_sets, store)
    results = [result for result in measured if result.deals]
    if not results:
        return 130
    rated = [ratings(group) for group in by_rules(results)] if args.all_pairs else []
    print_grids(grids(results, rated))
    times = {"team": "twice", "table": "four times"}[args.protocol]
    unit = "matches" if args.match else "deals"
    print(
        f"up to {args.deals} {unit} a row, each played {times}; "
        "± is the 95% confidence interval of the paired differences"
    )
    if args.json:
        _write(args, results, rated, as_list=len(rule_sets) * len(args.others) > 1)
    if args.report:
        from training.page import write_page

        write_page(Path(args.report), results, rated)
    return 130 if measured[-1].interrupted else 0


def _check(args: argparse.Namespace, rule_sets: list[Rules]) -> None:
    check_run_options(args)
    check_at_least(args, 0, "seed")
    if args.until_sure is not None and not 0.5 < args.until_sure < 1:
        raise UsageError(f"--until-sure is {args.until_sure:g}, expected a number between 0.5 and 1")
    if len({args.a, *args.others}) <= len(args.others) > 1:
        raise UsageError("an agent is given twice")
    if args.report is not None:
        check_folder("--report", args.report)
    for option, wanted, module in (("all-pairs", args.all_pairs, "choix"), ("report", args.report, "matplotlib")):
        if wanted and importlib.util.find_spec(module) is None:
            raise UsageError(f'--{option} needs {module}: pip install "belote-env[eval]"')
    check_agents((args.a, *args.others), rule_sets)


def _measure_all(args: argparse.Namespace, rule_sets: list[Rules], store: Store | None) -> list[Comparison]:
    """Return what was measured, as far as Ctrl-C let it."""
    agents = (args.a, *args.others)
    pairs = list(itertools.combinations(agents, 2) if args.all_pairs else itertools.product(agents[:1], agents[1:]))
    results: list[Comparison] = []
    for rules in rule_sets:
        results += measure(
            pairs,
            rules,
            args.deals,
            args.seed,
            protocol=args.protocol,
            match=args.match,
            workers=args.workers,
            ray=args.ray,
            store=store,
            until_sure=args.until_sure,
        )
        if results[-1].interrupted:
            break
    return results


def _write(args: argparse.Namespace, results: list[Comparison], rated: list[list[Rating]], as_list: bool) -> None:
    from belote_env.files import write_atomically
    from training.report import by_rules

    entries = [result.to_dict() for result in results]
    content: Any = entries if as_list else entries[0]
    if args.all_pairs:
        rules = [group[0].pairing.rules.to_dict() for group in by_rules(results)]
        content = {
            "results": entries,
            "ratings": [{"rules": r, **one.to_dict()} for r, ones in zip(rules, rated, strict=True) for one in ones],
        }
    write_atomically(args.json, json.dumps(content, indent=1) + "\n")
