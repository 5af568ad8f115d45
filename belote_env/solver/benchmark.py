"""How fast the solver is: whole deals with a given trump, solved exactly and asked one yes/no question each."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from belote_env.cards import SUITS, mask_of
from belote_env.rules import Rules
from belote_env.solver import Position, Solver

_QUESTION = 82


def benchmark_solver(deals: int = 200, seed: int = 0, denominations: str | tuple[str, ...] = SUITS) -> list[dict]:
    """Solve random eight-card deals on one core and return a row for each kind of question.

    Args:
        deals: number of deals; each is new to the solver, so nothing is remembered from one to the next.
        seed: of the deals.
        denominations: texts, taken in turn.

    Returns:
        Rows ``{"name", "unit", "value", "median", "p95", "max", "nodes"}``: ``value`` is the mean time, all times are
        in milliseconds, ``nodes`` is the mean number of positions entered.
    """
    random = np.random.default_rng(seed)
    rules = Rules.preset("coinche_plus")
    positions = []
    for number in range(deals):
        hands = tuple(mask_of(map(int, cards)) for cards in random.permutation(32).reshape(4, 8))
        leader = int(random.integers(4))
        positions.append(Position(hands, leader, denominations[number % len(denominations)], rules))
    solver = Solver()
    return [
        _row("exact value of a deal", solver, positions, solver.value),
        _row(f"can a side reach {_QUESTION}", solver, positions, lambda one: solver.can_reach(one, 0, _QUESTION)),
        _row("can a side take all", solver, positions, lambda one: solver.can_take_all(one, 0)),
    ]


def _row(name: str, solver: Solver, positions: list[Position], ask: Callable[[Position], Any]) -> dict:
    # Compiles, and touches the memory.
    ask(positions[0])
    times, nodes = [], solver.nodes
    for position in positions:
        solver.forget()
        start = time.perf_counter()
        ask(position)
        times.append(1000 * (time.perf_counter() - start))
    return {
        "name": name,
        "unit": "ms",
        "value": float(np.mean(times)),
        "median": float(np.median(times)),
        "p95": float(np.quantile(times, 0.95)),
        "max": float(np.max(times)),
        "nodes": (solver.nodes - nodes) / len(positions),
    }
