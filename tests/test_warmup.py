"""The notice that something is being compiled."""

from __future__ import annotations

import numba

from belote_env.warmup import notice


def test_it_speaks_once_and_only_of_what_is_compiled(capsys):
    one, two = (numba.njit(lambda number, more=more: number + more) for more in (1, 2))
    with notice("two sums"):
        assert one(1) + two(1) == 5
    assert capsys.readouterr().err == "compiling two sums, once: this takes up to a minute, later starts are instant\n"
    with notice("two sums"):
        assert one(2) + two(2) == 7
    two(1.0)
    assert capsys.readouterr().err == ""
