"""Self-play: a policy improves by playing all four seats against itself, its past, and the compiled rule player.

    belote train ppo RUN --start runs/distilled --rules belote coinche coinche_plus

Proximal policy optimisation (Schulman et al. 2017) from a distilled policy. What is particular to this game:

- The critic sees all hands (as in PerfectDou, Yang et al. 2022), and is told what rule play would make of them, which
  leaves far less of an outcome unforeseen. It learns alone before the policy moves.
- What it says of one seat it says of all, so the decisions of the four seats are one chain, each judged by how it moves
  the value to its side: what the others do until a seat's next turn is not in its way.
- The policy is held near a reference that follows it slowly, so that what was distilled is not forgotten.
- What each action that is at all likely comes to, the critic says by looking at the state after it. The policy learns
  of all of them at once (expected policy gradients, Ciosek and Whiteson 2018), not only of the one that was taken. What
  came of that one otherwise is for the most part luck, and weighs less.
- What the last cards come to with perfect play of all hands is solved exactly, for the critic to start from.
- Some tables are played against an older self, the rule player or a level, so that it does not learn for one partner
  only.
- Decisions without a choice are never asked for, and what can be announced is announced.
"""

from __future__ import annotations

import math
import time
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agents import checkpoint
from agents.network import Critic, PolicyNetwork, Sizes, belief_loss, masked, mean_value, value_loss
from belote_env.cards import CARDS
from belote_env.rewards import reward_scale
from belote_env.rules import Rules
from training import evaluation
from training.config import at_least, between
from training.precision import precision_of
from training.processes import Interrupts, average_gradients, gather, join, mean
from training.rows import Rows
from training.run import Run, progress_line
from training.self_play import After, Decisions, SelfPlayTables, play, sides
from training.state import follow, restore, whole_state


@dataclass(frozen=True)
class Config:
    """How to improve a policy.

    Attributes:
        rules: presets to play, all by one network.
        reward: "score" of the deal, or "match": by how much the deal moves the chance of winning the match.
        start: the checkpoint to begin from: a name or a folder.
        tables: of each rule set, in each process.
        steps: decisions at each table in a round; a deal has some thirty, and the critic learns from how deals end.
        rounds: how many.
        warm_up: rounds at the beginning in which the critic alone learns.
        epochs: how often a round's decisions are learned from.
        minibatches: of a round.
        precision: of the networks while they learn, "float32" or "bfloat16", as in distillation.
        learning_rate: of the policy, at its highest; it rises over as many rounds as the critic learned alone, and
            falls to a tenth.
        critic_learning_rate: of the critic.
        clip: how far the probability of an action may move in a round, as a ratio.
        call_traces: lambda of generalised advantage estimation for calls, from one decision at a table to the next;
            rewards themselves are not discounted.
        card_traces: lambda for cards: of the cards that are still to be played, the critic knows more.
        luck_weight: of what the critic did not foresee of the actions taken; with 1 its word is never taken on trust.
        entropy_weight: of the entropy bonus, at its highest; it falls to nothing.
        reference_weight: of the divergence from the reference, at its highest; it falls to nothing.
        reference_slowness: how slowly the reference follows the policy, a round.
        past_share: share of the tables where one side is played by an older self.
        rule_share: share of the tables where one side is played by the compiled rule player.
        level_share: share of the tables where one side is played by the level Crazy.
        level_worlds: share of its worlds that Crazy imagines there.
        past_every: rounds after which the older self is a newer one.
        belief_weight: of the belief head in the loss.
        value_weight: of the public value head in the loss.
        average: how slowly the averaged weights, which are the policy that is kept, follow; a round.
        critic_width: of the critic's tokens.
        evaluate_every: rounds after which the policy plays duplicate deals against levels; 0 for never.
        evaluation_deals: distinct deals against each, each played twice.
        against: the levels, or any other agents.
        save_every: rounds.
        seed: of everything.
    """

    rules: tuple[str, ...] = ("belote", "coinche", "coinche_plus")
    reward: str = "score"
    start: str = ""
    tables: int = 160
    steps: int = 56
    rounds: int = 280
    warm_up: int = 25
    epochs: int = 1
    minibatches: int = 20
    precision: str = "float32"
    learning_rate: float = 3e-4
    critic_learning_rate: float = 1.5e-3
    clip: float = 0.2
    call_traces: float = 0.95
    card_traces: float = 0.85
    luck_weight: float = 0.25
    entropy_weight: float = 0.003
    reference_weight: float = 0.05
    reference_slowness: float = 0.99
    past_share: float = 0.1
    rule_share: float = 0.1
    level_share: float = 0.0
    level_worlds: float = 0.1
    past_every: int = 50
    belief_weight: float = 0.01
    value_weight: float = 0.01
    average: float = 0.97
    critic_width: int = 64
    evaluate_every: int = 50
    evaluation_deals: int = 200
    against: tuple[str, ...] = ("easy", "normal")
    save_every: int = 10
    seed: int = 0


