"""Stable-Baselines3: MaskablePPO of sb3-contrib on the Gymnasium form, one process a game.

python -m scripts.integrations.sb3_maskable_ppo --rules coinche

MaskablePPO asks each environment for ``action_masks()``, which the environment has. It takes a flat observation; a
``Dict`` with the mask inside would show the mask to the network as well.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import gymnasium
import numpy as np
import torch
from gymnasium.spaces import Box
from gymnasium.wrappers import TransformObservation
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import SubprocVecEnv
from torch import nn

import belote_env  # noqa: F401 - registers the environments
from belote_env.observation import OBSERVATION_SIZE, SCALE
from scripts.integrations.harness import parser, score
from scripts.integrations.policy import HIDDEN

PROCESSES = 4
STEPS = 512  # decisions a game between two updates


def make_env(rules: str) -> gymnasium.Env:
    """Return the environment with observations in 0..1: ``float32``, (OBSERVATION_SIZE,)."""
    env = gymnasium.make(
        "Coinche-v0", rules=rules, partner="easy", opponents="easy", reward="score", disable_env_checker=True
    )
    floats = Box(0, 1, (OBSERVATION_SIZE,), dtype=np.float32)
    return Monitor(TransformObservation(env, lambda seen: seen["observation"] / SCALE, floats))


def actor(model: MaskablePPO) -> nn.Module:
    """Return the layers from the observation to the logits."""
    return nn.Sequential(model.policy.mlp_extractor.policy_net, model.policy.action_net)


def main() -> None:
    args = parser(__doc__, "sb3_maskable_ppo", steps=40_000).parse_args()
    torch.set_num_threads(1)
    makers: list[Callable[[], gymnasium.Env]] = [partial(make_env, args.rules)] * PROCESSES
    envs = SubprocVecEnv(makers)
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        learning_rate=lambda left: 5e-4 * left,
        n_steps=STEPS,
        batch_size=512,
        n_epochs=4,
        gamma=1.0,
        ent_coef=0.01,
        policy_kwargs={"net_arch": list(HIDDEN)},
        tensorboard_log=str(args.out),
        seed=args.seed,
        device="cpu",
    )
    score("before", actor(model), args)
    model.learn(args.steps)
    envs.close()
    score("after", actor(model), args)
    # The library's own measure: mean reward of the learner's seat, masked, in units of 162 points.
    mean, deviation = evaluate_policy(model, make_env(args.rules), n_eval_episodes=200)
    print(f"evaluate_policy: {mean:+.2f}, standard deviation of a deal {deviation:.2f}")
    model.save(args.out / "model")


if __name__ == "__main__":
    main()
