"""``belote losses A B``: where the cards of two agents lose points against double dummy."""

from __future__ import annotations

import argparse
import json
from typing import Any

from belote_cli.common import add_set_option, check_at_least, rules_from
from belote_cli.measure import (
    add_run_options,
    check_agents,
    check_run_options,
    print_grids,
    progress,
    tell_interruption,
)

_DESCRIPTION = """Play A against B on duplicate deals as belote eval does, two of A against two of B, and solve every
card that had another beside it with all hands open: what a card loses is in points of the side's own less those of the
other, by trick, by takers and defenders, leading and following. Who does not see all hands must lose some: compare
agents. Calls have no such loss. --json FILE holds "agents" [A, B], "rules", "deals", "seed", "lost_a_deal" (A's, B's:
"mean", "ci95"), "difference", "cards" ([{"agent", "trick", "role", "leading", "cards", "lost"}, ...]) and
"interrupted"."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "losses", help="tell where two agents' cards lose points against double dummy", description=_DESCRIPTION
    )
    parser.add_argument("a", metavar="A", help="an agent, as for belote eval")
    parser.add_argument("b", metavar="B", help="whom it plays")
    parser.add_argument("--rules", default="belote", metavar="PRESET", help="a preset (default belote)")
    add_set_option(parser)
    parser.add_argument(
        "--deals", type=int, default=200, metavar="N", help="distinct deals, each played twice (default 200)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of cards and agents (default 0)")
    add_run_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Play and solve, show progress and the tables, write the file; Ctrl-C keeps what was solved and gives 130."""
    from belote_env.files import write_atomically
    from belote_env.warmup import warm_up
    from training.losses import measure_losses
    from training.report import loss_grids

    check_run_options(args)
    check_at_least(args, 0, "seed")
    rules, agents = rules_from(args.rules, args.options), (args.a, args.b)
    check_agents(agents, [rules])
    warm_up()
    with progress(args.deals, f"{args.a} - {args.b}, {rules}") as show:
        losses = measure_losses(
            agents,
            rules,
            args.deals,
            args.seed,
            workers=args.workers,
            ray=args.ray,
            report=lambda losses: show(losses.deals, ""),
        )
    if losses.interrupted:
        tell_interruption(losses.deals, args.deals, "deals", rules)
    if not losses.deals:
        return 130
    print_grids(loss_grids(losses))
    if args.json:
        write_atomically(args.json, json.dumps(losses.to_dict(), indent=1) + "\n")
    return 130 if losses.interrupted else 0