def advantages(
    rewards: np.ndarray, done: np.ndarray, values: np.ndarray, last: np.ndarray, traces: np.ndarray
) -> np.ndarray:
    """Return generalised advantage estimates (Schulman et al. 2016) of the decisions of all seats, as one chain.

    Everything is told from the side of seats 0 and 2.

    Args:
        rewards: for each step, ``(steps, tables)``.
        done: whether the deal ended with the step, ``(steps, tables)``.
        values: of the state before the step, ``(steps, tables)``.
        last: of the state after the last step, ``(tables,)``.
        traces: lambda of each decision, ``(steps, tables)``.

    Returns:
        ``float32``, ``(steps, tables)``.
    """
    estimates = np.empty_like(values)
    next_value, next_estimate = last, np.zeros_like(last)
    for t in range(len(rewards) - 1, -1, -1):
        next_value, next_estimate = (np.where(done[t], 0.0, then) for then in (next_value, next_estimate))
        estimates[t] = rewards[t] + next_value - values[t] + traces[t] * next_estimate
        next_value, next_estimate = values[t], estimates[t]
    return estimates


@dataclass(frozen=True)
class Lessons(Rows):
    """The decisions of a round that are learned from, one a row.

    Attributes:
        observations: ``uint8`` ``(n, OBSERVATION_SIZE)``.
        hidden: ``uint8`` ``(n, PRIVILEGED_SIZE)``.
        prospects: ``float32`` ``(n, PROSPECTS)``.
        masks: ``int8`` ``(n, NUM_ACTIONS)``.
        actions: what was done, ``(n,)``.
        chances: its log-probability then, ``(n,)``.
        luck: by how much what was done turned out better than was expected of it, weighed, ``(n,)``.
        gains: by how much each likely action is expected to be better than what the policy does, 0 for all others,
            ``float32`` ``(n, NUM_ACTIONS)``.
        returns: what the state turned out to be worth, ``(n,)``.
        perfect: what perfect play comes to where these are the last cards, 0 elsewhere, ``(n,)``.
    """

    observations: Tensor
    hidden: Tensor
    prospects: Tensor
    masks: Tensor
    actions: Tensor
    chances: Tensor
    luck: Tensor
    gains: Tensor
    returns: Tensor
    perfect: Tensor


LIKELY = 0.02
"""How probable an action must be for the critic to be asked what it comes to."""


def best_of(exact: np.ndarray) -> np.ndarray:
    """Return the best of the outcomes of the last cards, 0 where there are none: ``(…, 32)`` to ``(…)``."""
    return np.nan_to_num(np.where(np.isnan(exact), -np.inf, exact).max(-1), neginf=0.0)


def values_of(seen: Decisions | After, critic: Critic, device: torch.device) -> np.ndarray:
    """Return what states are worth to the side to act, as far as it is foreseen: ``float32``, ``(…)``.

    Of the last cards the critic only says how much the deal will end otherwise than with perfect play.
    """
    inputs = (seen.observations, seen.hidden, seen.prospects)
    rows = [torch.from_numpy(array.reshape(-1, array.shape[-1])) for array in inputs]
    with torch.inference_mode():
        parts = [
            mean_value(critic(*(part.to(device) for part in here))).cpu()
            for here in zip(*(array.split(4096) for array in rows), strict=True)
        ]
    return best_of(seen.exact) + torch.cat(parts).numpy().reshape(seen.seats.shape)


