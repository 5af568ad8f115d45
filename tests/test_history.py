"""The actions that lead to a state, found from the state: those of random games, and of the worlds drawn in them."""

from __future__ import annotations

import numpy as np
import pytest

from agents.history import actions_of, pack_of
from agents.worlds import Worlds
from belote_env import Game, Rules
from belote_env.actions import ACTIONS


@pytest.mark.parametrize("preset", Rules.presets())
def test_actions_are_those_taken(preset):
    rules, rng = Rules.preset(preset), np.random.default_rng(5)
    for seed in range(15):
        game = Game(rules, seed=seed)
        while not game.deal_over:
            if rng.random() < 0.2:
                view = game.view()
                (world,) = Worlds(view, rng).sample(1)
                for state in (game.state, world):
                    assert sorted(pack_of(state, rules)) == list(range(32))
                    assert [ACTIONS[action] for action in actions_of(state, rules)] == game.actions
            # Passing often, so that auctions go on and some deals are thrown in.
            legal = game.legal_actions()
            game.step("pass" if "pass" in legal and rng.random() < 0.6 else rng.choice(legal))
        assert [ACTIONS[action] for action in actions_of(game.state, rules)] == game.actions
