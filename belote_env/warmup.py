"""Compiling the kernel before it is needed, and saying so: it takes seconds once, then it is cached."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numba.core.event import Event, Listener, install_listener

from belote_env.game import Game
from belote_env.rules import Rules


class _Herald(Listener):
    """Tells the user when the first function is compiled; what comes from the cache is not."""

    def __init__(self, message: str) -> None:
        self.message = message

    def on_start(self, event: Event) -> None:
        """Say it, once."""
        if self.message:
            print(self.message, file=sys.stderr, flush=True)
        self.message = ""

    def on_end(self, event: Event) -> None:
        """Be silent."""


@contextmanager
def notice(what: str) -> Iterator[None]:
    """Say on standard error that ``what`` is being compiled, if the block compiles anything."""
    herald = _Herald(f"compiling {what}, once: this takes up to a minute, later starts are instant")
    with install_listener("numba:compile", herald):
        yield


def warm_up() -> None:
    """Play a deal so that all that a game needs is compiled."""
    with notice("the engine"):
        game = Game(Rules.preset("coinche"), seed=1)
        while not game.deal_over:
            view = game.view()
            assert view.observation.dtype == np.uint8
            game.step(view.legal[-1])
