"""TorchRL: self-play of all four seats in a batched environment over ``BeloteVectorEnv``, learnt with ClipPPOLoss.

python -m scripts.integrations.torchrl_ppo --rules coinche

The batched environment is the fast way; ``torchrl_env`` has TorchRL's wrapper of the AEC form too. All seats share one
policy, and each is paid what it earned itself.
"""

from __future__ import annotations

import torch
from tensordict import TensorDictBase
from tensordict.nn import TensorDictModule
from tensordict.nn.probabilistic import InteractionType
from torch.utils.tensorboard import SummaryWriter
from torchrl.collectors import Collector
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

from scripts.integrations.harness import parser, score
from scripts.integrations.policy import mlp
from scripts.integrations.torchrl_env import BeloteBatch

GAMES, STEPS = 128, 96  # a deal has 30 to 40 decisions when forced ones are skipped
EPOCHS, MINIBATCH = 3, 1024


def returns_of(batch: TensorDictBase) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what each seat that acted still earned in its episode, and whether its end was seen: (games, steps)."""
    rewards, done, seats = batch["next", "rewards"], batch["next", "done"].squeeze(-1), batch["seat"]
    to_go, seen = torch.zeros(len(rewards), 4), torch.zeros(len(rewards), dtype=torch.bool)
    returns, ended = torch.zeros(seats.shape), torch.zeros(seats.shape, dtype=torch.bool)
    for t in reversed(range(seats.shape[1])):
        to_go = to_go.masked_fill(done[:, t : t + 1], 0) + rewards[:, t]
        ended[:, t] = seen = seen | done[:, t]
        returns[:, t] = to_go.gather(1, seats[:, t : t + 1]).squeeze(1)
    return returns, ended


def main() -> None:
    args = parser(__doc__, "torchrl_ppo", steps=250_000).parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    env = BeloteBatch(GAMES, args.rules)
    env.set_seed(args.seed)
    network = mlp()
    actor = ProbabilisticActor(
        TensorDictModule(network, ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        spec=env.action_spec,
        distribution_class=MaskedCategorical,
        default_interaction_type=InteractionType.RANDOM,
        return_log_prob=True,
    )
    critic = ValueOperator(mlp(1), in_keys=["observation"])
    loss_of = ClipPPOLoss(actor, critic, entropy_coeff=0.01, critic_coeff=0.5, normalize_advantage=True)
    optimizer = torch.optim.Adam(loss_of.parameters(), lr=5e-4)
    writer = SummaryWriter(args.out)
    score("before", network, args)
    collector = Collector(env, actor, frames_per_batch=GAMES * STEPS, total_frames=args.steps)
    for number, batch in enumerate(collector, start=1):
        returns, ended = returns_of(batch)
        with torch.no_grad():
            critic(batch)
        batch["value_target"] = returns.unsqueeze(-1)
        batch["advantage"] = batch["value_target"] - batch["state_value"]
        decisions = batch[ended]  # the last deal of each game is not over: its decisions have no return yet
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(decisions)).split(MINIBATCH):
                losses = loss_of(decisions[rows])
                loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(loss_of.parameters(), 0.5)
                optimizer.step()
        passed_in = 1 - (batch["next", "rewards"].abs().sum(-1) > 0).sum() / batch["next", "done"].sum()
        writer.add_scalar("deal/thrown_in", passed_in, number * GAMES * STEPS)
        writer.add_scalar("loss/entropy", losses["entropy"], number * GAMES * STEPS)
        writer.add_scalar("loss/critic", losses["loss_critic"], number * GAMES * STEPS)
    collector.shutdown()
    writer.close()
    score("after", network, args)


if __name__ == "__main__":
    main()
