"""One wording for what is wrong with a name, a seat or a number of threads: what was given, what would be right."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable

import numpy as np


def check_seat(seat: object) -> int:
    """Return a seat as a plain integer.

    Raises:
        ValueError: if it is not one of 0, 1, 2, 3.
    """
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat <= 3:
        raise ValueError(f"seat is {seat!r}, expected 0, 1, 2 or 3")
    return int(seat)


def check_threads(threads: object) -> int:
    """Return a number of threads as a plain integer; None stands for one a core.

    Raises:
        ValueError: if it is not a whole number of 1 or more.
    """
    if threads is None:
        return os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1:
        raise ValueError(f"threads is {threads!r}, expected 1 or more, or None for one a core")
    return int(threads)


def unknown(kind: str, name: object, known: Iterable[str]) -> str:
    """Return the message for a ``name`` that is none of ``known``."""
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"unknown {kind} {name!r}: {hint}choose from {', '.join(names)}"
