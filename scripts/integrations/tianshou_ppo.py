"""Tianshou: PPO on the Gymnasium form, the mask under ``mask`` in the observation.

python -m scripts.integrations.tianshou_ppo --rules coinche

Tianshou's DQN family, random policies and multi-agent manager read ``obs.mask`` by themselves. Its PPO does not: there
the actor masks its own logits, which serves acting and learning alike.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils import TensorboardLogger
from tianshou.utils.net.common import ActionReprNet
from torch import nn
from torch.utils.tensorboard import SummaryWriter

import belote_env  # noqa: F401 - registers the environments
from belote_env.engine.layout import NUM_ACTIONS
from belote_env.observation import OBSERVATION_SIZE, SCALE
from scripts.integrations.harness import parser, score
from scripts.integrations.policy import mask_logits, mlp

GAMES = 16
COLLECT = 2048  # decisions between two updates


class ForTianshou(gymnasium.ObservationWrapper):
    """Observations ``obs``, ``float32`` (OBSERVATION_SIZE,), and ``mask``, ``bool`` (NUM_ACTIONS,); no ``info``.

    The score sheets in ``info`` hold texts and None, of which Tianshou cannot make arrays.
    """

    def __init__(self, env: gymnasium.Env) -> None:
        super().__init__(env)
        floats = spaces.Box(0, 1, (OBSERVATION_SIZE,), dtype=np.float32)
        self.observation_space = spaces.Dict({"obs": floats, "mask": spaces.MultiBinary(NUM_ACTIONS)})

    def observation(self, observation: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {"obs": observation["observation"] / SCALE, "mask": observation["action_mask"] != 0}

    def reset(self, **options: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        return super().reset(**options)[0], {}

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], Any, bool, bool, dict[str, Any]]:
        return (*super().step(action)[:4], {})


def make_env(rules: str) -> gymnasium.Env:
    return ForTianshou(
        gymnasium.make(
            "Coinche-v0", rules=rules, partner="easy", opponents="easy", reward="score", disable_env_checker=True
        )
    )


class MaskedActor(ActionReprNet):
    """The network, its logits masked."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, obs: Batch, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        seen, mask = torch.as_tensor(obs.obs), torch.as_tensor(obs.mask)
        return mask_logits(self.network(seen), mask), state


class Critic(nn.Module):
    """A network of its own for the value."""

    def __init__(self) -> None:
        super().__init__()
        self.network = mlp(1)

    def forward(self, obs: Batch) -> torch.Tensor:
        return self.network(torch.as_tensor(obs.obs))


def main() -> None:
    args = parser(__doc__, "tianshou_ppo", steps=40_000).parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    envs = DummyVectorEnv([lambda: make_env(args.rules)] * GAMES)
    envs.seed(args.seed)
    network = mlp()
    policy = DiscreteActorPolicy(actor=MaskedActor(network), action_space=envs.action_space[0])
    algorithm = PPO(
        policy=policy,
        critic=Critic(),
        optim=AdamOptimizerFactory(lr=5e-4),
        gamma=1.0,
        ent_coef=0.01,
        max_grad_norm=0.5,
        max_batchsize=COLLECT,
    )
    score("before", network, args)
    writer = SummaryWriter(args.out)
    collector = Collector(algorithm, envs, VectorReplayBuffer(2 * COLLECT, GAMES))
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=args.steps,
            collection_step_num_env_steps=COLLECT,
            update_step_num_repetitions=4,
            batch_size=512,
            logger=TensorboardLogger(writer),
            show_progress=False,
            verbose=False,
        )
    )
    writer.close()
    score("after", network, args)


if __name__ == "__main__":
    main()
