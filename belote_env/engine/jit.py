"""How kernel functions are compiled: cached on disk, without the interpreter lock, never recursive.

A self-recursive function with ``cache=True`` crashes the interpreter when a later process loads it.

The kernel's own functions are ``lean`` or ``inner``: they borrow their arrays instead of counting references,
an atomic operation each time that took two thirds of the time of a game. Such a function cannot allocate, which
the compiler checks, and must not keep or return an array. Pass them C-contiguous ``int64`` arrays, and always
read-only rule vectors (``Rules.vector``): every other combination of types is compiled anew.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

from belote_env.engine.cache import forget_stale

Function = TypeVar("Function", bound=Callable[..., Any])

# The packages with compiled code, which are installed side by side.
forget_stale(Path(__file__).parents[2], ("belote_env", "agents"))

# No entry point for C and no exception for a division by zero: neither is used. Lean functions have no array
# expressions to rewrite either. All of it is for the sake of compilation time.
_OPTIONS = {"cache": True, "nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy"}
_LEAN_OPTIONS = {**_OPTIONS, "no_rewrites": True, "_nrt": False}


def compiled(function: Function) -> Function:
    """Compile ``function`` with Numba on first use, or load it from the cache; it may allocate arrays."""
    return numba.njit(**_OPTIONS)(function)


def lean(function: Function) -> Function:
    """Compile a ``function`` that allocates nothing."""
    return numba.njit(**_LEAN_OPTIONS)(function)


def inner(function: Function) -> Function:
    """Compile a ``function`` that allocates nothing and is called by compiled functions only: no entry from Python."""
    return numba.njit(no_cpython_wrapper=True, **_LEAN_OPTIONS)(function)


def hot(function: Function) -> Function:
    """Compile a :func:`lean` function of which a copy goes into each caller: for the few that every action runs.

    A call passes 14 words for ``s`` and ``r``. With a leading underscore the function has no entry from Python.
    """
    private = function.__name__.startswith("_")
    return numba.njit(no_cpython_wrapper=private, forceinline=True, **_LEAN_OPTIONS)(function)
