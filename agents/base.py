"""What an agent is: one method, ``act(view) -> int``, from the view of its seat to the id of a legal action.

An agent is never given the game: a ``View`` holds what its seat may know and nothing more. One that makes random
choices takes a ``seed`` at construction (a whole number, a ``numpy.random.Generator``, or None), owns the generator
made from it and touches no global state. The arena makes one for each seat and each deal, and an environment one for
each seat where it is given a name, so an agent may remember what it saw. An object that is given to an environment sits
on all the seats, and in the vector form at all the tables, that it was given for.

An agent may have more, by which the arena knows it better: a ``mind`` (:class:`Mind`); ``fingerprint`` and ``parts``
(:func:`agents.identity.identity`); ``faults``, how often it went wrong, by kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from belote_env.single import Player as Agent
from belote_env.view import View

__all__ = ["Agent", "Mind"]


class Mind(Protocol):
    """What decides for agents that remember nothing and leave nothing to chance, as a network: for many at once.

    It is an agent's attribute ``mind``; agents that decide alike, as all with the same weights in a process, have the
    same one.
    """

    def choose(self, views: Sequence[View]) -> Sequence[int]:
        """Return an action for each view: what ``act`` would, whatever the other views are."""
