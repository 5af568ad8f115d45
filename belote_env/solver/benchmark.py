"""How fast the solver is, beside DDS, the double-dummy solver of bridge, where endplay is installed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import Any

import numpy as np

from belote_env.cards import SUITS, cards_of, mask_of
from belote_env.rules import Rules
from belote_env.solver import Position, Solver, search

_KINDS = {"suit": tuple(SUITS), "NT": ("NT",), "AT": ("AT",)}
_CARDS = (8, 7, 6, 5, 4)
_REACH = 82
_BRIDGE_TRICKS = 7
_MOST = 500


def benchmark_solver(seconds: float = 1.0, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Solve random deals on one core, whole and after random play, and yield a row for each kind of question.

    Every position is new to the solver: nothing is remembered from one to the next.

    Args:
        seconds: time for each row, if 500 positions do not end before it.
        seed: of the deals.

    Yields:
        Rows ``{"name", "unit", "positions", "value", "median", "p95", "max", "nodes"}``: ``value`` is the mean time,
        all times are processor time in milliseconds, ``nodes`` is the mean number of positions entered.
    """
    rules = Rules.preset("coinche_plus")
    solver = Solver()
    for kind, denominations in _KINDS.items():
        for cards in _CARDS:
            for question, ask in (
                ("exact value", solver.value),
                (f"reach {_REACH}", lambda position: solver.can_reach(position, 0, _REACH)),
            ):
                nodes: list[int] = []
                positions = _positions(np.random.default_rng(seed), rules, denominations, cards)
                row = _measure(f"{kind}, {cards} cards, {question}", _new_to(solver, ask, nodes), positions, seconds)
                yield row | {"nodes": float(np.mean(nodes[1:]))}


def benchmark_dds(seconds: float = 1.0, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Solve random bridge deals of 13 cards a hand with DDS on one core, and yield rows as :func:`benchmark_solver`.

    A row lacks ``nodes``. There are none if endplay is not installed.
    """
    try:
        from endplay.dds.solve import SolveMode, solve_board
        from endplay.types import Denom
    except ImportError:
        return
    for kind, trump in (("suit", Denom.spades), ("NT", Denom.nt)):
        for question, ask in (
            ("exact value", lambda deal: solve_board(deal, SolveMode.OptimalOne)),
            (f"reach {_BRIDGE_TRICKS} tricks", lambda deal: solve_board(deal, SolveMode.TargetOne, _BRIDGE_TRICKS)),
        ):
            deals = _bridge_deals(np.random.default_rng(seed), trump)
            yield _measure(f"DDS, bridge, {kind}, 13 cards, {question}", ask, deals, seconds)


def _positions(
    random: np.random.Generator, rules: Rules, denominations: tuple[str, ...], cards: int
) -> Iterator[Position]:
    """Yield random deals, played at random until there are ``cards`` cards a hand."""
    for denomination in cycle(denominations):
        hands = tuple(mask_of(map(int, hand)) for hand in random.permutation(32).reshape(4, 8))
        position: Position | None = Position(hands, int(random.integers(4)), denomination, rules)
        for _ in range(4 * (8 - cards)):
            assert position is not None
            legal = list(cards_of(int(search.root_cards(position.problem, rules.vector)[1])))
            position = position.play(legal[random.integers(len(legal))])
        assert position is not None
        yield position


def _bridge_deals(random: np.random.Generator, trump: Any) -> Iterator[Any]:
    """Yield random bridge deals that north leads to."""
    from endplay.types import Deal, Player

    while True:
        deal = Deal("N:" + " ".join(map(_bridge_hand, random.permutation(52).reshape(4, 13))))
        deal.trump, deal.first = trump, Player.north
        yield deal


def _bridge_hand(cards: np.ndarray) -> str:
    suits = ("".join("23456789TJQKA"[card % 13] for card in sorted(cards) if card // 13 == suit) for suit in range(4))
    return ".".join(suits)


def _new_to(solver: Solver, ask: Callable[[Position], Any], nodes: list[int]) -> Callable[[Position], None]:
    """Return ``ask`` on a solver that remembers nothing; the nodes that each question took go into a list."""

    def forgetful(position: Position) -> None:
        solver.forget()
        before = solver.nodes
        ask(position)
        nodes.append(solver.nodes - before)

    return forgetful


def _measure(name: str, ask: Callable[[Any], Any], positions: Iterator[Any], seconds: float) -> dict[str, Any]:
    ask(next(positions))  # compiles
    times: list[float] = []
    end = time.perf_counter() + seconds
    for position in islice(positions, _MOST):
        # Processor time: other work on the machine would show as a tail of slow positions.
        start = time.process_time()
        ask(position)
        times.append(1000 * (time.process_time() - start))
        if time.perf_counter() > end:
            break
    return {
        "name": name,
        "unit": "ms",
        "positions": len(times),
        "value": float(np.mean(times)),
        "median": float(np.median(times)),
        "p95": float(np.quantile(times, 0.95)),
        "max": float(np.max(times)),
    }
