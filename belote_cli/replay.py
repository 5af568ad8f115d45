"""``belote replay``: check deal records and tell what happened in them, or write their traces."""

from __future__ import annotations

import argparse
import json
from typing import Any

from belote_cli.common import RECORDS, UsageError, records_from


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command and return its parser."""
    parser = subparsers.add_parser("replay", help="replay deal records", description=__doc__)
    parser.add_argument("file", metavar="FILE", help=RECORDS)
    parser.add_argument(
        "--trace", action="store_true", help="print every step with what was legal, and the result, as JSON"
    )
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the traces or the accounts of all records of the file, in order."""
    from belote_env.account import account
    from belote_env.errors import RecordError
    from belote_env.replay import trace

    place = ""
    try:
        for number, (place, record) in enumerate(records_from(args.file)):
            if args.trace:
                print(json.dumps(trace(record)))
            else:
                print("\n" * (number > 0) + account(record))
            place = ""
    except RecordError as error:
        raise UsageError(f"{place}: {error}" if place else str(error)) from None
    return 0
