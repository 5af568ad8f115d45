"""``bid:X+play:Y``: one agent bids, another plays, so that a difference in strength splits into the two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from agents.base import Agent
from belote_env.view import View


class SplitAgent:
    """Lets ``bidder`` act in the auction and ``player`` afterwards, declarations included.

    Attributes:
        parts: the names of the two.
    """

    def __init__(self, bidder: Agent, player: Agent, parts: tuple[str, str]) -> None:
        self._bidder, self._player, self.parts = bidder, player, parts

    def act(self, view: View) -> int:
        """Return one of ``view.legal``."""
        return self.decider(view).act(view)

    def decider(self, view: View) -> Agent:
        """Return the one of the two that acts."""
        return self._bidder if view.phase == "auction" else self._player

    @property
    def faults(self) -> Counter[str]:
        """Faults of the two together, where they report them."""
        return Counter(getattr(self._bidder, "faults", {})) + Counter(getattr(self._player, "faults", {}))


def split(argument: str, make: Callable[[str], Agent]) -> SplitAgent:
    """Return the agent ``bid:ARGUMENT``, where the argument is ``X+play:Y``.

    Args:
        argument: names both.
        make: makes each of them by its name.

    Raises:
        ValueError: if the argument is something else, or there is no such agent.
    """
    bidder, separator, player = argument.partition("+play:")
    if not separator:
        raise ValueError(f"agent 'bid:{argument}': write bid:X+play:Y, as bid:crazy+play:easy")
    return SplitAgent(make(bidder), make(player), (bidder, player))
