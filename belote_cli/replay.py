"""``belote replay``: check deal records and tell what happened in them, or write their traces."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from belote_cli.common import UsageError

if TYPE_CHECKING:
    from belote_env.game import Game


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command and return its parser."""
    parser = subparsers.add_parser("replay", help="replay deal records", description=__doc__)
    parser.add_argument("file", metavar="FILE", help="one record (.json), or one a line (.jsonl)")
    parser.add_argument(
        "--trace", action="store_true", help="print every step with what was legal, and the result, as JSON"
    )
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the traces or the accounts of all records of the file, in order."""
    from belote_env.errors import RecordError
    from belote_env.record import read_records
    from belote_env.replay import trace

    place = ""
    try:
        for number, (place, record) in enumerate(read_records(args.file)):
            if args.trace:
                print(json.dumps(trace(record)))
            else:
                print("\n" * (number > 0) + account(record))
            place = ""
    except RecordError as error:
        raise UsageError(f"{place}: {error}" if place else str(error)) from None
    return 0


def account(record: Any) -> str:
    """Return a readable account of a deal: the cards, who bid what, the tricks, the score.

    Raises:
        RecordError: if the record is malformed or breaks a rule.
    """
    from belote_env.cards import pretty
    from belote_env.replay import walk

    lines: list[str] = []
    calls: list[str] = []
    tricks: list[str] = []
    for game, action in walk(record):
        if not lines:
            lines = _opening(game, record)
        if action is None:
            break
        text, seat = _call_text(action), game.seat
        if game.phase == "auction":
            calls.append(f"  seat {seat}  {text}")
        elif action.startswith("play "):
            if sum(trick.count(":") for trick in tricks) % 4 == 0:
                tricks.append(f"  {len(tricks) + 1} ")
            tricks[-1] += f"  {seat}: {pretty(action[5:])}"
        elif game.phase == "announce":
            ...
    return "\n".join(lines)
