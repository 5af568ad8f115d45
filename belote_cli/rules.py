"""``belote rules``: list the presets, or show every option of one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from belote_cli.common import UsageError, add_set_option, rules_from

if TYPE_CHECKING:
    from belote_env.rules import Rules


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command and return its parser."""
    parser = subparsers.add_parser("rules", help="list the presets, or show every option of one", description=__doc__)
    parser.add_argument("preset", nargs="?", metavar="PRESET", help="a preset; all are listed without one")
    add_set_option(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the list or the table."""
    if args.preset is not None:
        print(rules_from(args.preset, args.options).describe())
        return 0
    if args.options:
        raise UsageError("--set needs a preset to change, as: belote rules coinche --set target=2000")
    from belote_env.rules import Rules

    for name in Rules.presets():
        print(f"{name:<23} {summary(Rules.preset(name))}")
    return 0


def summary(rules: Rules) -> str:
    """Return a rule set in one line."""
    auction = {
        "turned": "turned card",
        "points": f"bids from 80 to {rules.max_bid}",
        "tricks": "bids of tricks",
        "none": "trump at random",
    }[rules.auction]
    if rules.capot_bid:
        auction += ", capot"
    if rules.auction == "points" and rules.generale_bid:
        auction += ", generale"
    parts = [auction, *(denomination for denomination in rules.denominations if len(denomination) > 1)]
    parts += ["declarations" if rules.declarations else "no declarations", f"to {rules.target}"]
    return ", ".join(parts)
