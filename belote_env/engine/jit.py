"""How kernel functions are compiled: cached on disk, without the interpreter lock, never recursive.

A self-recursive function with ``cache=True`` crashes the interpreter when a later process loads it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile ``function`` with Numba on first use, or load it from the cache."""
    return numba.njit(cache=True, nogil=True)(function)
