"""A deal as an RLCard environment: RLCard's own loop plays it, and its DQN agent learns from it."""

from __future__ import annotations

import numpy as np
import pytest

rlcard = pytest.importorskip("rlcard")

from rlcard.agents import DQNAgent, RandomAgent  # noqa: E402
from rlcard.utils import reorganize  # noqa: E402

from belote_env.engine.layout import NUM_ACTIONS  # noqa: E402
from belote_env.observation import OBSERVATION_SIZE  # noqa: E402
from scripts.integrations import rlcard_env  # noqa: E402, F401 - registers the game

pytestmark = pytest.mark.integrations


def test_random_deals():
    env = rlcard.make("belote", {"seed": 1, "rules": "contree"})
    env.set_agents([RandomAgent(env.num_actions) for _ in range(env.num_players)])
    payoffs = []
    for _ in range(5):
        trajectories, payoff = env.run()
        payoffs.append(payoff)
        assert payoff[0] == payoff[2] == -payoff[1] == -payoff[3]
        for seat, trajectory in enumerate(trajectories):
            for state, action in zip(trajectory[:-1:2], trajectory[1::2], strict=True):
                assert action in state["legal_actions"] and state["raw_obs"].seat == seat
    again = rlcard.make("belote", {"seed": 1, "rules": "contree"})
    assert again.reset()[0]["obs"].shape == (OBSERVATION_SIZE,)
    assert np.any(payoffs)


def test_dqn_learns():
    env = rlcard.make("belote", {"seed": 2})
    learner = DQNAgent(
        num_actions=NUM_ACTIONS,
        state_shape=env.state_shape[0],
        mlp_layers=[32],
        replay_memory_init_size=30,
        batch_size=16,
        device="cpu",
    )
    env.set_agents([learner, *(RandomAgent(env.num_actions) for _ in range(3))])
    while learner.train_t == 0:
        trajectories, payoffs = env.run(is_training=True)
        for transition in reorganize(trajectories, payoffs)[0]:
            learner.feed(transition)
