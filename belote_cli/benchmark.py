"""``belote benchmark AGENT``: the score card of an agent, on frozen deals against a frozen panel."""

from __future__ import annotations

import argparse
import importlib.util
import json
from typing import Any

from belote_cli.common import UsageError, rules_from
from belote_cli.measure import (
    add_run_options,
    add_store_option,
    check_agents,
    check_run_options,
    measure,
    open_store,
    print_grids,
)

_DESCRIPTION = """Play AGENT on frozen duplicate deals against a frozen panel of anchors and print its score card:
points a deal against each anchor with 95% intervals, rating, time of a decision. Results compare when game, deals and
anchors are the same. --json FILE holds "format", "agent" (with its fingerprint), "rules", "deals", "checksum",
"results" (each as belote eval writes it) and "ratings". An anchor may take hours: --store FILE lets a run be stopped
and continued."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "benchmark", help="the score card of an agent on frozen deals", description=_DESCRIPTION
    )
    parser.add_argument("agent", metavar="AGENT", help="as for belote eval")
    parser.add_argument("--rules", default="coinche", metavar="PRESET", help="the game (default coinche)")
    parser.add_argument(
        "--set", choices=("dev", "report"), default="dev", help="2,000 deals to develop on, or 10,000 to report on"
    )
    parser.add_argument("--deals", type=int, metavar="N", help="only the first N deals, for a first look")
    parser.add_argument("--anchors", nargs="+", metavar="B", help="only some of the panel")
    add_run_options(parser)
    add_store_option(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Play, show the score card, write the JSON; Ctrl-C keeps what was played and gives 130."""
    from belote_env.files import write_atomically
    from belote_env.warmup import warm_up
    from training.benchmark import ANCHORS, CHECKSUMS, DEALS, SEEDS, checksum, score_card
    from training.rating import ratings
    from training.report import grids

    games = sorted({game for game, _ in CHECKSUMS})
    if args.rules not in games:
        raise UsageError(f"no benchmark of {args.rules!r}: choose from {', '.join(games)}")
    if importlib.util.find_spec("choix") is None:
        raise UsageError('benchmark needs choix: pip install "belote-env[eval]"')
    anchors = [anchor for anchor in args.anchors or ANCHORS if anchor != args.agent]
    for anchor in anchors:
        if anchor not in ANCHORS:
            raise UsageError(f"{anchor!r} is not in the panel: choose from {', '.join(ANCHORS)}")
    if len(set(anchors)) < len(anchors):
        raise UsageError("an anchor is given twice")
    if not anchors:
        raise UsageError(f"{args.agent} is its own only anchor")
    args.deals = min(DEALS[args.set], DEALS[args.set] if args.deals is None else args.deals)
    check_run_options(args)
    rules = rules_from(args.rules, [])
    check_agents((args.agent, *anchors), [rules])
    warm_up()
    if checksum(rules, args.set) != CHECKSUMS[args.rules, args.set]:
        raise UsageError(f"the deals of {args.rules} {args.set} are not the frozen ones: another version dealt those")
    with open_store(args.store) as store:
        pairs = [(args.agent, anchor) for anchor in anchors]
        found = measure(pairs, rules, args.deals, SEEDS[args.set], workers=args.workers, ray=args.ray, store=store)
        measured = list(found)
    results = [result for result in measured if result.deals]
    if not results:
        return 130
    rated = ratings(results)
    print_grids(grids(results, [rated]))
    own = next(rating for rating in rated if rating.agent == args.agent)
    panel = "" if len(results) == len(ANCHORS) or args.agent in ANCHORS else f" (part of the panel: {len(results)})"
    print(f"{args.agent}: rating {own.elo:.0f}, 95% interval {own.ci95[0]:.0f} to {own.ci95[1]:.0f}{panel}")
    if args.json:
        write_atomically(args.json, json.dumps(score_card(args.agent, args.set, results, rated), indent=1) + "\n")
    return 130 if measured[-1].interrupted else 0
