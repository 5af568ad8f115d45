"""What each decision of a deal cost: against a level's own best choice, and against perfect play.

A level values what a seat could do from what that seat knew, over imagined deals; the exact solver sees all hands, so
what it counts as lost could not always be known. Both hold for one decision at a time: what was done before stands.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from agents.levels import MonteCarloAgent, Style
from agents.registry import make
from belote_env.actions import ACTIONS, parse_action
from belote_env.engine.layout import PLAYED
from belote_env.game import Game
from belote_env.replay import walk
from belote_env.rules import Rules
from belote_env.solver import Position, Solver

_Number = TypeVar("_Number", int, float)

_ROUNDS = 8
"""Times that two actions are compared: how much the results differ tells how sure their mean is."""
_QUANTILE = 2.365
"""Of Student's t for a 95% interval from that many."""
_TRIFLE = 0.05
"""Points of score: levels count card points a little even where they change no score."""


@dataclass(frozen=True)
class Decision:
    """One decision of a deal, with what its actions were worth to the seat's side. Actions are texts (rules §10).

    Attributes:
        number: of the action in the record, from 1.
        seat: who decided.
        phase: ``auction``, ``announce``, ``play`` or ``belote``.
        trick: 1..8, or None in the auction.
        role: ``takers`` or ``defenders``; None in the auction, and where nobody takes.
        action: what was done.
        choice: what the level would have done.
        values: by the level, of each action that it would consider and of ``action``, the best first, in points of
            score above the other side (deals, in games that count those). The best of many is often only the luckiest:
            the level looks again before it chooses.
        cost: what ``choice`` is worth more than ``action``, over other deals, eight times as many. It is below 0 where
            the action was the better one.
        margin: half the 95% interval of ``cost``.
        exact_values: for a card, the points of the seat's side less those of the other (tricks, in games that count
            those) after each legal one and perfect play with all hands open, the best first; else None.
    """

    number: int
    seat: int
    phase: str
    trick: int | None
    role: str | None
    action: str
    choice: str
    values: dict[str, float]
    cost: float
    margin: float
    exact_values: dict[str, int] | None

    @property
    def exact_cost(self) -> int | None:
        """Points that perfect play with all hands open loses by the card played; None if it was no card."""
        return None if self.exact_values is None else max(self.exact_values.values()) - self.exact_values[self.action]

    @property
    def mistake(self) -> bool:
        """Whether the level is sure that ``choice`` is better, and by more than what only breaks ties."""
        return self.cost > max(self.margin, _TRIFLE)


@dataclass(frozen=True)
class Total:
    """What decisions cost together: how many, how many of them mistakes, the sums of what they hold."""

    decisions: int
    mistakes: int
    cost: float
    margin: float
    exact_cost: int

    @classmethod
    def of(cls, decisions: Iterable[Decision]) -> Total:
        """Return the total of decisions."""
        decisions = list(decisions)
        return cls(
            len(decisions),
            sum(decision.mistake for decision in decisions),
            sum(decision.cost for decision in decisions),
            math.hypot(*(decision.margin for decision in decisions)),
            sum(decision.exact_cost or 0 for decision in decisions),
        )


def style_for(level: str, rules: Rules) -> Style:
    """Return how a level thinks.

    Raises:
        ValueError: if there is no such agent, or if it does not value actions over a given number of imagined deals.
    """
    agent = make(level, rules, 0)
    if not isinstance(agent, MonteCarloAgent):
        raise ValueError(f"{level!r} does not value actions: choose one that does, as crazy")
    if agent.style.seconds is not None:
        raise ValueError(f"{level!r} thinks for a time, which cannot be repeated: give a number of times its worlds")
    return agent.style


