"""Networks recorded for speed."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from agents.frozen import FrozenPolicy
from agents.network import PolicyNetwork, Sizes, stage_of
from belote_env.vector import WAIT, BeloteVectorEnv


@pytest.fixture(scope="module")
def network():
    torch.manual_seed(1)
    return PolicyNetwork(Sizes(16, 1, 16, 2, 16, 1)).eval().requires_grad_(False)


@pytest.fixture(scope="module")
def observations():
    """Calls, cards and last cards in one batch."""
    env, rng = BeloteVectorEnv(64, "coinche", threads=1), np.random.default_rng(2)
    step = env.reset(seed=3)
    for i in range(30):
        actions = np.where(step.action_masks, rng.random(step.action_masks.shape), -1.0).argmax(1)
        step = env.step(np.where(np.arange(64) % 3 * 14 + 2 > i, actions, WAIT))
    assert min(np.bincount(stage_of(torch.from_numpy(step.observations)), minlength=3)) >= 5
    return step.observations.copy()


def test_says_what_the_network_says(network, observations):
    frozen, expected = FrozenPolicy(network), network(torch.from_numpy(observations)).scores.numpy()
    for rows in (slice(None), slice(0, 1), slice(5, 12)):
        np.testing.assert_allclose(frozen(observations[rows]), expected[rows], atol=1e-5)


def test_does_not_follow_later_learning(network, observations):
    frozen = FrozenPolicy(network)
    before = frozen(observations)
    changed = {name: tensor + 1.0 for name, tensor in network.state_dict().items()}
    kept = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    network.load_state_dict(changed)
    np.testing.assert_array_equal(frozen(observations), before)
    network.load_state_dict(kept)
