"""``bid:X+play:Y+end:Z``: one bids, another plays, a third plays the last cards, to see where a difference lies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from agents.base import Agent
from agents.endgame import ENDING
from belote_env.view import View


class SplitAgent:
    """Lets the first of its agents bid, the second play, declarations included, and the last play the last cards.

    Attributes:
        parts: the names of the agents.
    """

    def __init__(self, agents: Sequence[Agent], parts: tuple[str, ...]) -> None:
        self._agents, self.parts = agents, parts

    def act(self, view: View) -> int:
        """Return one of ``view.legal``."""
        return self.decider(view).act(view)

    def decider(self, view: View) -> Agent:
        """Return the one that acts."""
        if view.phase == "auction":
            return self._agents[0]
        return self._agents[-1 if len(view.hand) <= ENDING else 1]

    @property
    def faults(self) -> Counter[str]:
        """Faults of all together, where they report them."""
        return sum((Counter(getattr(agent, "faults", {})) for agent in self._agents), Counter())


def split(argument: str, make: Callable[[str], Agent]) -> SplitAgent:
    """Return the agent ``bid:ARGUMENT``, where the argument is ``X+play:Y`` or ``X+play:Y+end:Z``.

    Args:
        argument: names all of them.
        make: makes each of them by its name.

    Raises:
        ValueError: if the argument is something else, or there is no such agent.
    """
    bidder, separator, rest = argument.partition("+play:")
    if not separator:
        raise ValueError(f"agent 'bid:{argument}': write bid:X+play:Y or bid:X+play:Y+end:Z, as bid:crazy+play:easy")
    player, separator, finisher = rest.partition("+end:")
    parts = (bidder, player, finisher) if separator else (bidder, player)
    return SplitAgent([make(part) for part in parts], parts)