def lessons_of(
    played: Decisions, tables: SelfPlayTables, critic: Critic, device: torch.device
) -> tuple[Lessons, dict[str, float]]:
    """Return what a round teaches, by what the critic expected, and figures about it."""
    values, now = values_of(played, critic, device), tables.now()
    last = sides(now.seats) * values_of(now, critic, device)
    calling = played.masks[:, :, len(CARDS) :].any(2)
    traces = np.where(calling, tables.config.call_traces, tables.config.card_traces).astype(np.float32)
    side = sides(played.seats)
    estimates = side * advantages(played.rewards, played.done, side * values, last, traces)

    # Each action against what is to be expected of all that are likely, and what came of the one taken besides.
    expected = expectations(played, tables, critic, device)
    chances = np.where(np.isnan(expected), 0.0, np.exp(played.chances))
    average = np.nansum(chances * expected, 2) / np.maximum(chances.sum(2), 1e-6)
    gains = np.nan_to_num(expected - average[:, :, None])
    places = played.actions[:, :, None]
    luck = estimates - np.nan_to_num(np.take_along_axis(expected, places, 2)[:, :, 0] - values)
    for kind in (played.learned & calling, played.learned & ~calling):
        if kind.any():
            spread = estimates[kind].std() + 1e-6
            luck[kind] = (luck[kind] - luck[kind].mean()) / spread
            gains[kind] /= spread
    endings = played.learned & ~np.isnan(played.exact).all(2)
    lost = best_of(played.exact[endings]) - np.take_along_axis(played.exact[endings], places[endings], 1)[:, 0]

    returns = estimates + values
    taken = np.take_along_axis(played.chances, places, 2)[:, :, 0]
    luck *= tables.config.luck_weight
    columns = (
        *(played.observations, played.hidden, played.prospects, played.masks, played.actions),
        *(taken, luck, gains, returns, best_of(played.exact)),
    )
    name = tables.rules.base
    figures = {
        f"critic/{name}": 1 - float(np.var(estimates) / np.var(returns)),
        f"foreseen/{name}": float((chances * gains**2).sum(2)[played.learned].mean()),
        f"lost/{name}": float(lost.mean()) * reward_scale(tables.rules) if len(lost) else 0.0,
    }
    return Lessons(*(torch.from_numpy(column[played.learned]) for column in columns)), figures


def expectations(played: Decisions, tables: SelfPlayTables, critic: Critic, device: torch.device) -> np.ndarray:
    """Return what the critic expects of each action that the policy may well take: it looks at the state after it.

    Returns:
        ``float32``, ``(steps, tables, NUM_ACTIONS)``, nan for all actions that are not likely, or the only likely one.
    """
    likely = played.learned[:, :, None] & (played.chances > math.log(LIKELY))
    likely &= likely.sum(2, keepdims=True) > 1
    expected = np.full(likely.shape, np.nan, dtype=np.float32)
    steps, places, actions = likely.nonzero()
    if len(actions):
        worth = []
        for after in tables.try_out(played.states[steps, places], actions):
            then = sides(after.seats) * values_of(after, critic, device)
            worth.append(after.rewards + np.where(after.done, 0.0, then))
        expected[likely] = sides(played.seats[steps, places]) * np.concatenate(worth)
    return expected


def surrogate(logs: Tensor, ratio: Tensor, luck: Tensor, gains: Tensor, clip: float) -> Tensor:
    """Return the loss of the policy.

    Args:
        logs: the log-probabilities of all actions, ``(n, NUM_ACTIONS)``.
        ratio: the probability of what was done, over what it was then, ``(n,)``.
        luck: as in :class:`Lessons`.
        gains: as in :class:`Lessons`.
        clip: how far the ratio may move.
    """
    of_what_was_done = torch.minimum(ratio * luck, ratio.clamp(1 - clip, 1 + clip) * luck)
    return -(of_what_was_done + (logs.exp() * gains).sum(1)).mean()


