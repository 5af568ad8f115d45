"""What sub-commands share: the error that ends one, checks of options, the choice of a rule set, records to read."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from belote_env.rules import Rules


RECORDS = "one record (.json), or one a line (.jsonl), either may be .gz; - for standard input"
"""What :func:`records_from` reads, as help."""


class UsageError(Exception):
    """A mistake of the user's: its message, one line, is all that the command says."""


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are :class:`UsageError`."""

    def error(self, message: str) -> NoReturn:
        """Raise ``message``."""
        raise UsageError(f"{message} (see '{self.prog} --help')")


def check_at_least(args: argparse.Namespace, least: int, *names: str) -> None:
    """Tell of an option that is given less than ``least``."""
    for name in names:
        if getattr(args, name) < least:
            raise UsageError(f"--{name} is {getattr(args, name)}, expected {least} or more")


def check_writable(argument: str, path: str | os.PathLike[str]) -> None:
    """Tell of a file that an argument names and that cannot be written, before anything is done for it."""
    if os.path.exists(path) and not os.path.isfile(path):  # a folder, or a pipe, /dev/stdout
        good = not os.path.isdir(path) and os.access(path, os.W_OK)
    else:
        folder = os.path.dirname(os.path.realpath(path))
        good = os.path.basename(path) != "" and os.path.isdir(folder) and os.access(folder, os.W_OK)
    if not good:
        raise UsageError(f"{argument} {path}: expected a file in a folder that can be written to")


def check_folder(argument: str, path: str) -> None:
    """Tell of a folder that an argument names and that can neither be written to nor made, before anything is done."""
    there = os.path.abspath(path)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not path or not os.path.isdir(there) or not os.access(there, os.W_OK):
        raise UsageError(f"{argument} {path}: expected a folder that can be written to, or made")


def add_set_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--set option=value``, which may be given several times and takes several."""
    parser.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="OPTION=VALUE",
        dest="options",
        help="change options of the preset, as: --set target=2000 denominations=S,H,D,C,NT",
    )


def rules_from(preset: str, options: list[str]) -> Rules:
    """Return the rule set of a preset and the values of ``--set``."""
    from belote_env.rules import Rules

    try:
        return Rules.parse(preset, options)
    except ValueError as error:
        raise UsageError(str(error)) from None


def records_from(path: str) -> Iterator[tuple[str, Any]]:
    """Yield ``(place, record)`` for the records of a file; for ``-`` of standard input, one record or one a line.

    Raises:
        RecordError: if something is not JSON, or there is no record.
    """
    from belote_env.record import parse_json, read_records

    if path != "-":
        yield from read_records(path)
        return
    place, text = "standard input", sys.stdin.buffer.read()
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if len(lines) < 2 or not lines[1][1].startswith(b"{"):  # one record, however it is laid out
        yield place, parse_json(text, place)
        return
    for number, line in lines:
        yield f"{place}:{number}", parse_json(line, f"{place}:{number}")
