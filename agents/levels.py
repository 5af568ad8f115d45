"""The difficulty levels Normal, Hard and Crazy (rules §8), and the plain searches that they are measured against.

All think with the same compiled code (``monte_carlo``); a level is a :class:`Style`: how much it thinks of a call and
of a card, and which calls it knows.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias

import numpy as np

from agents.endgame import ENDING
from agents.monte_carlo import Budget, choose_by_rule, new_memory, think
from agents.rollout import shipped_policy, silent_policy
from agents.worlds import plan_memory
from belote_env.engine.layout import ANNOUNCE_YES, BELOTE_YES, COINCHE, NONE, NUM_ACTIONS, RNG, STATE_SIZE, SURCOINCHE
from belote_env.game import Game
from belote_env.rules import Rules
from belote_env.view import View
from belote_env.warmup import notice

Seed: TypeAlias = int | np.random.Generator | np.random.SeedSequence | None


@dataclass(frozen=True)
class Style:
    """How a Monte-Carlo player plays.

    Attributes:
        budget: how much it thinks; 0 worlds for cards (or calls) plays (bids) by rule.
        foresees: whether it imagines the calls still to come; if not, it takes it that everybody will pass.
        unsaid: the calls that it never makes.
        seconds: if set, it thinks in rounds of an eighth of its worlds until this time has passed, which cannot be
            repeated exactly; None thinks of all of them once.
    """

    budget: Budget
    foresees: bool = True
    unsaid: tuple[int, ...] = ()
    seconds: float | None = None

    def times(self, factor: float) -> Style:
        """Return the style with ``factor`` times the worlds."""
        return replace(self, budget=self.budget.times(factor))


NORMAL = Style(Budget(calls=100, cards=0), foresees=False, unsaid=(COINCHE, SURCOINCHE))
HARD = Style(Budget(calls=60, cards=16, candidates=8, call_temper=1.0), unsaid=(SURCOINCHE,))
CRAZY = Style(Budget(calls=800, cards=300, candidates=4, call_temper=1.0, card_temper=0.5, solve=ENDING))


class MonteCarloAgent:
    """Chooses the action that is worth most over imagined worlds.

    Args:
        rules: the rule set that it plays.
        style: how it plays.
        seed: an integer, a ``numpy.random.Generator``, or None.
    """

    def __init__(self, rules: Rules, style: Style, seed: Seed = None) -> None:
        _compile()
        self.style = style
        self._rules = rules.vector
        self._rng = np.zeros(STATE_SIZE, dtype=np.int64)
        self._rng[RNG] = np.random.default_rng(seed).integers(-(1 << 63), 1 << 63, dtype=np.int64)
        self._budget = style.budget
        if style.seconds is not None:
            # An action given up in one round could not be compared with the others.
            self._budget = style.budget.times(1 / 8)._replace(prune=False)
        self._memory = new_memory(self._budget)
        self._plan = plan_memory()
        self._ids = np.empty(NUM_ACTIONS, dtype=np.int64)

    def act(self, view: View) -> int:
        """Return one of ``view.legal``."""
        if view.phase == "announce":
            return ANNOUNCE_YES
        if view.phase == "belote":
            return BELOTE_YES
        open_to_it = [action for action in view.legal if action not in self.style.unsaid]
        if len(open_to_it) == 1:
            return open_to_it[0]
        worlds = self.style.budget.calls if view.phase == "auction" else self.style.budget.cards
        if worlds == 0:
            return self._by_rule(view)
        return open_to_it[int(self.values(view, open_to_it).argmax())]

    def values(self, view: View, actions: list[int]) -> np.ndarray:
        """Return what actions are worth, in points of score (deals, in games that count those) above the other side.

        Args:
            view: of the seat to act.
            actions: ids of legal ones.

        Returns:
            ``float64``, shape ``(len(actions),)``; -inf for actions that were given up early.
        """
        count = len(actions)
        self._ids[:count] = actions
        total, rounds = np.zeros(count), 0
        start = time.perf_counter()
        while True:
            self._think(view, count)
            total += self._memory.values[:count]
            rounds += 1
            if self.style.seconds is None or time.perf_counter() - start >= self.style.seconds:
                return total / rounds

    def _think(self, view: View, count: int) -> None:
        policy = shipped_policy()
        place = think(
            view.state,
            self._rules,
            view.seat,
            self._ids,
            count,
            self._budget,
            policy,
            policy if self.style.foresees else silent_policy(),
            self._plan,
            self._rng,
            self._memory,
        )
        if place == NONE:
            raise ValueError("no deal agrees with the view: it does not come from a game")

    def _by_rule(self, view: View) -> int:
        policy = shipped_policy()
        return int(choose_by_rule(view.state, self._rules, view.seat, policy, self._plan, self._rng, self._memory))


@cache
def _compile() -> None:
    """Think of a call once, which compiles all of it, and say so if it takes a while."""
    budget = Budget(calls=1, cards=1)
    policy, plan, memory = shipped_policy(), plan_memory(), new_memory(budget)
    state = np.zeros(STATE_SIZE, dtype=np.int64)
    with notice("the levels"):
        view = Game("coinche", seed=1).view()
        think(
            view.state,
            view.rules.vector,
            view.seat,
            np.array(view.legal),
            2,
            budget,
            policy,
            policy,
            plan,
            state,
            memory,
        )
        choose_by_rule(view.state, view.rules.vector, view.seat, policy, plan, state, memory)


def positive_number(argument: str, what: str) -> float:
    """Return the number in an agent's argument; nan is none."""
    try:
        number = float(argument)
    except ValueError:
        number = 0.0
    if not 0.0 < number < 1e6:
        raise ValueError(f"{argument!r} is not {what}")
    return number


def level(style: Style, rules: Rules, seed: Seed, argument: str = "") -> MonteCarloAgent:
    """Return a level; ``"10"`` imagines ten times its worlds, ``"2s"`` thinks for two seconds about each decision.

    Raises:
        ValueError: if the argument is neither.
    """
    if argument.endswith("s"):
        style = replace(style, seconds=positive_number(argument[:-1], "a time: write seconds, such as 2s"))
    elif argument:
        style = style.times(positive_number(argument, "a number of times its worlds, or a time such as 2s"))
    return MonteCarloAgent(rules, style, seed)


def _worlds(argument: str) -> int:
    wanted = "a number of worlds, 1 or more"
    worlds = round(positive_number(argument, wanted))
    if worlds == 0:
        raise ValueError(f"{argument!r} is not {wanted}")
    return worlds


def rollouts(rules: Rules, seed: Seed, argument: str = "") -> MonteCarloAgent:
    """Return plain Monte-Carlo card play: uniform worlds, as many as ``argument`` (400), played out by rule.

    It bids as Normal does.
    """
    worlds = _worlds(argument or "400")
    return MonteCarloAgent(rules, replace(NORMAL, budget=NORMAL.budget._replace(cards=worlds, prune=False)), seed)


def pimc(rules: Rules, seed: Seed, argument: str = "") -> MonteCarloAgent:
    """Return plain perfect-information Monte-Carlo card play: ``argument`` (50) uniform worlds, solved exactly.

    It bids as Normal does.
    """
    worlds = _worlds(argument or "50")
    return MonteCarloAgent(rules, replace(NORMAL, budget=NORMAL.budget._replace(cards=worlds, solve=8)), seed)
