"""Ray RLlib: self-play of four seats over the PettingZoo AEC form, one shared policy with a masked module.

python -m scripts.integrations.rllib_ppo --rules coinche
python -m scripts.integrations.rllib_ppo --address auto --runners 32     # on a Ray cluster

RLlib pins an older Gymnasium than the newest: give it an environment of its own, see docs/integrations.md.
"""

from __future__ import annotations

from typing import Any

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env
from torch.utils.tensorboard import SummaryWriter

from belote_env import belote_v0
from belote_env.observation import SCALE
from scripts.integrations.harness import parser, score
from scripts.integrations.policy import mask_logits, mlp

BATCH = 2048  # decisions between two updates


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Actor and critic of the seat to act; the logits of illegal actions are masked wherever they are made."""

    def setup(self) -> None:
        self.actor, self.critic = mlp(), mlp(1)
        self.register_buffer("scale", torch.from_numpy(SCALE))

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        logits = mask_logits(self.actor(seen["observation"] / self.scale), seen["action_mask"])
        return {Columns.ACTION_DIST_INPUTS: logits}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        return self.critic(batch[Columns.OBS]["observation"] / self.scale).squeeze(-1)


def main() -> None:
    options = parser(__doc__, "rllib_ppo", steps=8_192)
    options.add_argument("--runners", type=int, default=0, help="processes that play (default 0: this one)")
    options.add_argument("--address", help="of a Ray cluster, as 'auto' (default: one of its own)")
    args = options.parse_args()
    torch.set_num_threads(1)
    ray.init(address=args.address, include_dashboard=False, log_to_driver=False)
    register_env("belote", lambda config: PettingZooEnv(belote_v0.env(rules=config["rules"])))
    config = (
        PPOConfig()
        .environment("belote", env_config={"rules": args.rules}, disable_env_checking=True)  # it plays without masks
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode: "shared")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule))
        .env_runners(num_env_runners=args.runners)
        .training(
            train_batch_size_per_learner=BATCH,
            minibatch_size=512,
            num_epochs=4,
            lr=5e-4,
            gamma=1.0,
            lambda_=0.95,
            entropy_coeff=0.01,
            vf_clip_param=float("inf"),
            grad_clip=0.5,
        )
        .debugging(seed=args.seed)
    )
    algorithm = config.build_algo()
    writer = SummaryWriter(args.out)
    score("before", algorithm.get_module("shared").actor, args)
    for number in range(1, 1 + max(1, args.steps // BATCH)):
        result = algorithm.train()
        learner = result["learners"]["shared"]
        writer.add_scalar("loss/entropy", learner["entropy"], number * BATCH)
        writer.add_scalar("loss/value", learner["vf_loss"], number * BATCH)
        writer.add_scalar("episode/actions", result["env_runners"]["episode_len_mean"], number * BATCH)
    writer.close()
    score("after", algorithm.get_module("shared").actor, args)
    algorithm.save_to_path(str((args.out / "algorithm").resolve()))
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
