"""The command ``belote``: one module a sub-command, each with ``add_parser(subparsers)`` and ``run(args)``.

Nothing heavy is imported before a sub-command runs. What the user got wrong ends it with exit code 2 and one line.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence

from belote_cli.common import Parser, UsageError

COMMANDS = (
    "train",
    "curves",
    "export",
    "eval",
    "benchmark",
    "dataset",
    "losses",
    "rules",
    "replay",
    "solve",
    "analyse",
    "bench",
)
"""The modules of this package that are sub-commands, in the order in which the help lists them."""


def _tolerate_old_terminals() -> None:
    """Print ``?`` for a suit symbol that the terminal's encoding lacks, instead of failing."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="belote", description="Belote and Coinche: evaluate agents, replay deals, measure speed.")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = importlib.import_module(f"belote_cli.{name}")
        command = module.add_parser(subparsers)
        command.set_defaults(run=module.run, parser=command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code: 0, 1 or 2 (the user's mistake), 130 (Ctrl-C), 141 (closed pipe)."""
    _tolerate_old_terminals()
    try:
        args, rest = _parser().parse_known_args(argv)
        if rest:
            args.parser.error(f"unrecognized arguments: {' '.join(rest)}")
        code = args.run(args)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code or 0
    except UsageError as error:
        message = str(error)
    except BrokenPipeError:
        # What is still buffered goes nowhere, so that the interpreter does not complain about it on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        message = f"{error.filename}: {error.strerror}" if error.filename is not None else str(error)
    except KeyboardInterrupt:
        return 130
    print(f"belote: {message}", file=sys.stderr)
    return 2
