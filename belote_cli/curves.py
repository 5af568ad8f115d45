"""``belote curves RUN…``: the learning curves of trainings as a picture."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from belote_cli.common import UsageError, check_writable

_DESCRIPTION = """Draw the curves of one or several runs of belote train, on top of each other: points a deal against
each level with their 95% intervals (the level is the line at 0), what is explained, losses, entropy. The figures are
those of progress.jsonl in the folder of a run."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "curves", help="draw the learning curves of trainings", description=_DESCRIPTION
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", type=Path, help="the folder of a run")
    parser.add_argument("--out", type=Path, default=Path("curves.png"), metavar="FILE", help="default curves.png")
    parser.add_argument(
        "--figures",
        nargs="+",
        metavar="PATTERN",
        help="as 'points/belote/*' 'policy/*' (default: the main ones)",
    )
    parser.add_argument("--hours", action="store_true", help="over hours in place of decisions")
    return parser


def run(args: argparse.Namespace) -> int:
    """Draw; print the name of the file."""
    check_writable("--out", args.out)
    try:
        from training.curves import SHOWN, draw
        from training.plots import png

        picture = png(draw(args.runs, args.figures or SHOWN, hours=args.hours))
    except ImportError as error:
        raise UsageError(f'belote curves needs {error.name}: pip install "belote-env[train]"') from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    from belote_env.files import write_atomically

    write_atomically(args.out, picture)
    print(args.out)
    return 0
