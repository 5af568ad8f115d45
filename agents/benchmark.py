"""How fast networks decide: one view at a time, and in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

import numpy as np
import torch

from agents.frozen import FrozenPolicy
from agents.network import PolicyNetwork
from agents.neural import Mind
from belote_env.benchmark import rate
from belote_env.game import Game
from belote_env.view import View

BATCH = 2048


def benchmark_networks(seconds: float, cores: Sequence[int], seed: int = 0) -> Iterator[dict[str, Any]]:
    """Yield rows ``{"name", "unit", "value"}`` for a new network of the default sizes; the weights do not matter.

    Args:
        seconds: time for each row.
        cores: numbers of threads for the batches.
        seed: of the deals.
    """
    mind = Mind(FrozenPolicy(PolicyNetwork()))
    threads = torch.get_num_threads()
    for phase, kind in (("auction", "call"), ("play", "card")):
        games = _games(phase, 64, seed)
        waiting = cycle(games)

        def decide(waiting: Iterator[Game] = waiting) -> int:
            mind.choose([next(waiting).view()])
            return 1

        torch.set_num_threads(1)
        yield {"name": f"network, one {kind} at a time", "unit": "µs", "value": 1e6 / rate(decide, seconds)}
        views = [game.view() for game in games] * (BATCH // len(games))

        def decide_together(views: list[View] = views) -> int:
            mind.choose(views)
            return len(views)

        for count in cores:
            torch.set_num_threads(count)
            name = f"network, {BATCH:,} {kind}s together, {count} core{'s' if count > 1 else ''}"
            yield {"name": name, "unit": "decisions/s", "value": rate(decide_together, seconds)}
    torch.set_num_threads(threads)


def _games(phase: str, count: int, seed: int) -> list[Game]:
    """Return games that wait for a decision between several actions in a phase."""
    rng = np.random.default_rng(seed)
    games: list[Game] = []
    while len(games) < count:
        game = Game("coinche", seed=int(rng.integers(1 << 32)))
        for _ in range(rng.integers(40)):
            if game.phase == "over":
                break
            game.step(int(rng.choice(game.legal_ids())))
        if game.phase == phase and len(game.legal_ids()) > 1:
            games.append(game)
    return games
