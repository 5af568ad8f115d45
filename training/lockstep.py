"""Plays in lockstep: agents that share a mind decide for hundreds of tables at once, the others one at a time.

A network answers a thousand views in little more time than one. So many numbers of a pairing are played side by side:
each goes on until it waits for a mind, then every mind is asked once for all that wait for it. Nothing that is decided
depends on it, only how long it takes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeAlias, TypeVar

from agents.base import Agent, Mind
from agents.registry import make
from agents.split_agent import SplitAgent
from belote_env.rules import Rules
from belote_env.view import View
from training.duplicate import Answer, Outcome, Pairing, Play, play

TOGETHER = 256
"""Numbers that are played side by side where somebody has a mind."""

_Result = TypeVar("_Result")

Task: TypeAlias = Callable[[Pairing, Sequence[int]], list[_Result]]
"""What is done with some numbers of a pairing together, one result for each."""


class _Running(Generic[_Result]):
    """A play under way.

    Attributes:
        mind: that it waits for; None once it is over.
        view: that the mind is to answer.
        result: of the play, once it is over.
    """

    mind: Mind | None
    view: View
    result: _Result

    def __init__(self, playing: Play[_Result]) -> None:
        self._playing = playing
        self.go_on(None)

    def go_on(self, answer: Answer | None) -> None:
        """Take the answer that it waits for, None at the start, and play on until it waits for a mind or is over."""
        while True:
            try:
                # A generator is begun by sending it None.
                agent, self.view = self._playing.send(answer)  # type: ignore[arg-type]
            except StopIteration as end:
                self.mind, self.result = None, end.value
                return
            self.mind = _mind_of(agent, self.view)
            if self.mind is None:
                start = time.perf_counter_ns()
                action = agent.act(self.view)
                answer = Answer(action, time.perf_counter_ns() - start)
            elif len(self.view.legal) == 1:
                answer = Answer(self.view.legal[0], 0)  # a mind remembers nothing: it need not see this
            else:
                return


def _mind_of(agent: Agent, view: View) -> Mind | None:
    """Return the mind that would answer a view, if one would."""
    return getattr(agent.decider(view) if isinstance(agent, SplitAgent) else agent, "mind", None)


def finish(plays: Iterable[Play[_Result]]) -> list[_Result]:
    """Return what comes of plays, side by side where minds are asked.

    A decision that was made together with others took its share of the time.
    """
    waiting = running = [_Running(playing) for playing in plays]
    while waiting := [one for one in waiting if one.mind is not None]:
        groups: dict[int, list[_Running[_Result]]] = {}
        for one in waiting:
            groups.setdefault(id(one.mind), []).append(one)
        for group in groups.values():
            mind = group[0].mind
            assert mind is not None
            start = time.perf_counter_ns()
            actions = mind.choose([one.view for one in group])
            share = (time.perf_counter_ns() - start) // len(group)
            for one, action in zip(group, actions, strict=True):
                one.go_on(Answer(action, share))
    return [one.result for one in running]


def play_together(pairing: Pairing, numbers: Sequence[int]) -> list[Outcome]:
    """Return the outcomes of several numbers of a pairing, in their order.

    Raises:
        IllegalActionError: if an agent returns an action that is not legal.
    """
    begin = time.perf_counter()
    outcomes = finish(play(pairing, number) for number in numbers)
    seconds = (time.perf_counter() - begin) / len(numbers)
    return [outcome._replace(seconds=seconds) for outcome in outcomes]


def bundles(pairing: Pairing, numbers: Sequence[int], workers: int, least: int = 1) -> Iterator[Sequence[int]]:
    """Yield numbers in the bundles in which they are best played together.

    Args:
        pairing: who plays what.
        numbers: which.
        workers: for how many there should be work.
        least: numbers in a bundle; so few if nobody has a mind, since a bundle is what is lost by stopping.
    """
    size = least
    if any(_has_mind(player, pairing.rules) for player in pairing.players):
        size = max(least, min(TOGETHER, math.ceil(len(numbers) / workers)))
    for first in range(0, len(numbers), size):
        yield numbers[first : first + size]


def _has_mind(spec: str, rules: Rules) -> bool:
    agent = make(spec, rules, 0)
    parts = getattr(agent, "parts", ())
    return getattr(agent, "mind", None) is not None or any(_has_mind(part, rules) for part in parts)
