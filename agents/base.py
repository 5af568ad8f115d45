"""What an agent is: one method, ``act(view) -> int``, from the view of its seat to the id of a legal action.

An agent is never given the game: a ``View`` holds what its seat may know and nothing more. One that makes random
choices takes a ``seed`` at construction (a whole number, a ``numpy.random.Generator``, or None), owns the generator
made from it and touches no global state. An agent object sits on one seat: the arena and the environments make one
for each, so an agent may remember what it saw. The arena makes new ones for every deal; elsewhere an agent meets
deal after deal.
"""

from __future__ import annotations

from belote_env.single import Player as Agent

__all__ = ["Agent"]
