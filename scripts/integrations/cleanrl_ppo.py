"""Masked PPO in one file, in the style of CleanRL: one seat learns beside Easy and against Easy.

python -m scripts.integrations.cleanrl_ppo --rules coinche

Read it from top to bottom. The only thing that is not plain PPO is the mask: illegal actions get a logit so low that
their probability is 0, when acting and when learning alike. Leave it out of the second and the ratio is wrong.
"""

from __future__ import annotations

import time

import gymnasium
import numpy as np
import torch
from torch.distributions import Categorical
from torch.utils.tensorboard import SummaryWriter

import belote_env  # noqa: F401 - registers the environments
from belote_env.engine.layout import NUM_ACTIONS
from belote_env.observation import OBSERVATION_SIZE, SCALE
from scripts.integrations.harness import parser, score
from scripts.integrations.policy import mask_logits, mlp

GAMES = 64  # in lockstep
STEPS = 64  # decisions a game between two updates: about six deals
EPOCHS, MINIBATCHES = 4, 8
LEARNING_RATE = 5e-4
GAE_LAMBDA = 0.95  # gamma is 1: a deal ends after a dozen decisions, and all that counts is its score
CLIP, ENTROPY, VALUE, MAX_NORM = 0.2, 0.01, 0.5, 0.5


def main() -> None:
    args = parser(__doc__, "cleanrl_ppo", steps=200_000).parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    envs = gymnasium.make_vec("Coinche-v0", GAMES, rules=args.rules, partner="easy", opponents="easy", reward="score")
    actor, critic = mlp(), mlp(1)
    parameters = [*actor.parameters(), *critic.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=LEARNING_RATE, eps=1e-5)
    writer = SummaryWriter(args.out)
    score("before", actor, args)

    def to_tensors(observation: dict[str, np.ndarray]) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.from_numpy(observation["observation"] / SCALE), torch.from_numpy(observation["action_mask"])

    def policy(seen: torch.Tensor, masks: torch.Tensor) -> Categorical:
        return Categorical(logits=mask_logits(actor(seen), masks), validate_args=False)

    seen = torch.zeros(STEPS, GAMES, OBSERVATION_SIZE)
    masks = torch.zeros(STEPS, GAMES, NUM_ACTIONS, dtype=torch.int8)
    actions = torch.zeros(STEPS, GAMES, dtype=torch.int64)
    log_probs, rewards, ends, values = (torch.zeros(STEPS, GAMES) for _ in range(4))
    observation, _ = envs.reset(seed=args.seed)
    now_seen, now_masks = to_tensors(observation)
    start = time.monotonic()
    updates = max(1, args.steps // (GAMES * STEPS))
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - update / updates)

        # Play: one decision in every game at a time. A game that ends begins anew within the step.
        for t in range(STEPS):
            seen[t], masks[t] = now_seen, now_masks
            with torch.no_grad():
                distribution = policy(now_seen, now_masks)
                actions[t] = distribution.sample()
                log_probs[t] = distribution.log_prob(actions[t])
                values[t] = critic(now_seen).squeeze(-1)
            observation, reward, ended, _, _ = envs.step(actions[t].numpy())
            rewards[t], ends[t] = torch.from_numpy(reward), torch.from_numpy(ended)
            now_seen, now_masks = to_tensors(observation)

        # Advantages, from the last decision back; nothing flows from one deal into the one before.
        with torch.no_grad():
            next_value, advantage = critic(now_seen).squeeze(-1), torch.zeros(GAMES)
        advantages = torch.zeros(STEPS, GAMES)
        for t in reversed(range(STEPS)):
            goes_on = 1 - ends[t]
            surprise = rewards[t] + goes_on * next_value - values[t]
            advantages[t] = advantage = surprise + GAE_LAMBDA * goes_on * advantage
            next_value = values[t]
        returns = advantages + values

        # Learn: several passes over what was played, in random minibatches.
        flat = [x.flatten(0, 1) for x in (seen, masks, actions, log_probs, advantages, returns)]
        for _ in range(EPOCHS):
            for rows in torch.randperm(GAMES * STEPS).chunk(MINIBATCHES):
                b_seen, b_masks, b_actions, b_log_probs, b_advantages, b_returns = (x[rows] for x in flat)
                distribution = policy(b_seen, b_masks)
                ratio = (distribution.log_prob(b_actions) - b_log_probs).exp()
                b_advantages = (b_advantages - b_advantages.mean()) / (b_advantages.std() + 1e-8)
                gain = torch.min(ratio * b_advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * b_advantages).mean()
                entropy = distribution.entropy().mean()
                value_loss = 0.5 * (critic(b_seen).squeeze(-1) - b_returns).square().mean()
                loss = VALUE * value_loss - gain - ENTROPY * entropy
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(parameters, MAX_NORM)
                optimizer.step()

        step = (update + 1) * GAMES * STEPS
        writer.add_scalar("deal/score", 162 * rewards.sum() / ends.sum(), step)
        writer.add_scalar("loss/entropy", entropy, step)
        writer.add_scalar("loss/value", value_loss, step)
        writer.add_scalar("speed/steps_per_second", step / (time.monotonic() - start), step)
    writer.close()
    score("after", actor, args)


if __name__ == "__main__":
    main()
