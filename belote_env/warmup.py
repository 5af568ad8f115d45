"""Compiling the kernel before it is needed, and saying so: it takes seconds once, then it is cached."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from belote_env.game import Game
from belote_env.rules import Rules

NOTICE_AFTER = 1.0
"""Seconds of silence before the user is told: with a warm cache nothing is said."""


@contextmanager
def notice(what: str) -> Iterator[None]:
    """Say on standard error that ``what`` is being compiled, if the block takes a while."""
    message = f"compiling {what}, once: this takes up to a minute, later starts are instant"
    timer = threading.Timer(NOTICE_AFTER, lambda: print(message, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def warm_up() -> None:
    """Play a deal so that all that a game needs is compiled."""
    with notice("the engine"):
        game = Game(Rules.preset("coinche"), seed=1)
        while not game.deal_over:
            view = game.view()
            assert view.observation.dtype == np.uint8
            game.step(view.legal[-1])