def analyse(record: Any, style: Style, seed: int = 0, seats: Iterable[int] = range(4)) -> Iterator[Decision]:
    """Yield the decisions of a deal that had more than one legal action, in order.

    Each is weighed with random numbers of its own, so its values do not depend on which others are looked at.

    Args:
        record: a ``belote-deal/1`` object; the deal may be in progress.
        style: how the level thinks; one that plays cards by rule here imagines as many deals for one as for a call.
        seed: of the imagined deals, 0 or more.
        seats: whose decisions.

    Raises:
        RecordError: if the record is malformed or breaks a rule; nothing has been yielded then.
    """
    seats, solver = set(seats), Solver()
    budget = style.budget
    style = replace(style, budget=budget._replace(cards=budget.cards or budget.calls))
    for number, (game, action) in enumerate(walk(record), start=1):
        if action is not None and game.seat in seats and len(game.legal_ids()) > 1:
            yield _decision(game, action, number, style, seed, solver)


def _decision(game: Game, action: str, number: int, style: Style, seed: int, solver: Solver) -> Decision:
    view = game.view()
    taken = parse_action(action)
    actions = [one for one in view.legal if one == taken or one not in style.unsaid]
    if view.phase != "play":  # the solver values cards, not what is said before or after one
        style = replace(style, budget=style.budget._replace(solve=0))
    randomness = np.random.SeedSequence((seed, number))
    level = MonteCarloAgent(game.rules, style, randomness)
    choice = actions[int(level.values(view, actions).argmax())]
    patient = MonteCarloAgent(game.rules, replace(style, budget=style.budget._replace(prune=False)), randomness)
    values = patient.values(view, actions)
    costs = np.zeros(_ROUNDS)
    if choice != taken:
        costs = np.array([np.subtract(*patient.values(view, [choice, taken])) for _ in range(_ROUNDS)])
    calling = view.phase == "auction"
    return Decision(
        number=number,
        seat=view.seat,
        phase=view.phase,
        # After a king or queen of trumps the belote is asked for: of the trick that the card is part of.
        trick=None if calling else (int(view.state[PLAYED]) - (view.phase == "belote")) // 4 + 1,
        role=None if calling else _role(game),
        action=action,
        choice=ACTIONS[choice],
        values=_best_first({ACTIONS[one]: float(value) for one, value in zip(actions, values, strict=True)}),
        cost=float(costs.mean()),
        margin=float(_QUANTILE * costs.std(ddof=1) / math.sqrt(_ROUNDS)),
        exact_values=_exact_values(game, solver) if view.phase == "play" else None,
    )


class CardLoss(NamedTuple):
    """What a card lost, where there was a choice of cards.

    Attributes:
        seat: who played it.
        trick: 1..8.
        role: ``takers`` or ``defenders``; None where nobody takes.
        leading: whether it was the first of the trick.
        lost: as :attr:`Decision.exact_cost`.
    """

    seat: int
    trick: int
    role: str | None
    leading: bool
    lost: int


def card_losses(record: Any) -> Iterator[CardLoss]:
    """Yield what each card of a deal that had another beside it lost against perfect play with all hands open.

    Args:
        record: a ``belote-deal/1`` object; the deal may be in progress.

    Raises:
        RecordError: if the record is malformed or breaks a rule; nothing has been yielded then.
    """
    solver = Solver()
    for game, action in walk(record):
        if action is not None and game.phase == "play" and len(game.legal_ids()) > 1:
            values = _exact_values(game, solver)
            trick, place = divmod(int(game.state[PLAYED]), 4)
            lost = max(values.values()) - values[action]
            yield CardLoss(game.seat, trick + 1, _role(game), place == 0, lost)


def _role(game: Game) -> str | None:
    """Return whether the seat to act is of the ``takers`` or the ``defenders``; None where nobody takes."""
    contract = game.contract
    return None if contract is None else ("takers", "defenders")[(game.seat ^ contract["seat"]) & 1]


def _exact_values(game: Game, solver: Solver) -> dict[str, int]:
    sign = (1, -1)[game.seat % 2]
    values = solver.card_values(Position.from_state(game.state, game.rules))
    return _best_first({ACTIONS[card]: sign * value for card, value in values.items()})


def _best_first(values: dict[str, _Number]) -> dict[str, _Number]:
    return dict(sorted(values.items(), key=lambda item: -item[1]))