def check(config: Config) -> None:
    """Refuse a configuration that cannot be trained.

    Raises:
        ValueError: which says what would be right.
    """
    if not config.start:
        raise ValueError("start: give the checkpoint to begin from, as a folder that was distilled into")
    start = checkpoint.load(config.start)
    for rules in config.rules:
        start.check_plays(Rules.of(rules), config.start)
    if config.reward not in ("score", "match"):
        raise ValueError(f"reward is {config.reward!r}, expected score or match")
    precision_of(config.precision, torch.device("cpu"))
    at_least(config, 0, "seed")
    at_least(
        config, 1, "tables", "steps", "rounds", "epochs", "minibatches", "past_every", "critic_width", "save_every"
    )
    between(config, 0, 1, "learning_rate", "critic_learning_rate", "clip", "call_traces", "card_traces")
    between(config, 0, 1, "reference_slowness", "average", "past_share", "rule_share", "level_share")
    between(config, 1e-4, 100, "level_worlds")
    between(config, 0, 10, "entropy_weight", "reference_weight", "belief_weight", "value_weight")
    if config.past_share + config.rule_share + config.level_share > 1:
        raise ValueError("past_share, rule_share and level_share are more than 1 together")
    evaluation.check(config)


def train(folder: Path, config: Config, device: str = "cpu") -> bool:
    """Improve a policy into the folder of a run, made by ``training.run.prepare``, or go on with it.

    Every process of ``training.processes`` makes the same call. Returns False if Ctrl-C ended it early.
    """
    place = join(device)
    interrupts = Interrupts(place)
    torch.manual_seed(config.seed)
    run = Run(folder, leader=place.rank == 0)
    if (saved := run.load()) is not None:
        origin: dict[str, Any] = {name: saved[1][name] for name in ("start", "sizes")}
        policy = PolicyNetwork(Sizes(**origin["sizes"]))
    else:
        start = checkpoint.load(config.start)
        origin = {"start": start.notes, "sizes": start.network.sizes.to_dict()}
        policy = start.network
    policy = policy.to(place.device).requires_grad_(True)
    past, reference, averaged = (deepcopy(policy).requires_grad_(False) for _ in range(3))
    critic = Critic(config.critic_width).to(place.device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=config.learning_rate, eps=1e-5, fused=True)
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=config.critic_learning_rate, eps=1e-5, fused=True)
    tables = [SelfPlayTables(rules, config, place.rank, number) for number, rules in enumerate(config.rules)]
    everything = (
        {"policy": policy, "past": past, "reference": reference, "averaged": averaged, "critic": critic},
        {"optimizer": optimizer, "critic_optimizer": critic_optimizer},
        {f"tables-{one.rules.base}": one for one in tables},
    )
    watch = evaluation.Evaluation(config, place)
    first, decisions = 0, 0
    if saved is not None:
        tensors, numbers = saved
        first, decisions = numbers["round"], numbers["step"]
        restore(tensors, *everything, place)
    elif watch.due(0):
        run.log(0, watch.measure(averaged, run, 0))

    begun, decisions_before = time.perf_counter(), decisions
    for number in range(first, config.rounds):
        left = 1 - number / config.rounds
        policy_rounds = max(0, number + 1 - config.warm_up)
        for group in optimizer.param_groups:
            group["lr"] = config.learning_rate * (0.1 + 0.9 * left) * min(1.0, policy_rounds / (config.warm_up + 1))
        for group in critic_optimizer.param_groups:
            group["lr"] = config.critic_learning_rate * (0.1 + 0.9 * left)
        entropy_weight = config.entropy_weight * left
        reference_weight = config.reference_weight * max(0.0, 2 * left - 1)

        # Play a round, and see how each decision turned out against what the critic expected.
        rounds = play(tables, policy, past, place.device)
        taught = [lessons_of(played, one, critic, place.device) for played, one in zip(rounds, tables, strict=True)]
        lessons = Lessons.joined([part for part, _ in taught])
        counts = gather(len(lessons), place)

        # Learn.
        figures: dict[str, list[Tensor]] = {}
        parts = min(config.minibatches, *counts)
        for _ in range(config.epochs):
            for places in np.array_split(tables[0].rng.permutation(len(lessons)), parts):
                now = lessons.part(torch.from_numpy(places), place.device)

                with precision_of(config.precision, place.device):
                    worth = critic(now.observations, now.hidden, now.prospects)
                critic_loss = value_loss(worth, now.returns - now.perfect).mean()
                critic_optimizer.zero_grad(set_to_none=True)
                critic_loss.backward()
                average_gradients(critic.parameters(), place)
                torch.nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
                critic_optimizer.step()
                said = {"loss/critic": critic_loss.detach()}

                if policy_rounds:
                    with precision_of(config.precision, place.device):
                        answer = policy(now.observations)
                    logs = torch.log_softmax(masked(answer.scores, now.masks), 1)
                    change = logs.gather(1, now.actions[:, None]).squeeze(1) - now.chances
                    ratio = change.exp()
                    policy_loss = surrogate(logs, ratio, now.luck, now.gains, config.clip)
                    entropy = -(logs.exp() * logs).sum(1).mean()
                    public_loss = value_loss(answer.value, now.returns).mean()
                    belief = belief_loss(answer.belief, now.hidden)
                    loss = policy_loss - entropy_weight * entropy
                    loss = loss + config.value_weight * public_loss + config.belief_weight * belief
                    if reference_weight:
                        with torch.no_grad(), precision_of(config.precision, place.device):
                            held = torch.log_softmax(masked(reference(now.observations).scores, now.masks), 1)
                        divergence = (logs.exp() * (logs - held)).sum(1).mean()
                        loss = loss + reference_weight * divergence
                        said["policy/from_reference"] = divergence.detach()
                    optimizer.zero_grad(set_to_none=True)
                    loss.backward()
                    average_gradients(policy.parameters(), place)
                    torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
                    optimizer.step()
                    with torch.no_grad():
                        said |= {
                            "loss/policy": policy_loss.detach(),
                            "loss/value": public_loss.detach(),
                            "loss/belief": belief.detach(),
                            "policy/entropy": entropy.detach(),
                            "policy/kl": (ratio - 1 - change).mean(),
                            "policy/clipped": ((ratio - 1).abs() > config.clip).float().mean(),
                        }
                for name, value in said.items():
                    figures.setdefault(name, []).append(value)
        follow(reference, policy, config.reference_slowness)
        follow(averaged, policy, config.average)
        if (number + 1) % config.past_every == 0:
            past.load_state_dict(policy.state_dict())
        decisions += sum(counts)

        # Tell, and keep what was done.
        stop = interrupts.seen()
        told = {name: float(torch.stack(values).mean()) for name, values in figures.items()}
        for one, played, (_, of_critic) in zip(tables, rounds, taught, strict=True):
            deals, thrown_in, made = played.contracts.tolist()
            told |= of_critic
            told[f"contracts/{one.rules.base}/thrown_in"] = thrown_in / max(deals, 1)
            told[f"contracts/{one.rules.base}/made"] = made / max(deals - thrown_in, 1)
        told = mean(told, place)
        rate = (decisions - decisions_before) / (time.perf_counter() - begun)
        told |= {"decisions_per_second": rate, "learning_rate": optimizer.param_groups[0]["lr"]}
        if watch.due(number + 1):
            told |= watch.measure(averaged, run, decisions)
        run.log(decisions, told)
        if run.leader:
            minutes = (config.rounds - number - 1) * (time.perf_counter() - begun) / (number - first + 1) / 60
            progress_line(
                f"round {number + 1}/{config.rounds}  {decisions:,} decisions  {rate:,.0f}/s  {minutes:.0f} min left  "
                f"critic explains {told[f'critic/{tables[0].rules.base}']:.2f}  "
                f"entropy {told.get('policy/entropy', math.nan):.3f}  {watch.last}"
            )
        if stop or (number + 1) % config.save_every == 0 or number + 1 == config.rounds:
            run.save(whole_state(*everything, place), {"round": number + 1, "step": decisions, **origin})
            if run.leader:
                notes = {"kind": "ppo", "start": origin["start"], "decisions": decisions}
                notes["hours"] = round(run.seconds / 3600, 3)
                checkpoint.save(run.policy, averaged, [one.rules for one in tables], notes)
        if stop:
            return False
    return True
