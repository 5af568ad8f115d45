"""Decisions to try networks on, and a network small enough for tests."""

from __future__ import annotations

import numpy as np
import torch

from agents.network import PolicyNetwork, Sizes
from belote_env import Game
from belote_env.rules import Rules
from belote_env.view import View

torch.set_num_threads(1)  # more would disturb tests beside, and one is what is repeatable

SMALL = Sizes(bidding_width=16, bidding_layers=1, play_width=16, play_layers=2, ending_width=16, ending_layers=1)


def small_network(seed: int = 0) -> PolicyNetwork:
    """Return a network that has learned nothing."""
    torch.manual_seed(seed)
    return PolicyNetwork(SMALL).eval().requires_grad_(False)


def random_game(rules: Rules | str, seed: int, steps: int) -> Game:
    """Return a deal after some random actions, or before its last one; half of the calls are passes."""
    game, rng = Game(rules, seed), np.random.default_rng(seed)
    for _ in range(steps):
        legal = game.legal_ids()
        action = legal[0] if game.phase == "auction" and rng.random() < 0.5 else int(rng.choice(legal))
        game.step(action)
        if game.deal_over:
            game.undo()
            break
    return game


def some_views(rules: Rules | str, count: int) -> list[View]:
    """Return views of seats that are to act, in the auction and at play."""
    return [random_game(rules, seed, seed % 36).view() for seed in range(count)]


def best_score(game: Game, side: int) -> float:
    """Return the score of a side less that of the other if both see all hands and play on for it perfectly."""
    if game.deal_over:
        scores = game.result["scores"]
        return scores[side] - scores[1 - side]
    after = []
    for action in game.legal_ids():
        other = game.clone()
        other.step(action)
        after.append(best_score(other, side))
    return max(after) if game.seat & 1 == side else min(after)
