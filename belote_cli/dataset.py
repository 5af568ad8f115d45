"""``belote dataset``: self-play of any agents as data for offline RL and supervised learning."""

from __future__ import annotations

import argparse
import importlib.util
from typing import Any

from belote_cli.common import UsageError, check_at_least, check_writable, rules_from
from belote_cli.measure import check_agents

_DESCRIPTION = """Play deals and write what each seat saw, was allowed to do, did and earned: as a Minari dataset, an
episode for each seat of a deal (its environment is the Gymnasium one), or as a Parquet file, a row for each decision
(deal, seat, step, observation, action_mask, action, reward of the deal)."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "dataset", help="write self-play as Minari or Parquet", description=_DESCRIPTION
    )
    parser.add_argument("agents", metavar="AGENT", nargs="+", help="one for all seats, or one for each side")
    parser.add_argument("--rules", default="coinche", metavar="PRESET", help="the game (default coinche)")
    parser.add_argument("--deals", type=int, default=1000, metavar="N", help="default 1000")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of cards and agents (default 0)")
    parser.add_argument("--reward", choices=("score", "points", "contract"), default="score", help="default score")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes (default 1)")
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--minari", metavar="NAME", help="a dataset as belote/coinche/easy-v0")
    target.add_argument("--parquet", metavar="FILE", help="a file")
    return parser


def run(args: argparse.Namespace) -> int:
    """Play and write."""
    from belote_env.errors import IllegalActionError
    from belote_env.warmup import warm_up
    from training.dataset import Plan, play, write_minari, write_parquet

    rules = rules_from(args.rules, [])
    _check(args)
    check_agents(args.agents, [rules])
    warm_up()
    plan = Plan((args.agents[0], args.agents[-1]), rules, args.seed, args.reward)
    trajectories = play(plan, args.deals, args.workers)
    try:
        if args.minari:
            written = write_minari(trajectories, args.minari, plan)
        else:
            written = write_parquet(trajectories, args.parquet)
    except (ValueError, IllegalActionError) as error:
        raise UsageError(str(error)) from None
    print(f"{written:,} decisions of {args.deals:,} deals of {rules}: {args.minari or args.parquet}")
    return 0


def _check(args: argparse.Namespace) -> None:
    if len(args.agents) > 2:
        raise UsageError(f"{len(args.agents)} agents, expected one for all seats or one for each side")
    check_at_least(args, 1, "deals", "workers")
    check_at_least(args, 0, "seed")
    if args.parquet:
        check_writable("--parquet", args.parquet)
    for module in ("minari", "pyarrow") if args.minari else ("pyarrow",):
        if importlib.util.find_spec(module) is None:
            raise UsageError(f'dataset needs {module}: pip install "belote-env[integrations]"')
