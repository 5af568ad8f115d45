"""Self-play: a policy improves by playing all four seats against itself, its past, and the compiled rule player.

    belote train ppo RUN --start runs/distilled --rules belote coinche coinche_plus

Proximal policy optimisation (Schulman et al. 2017) from a distilled policy. What is particular to this game:

- The critic sees all hands (as in PerfectDou, Yang et al. 2022), and is told what rule play would make of them, which
  leaves far less of an outcome unforeseen. It learns alone before the policy moves.
- What it says of one seat it says of all, so the decisions of the four seats are one chain, each judged by how it moves
  the value to its side: what the others do until a seat's next turn is not in its way.
- The policy is held near a reference that follows it slowly, so that what was distilled is not forgotten.
- Deals can be judged by perfect play of their last cards, which takes a third of the time and leaves less to luck; but
  then it learns to bid for partners who play their last cards perfectly.
- Some tables are played against an older self, the rule player or a level, so that it does not learn for one partner
  only.
- Decisions without a choice are never asked for, and what can be announced is announced.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agents import checkpoint
from agents.levels import CRAZY
from agents.network import Critic, PolicyNetwork, Sizes, belief_loss, masked, mean_value, value_loss
from agents.teacher import PROSPECTS, action_values, outcomes, prospects, rule_actions
from belote_env.cards import CARDS
from belote_env.engine.layout import (
    ANNOUNCE_YES,
    BELOTE_YES,
    MADE,
    NONE,
    NUM_ACTIONS,
    OUTCOME,
    PHASE,
    PLAY,
    PLAYED,
    SEAT,
    TAKER,
)
from belote_env.observation import OBSERVATION_SIZE, PRIVILEGED_SIZE
from belote_env.rewards import reward_scale
from belote_env.rules import Rules
from training import evaluation
from training.config import at_least, between
from training.processes import Interrupts, average_gradients, gather, join, mean
from training.rows import Rows
from training.run import Run, progress_line
from training.state import follow, restore, whole_state
from training.tables import Tables
from training.win_table import WinTable, deal_scores


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
        learning_rate: of the policy, at its highest; it falls to a tenth.
        critic_learning_rate: of the critic.
        clip: how far the probability of an action may move in a round, as a ratio.
        call_traces: lambda of generalised advantage estimation for calls, from one decision at a table to the next;
            rewards themselves are not discounted.
        card_traces: lambda for cards: of the cards that are still to be played, the critic knows more.
        entropy_weight: of the entropy bonus, at its highest; it falls to nothing.
        reference_weight: of the divergence from the reference, at its highest; it falls to nothing.
        reference_slowness: how slowly the reference follows the policy, a round.
        past_share: share of the tables where one side is played by an older self.
        rule_share: share of the tables where one side is played by the compiled rule player.
        level_share: share of the tables where one side is played by the level Crazy.
        level_worlds: share of its worlds that Crazy imagines there.
        solve: cards in hand at which a deal is judged by perfect play, and nothing more of it is learned; 0 for never.
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
    learning_rate: float = 3e-4
    critic_learning_rate: float = 1.5e-3
    clip: float = 0.2
    call_traces: float = 0.95
    card_traces: float = 0.85
    entropy_weight: float = 0.003
    reference_weight: float = 0.05
    reference_slowness: float = 0.99
    past_share: float = 0.1
    rule_share: float = 0.1
    level_share: float = 0.0
    level_worlds: float = 0.1
    solve: int = 0
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


POLICY, PAST, RULE, LEVEL = range(4)
"""Who plays a seat: the policy that learns, an older self, the compiled rule player, or a level."""


class SelfPlayTables(Tables):
    """Tables at which the policy plays itself, and at some of them an older self, the rule player or a level."""

    def __init__(self, rules: str, config: Config, rank: int, number: int) -> None:
        by_match = config.reward == "match"
        super().__init__(rules, config.tables, (config.seed, rank, number), "match" if by_match else "deal")
        self.config = config
        self.budget = CRAZY.budget.times(config.level_worlds)
        self.thought = 0
        self.win_table = WinTable(self.rules, deal_scores(self.rules, 20_000)) if by_match else None
        # Whose seats are not the policy's. Sides take turns.
        numbers = np.arange(config.tables)
        kinds = np.zeros((config.tables, 4), dtype=np.int64)
        shares = {PAST: config.past_share, RULE: config.rule_share, LEVEL: config.level_share}
        first = 0.0
        for kind, share in shares.items():
            low, high = round(first * config.tables), round((first + share) * config.tables)
            here, first = (numbers >= low) & (numbers < high), first + share
            for side in (0, 1):
                kinds[np.ix_(here & (numbers % 2 == side), [side, side + 2])] = kind
        self.kinds = kinds

    def play(self, policy: PolicyNetwork, past: PolicyNetwork, device: torch.device) -> Decisions:
        """Play a round and return its decisions, without advantages yet."""
        shape = (self.config.steps, self.config.tables)
        d = Decisions(
            contracts=np.zeros(3),
            observations=np.empty((*shape, OBSERVATION_SIZE), np.uint8),
            hidden=np.empty((*shape, PRIVILEGED_SIZE), np.uint8),
            prospects=np.zeros((*shape, PROSPECTS), np.float32),
            masks=np.empty((*shape, NUM_ACTIONS), np.int8),
            seats=np.empty(shape, np.int64),
            actions=np.empty(shape, np.int64),
            chances=np.zeros(shape, np.float32),
            counted=np.empty(shape, bool),
            learned=np.empty(shape, bool),
            rewards=np.empty(shape, np.float32),
            done=np.empty(shape, bool),
        )
        states = self.env.get_state()["states"]
        for t in range(self.config.steps):
            step, counted = self.step, ~self._ended(states)
            d.observations[t], d.hidden[t] = step.observations, step.privileged
            d.prospects[t, counted] = self.prospects(states[counted])
            d.masks[t], d.seats[t], d.counted[t] = step.action_masks, step.seats, counted
            announcing = (step.action_masks[:, ANNOUNCE_YES] | step.action_masks[:, BELOTE_YES]) != 0
            kinds = np.where(announcing | ~counted, RULE, self.kinds[np.arange(len(states)), step.seats])
            d.learned[t] = kinds == POLICY
            actions = d.actions[t]
            for kind, network in ((POLICY, policy), (PAST, past)):
                rows = np.flatnonzero(kinds == kind)
                if len(rows):
                    actions[rows], d.chances[t, rows] = self._sample(network, rows, device)
            for kind, act in ((RULE, self._by_rule), (LEVEL, self._by_level)):
                rows = np.flatnonzero(kinds == kind)
                actions[rows] = act(states[rows])
            self.step = self.env.step(actions)
            now = self.env.get_state()
            states, over = now["states"], now["finals"][self.step.deal_over]
            d.rewards[t], d.done[t] = self.step.rewards[:, 0], self.step.deal_over
            if self.win_table is not None:
                d.rewards[t, self.step.deal_over] = self.win_table.rewards(over) / reward_scale(self.rules)
            if (entered := counted & self._ended(states)).any():
                d.rewards[t, entered] = self._solved(states[entered])
                d.done[t, entered] = True
            d.contracts += len(over), (over[:, TAKER] == NONE).sum(), (over[:, OUTCOME] == MADE).sum()
        return d

    def _by_rule(self, states: np.ndarray) -> np.ndarray:
        return rule_actions(states, self.rules, threads=1)

    def _by_level(self, states: np.ndarray) -> np.ndarray:
        values = action_values(states, self.rules, self.budget, self.config.seed, first=self.thought, threads=1)
        self.thought += len(states)
        return np.where(np.isnan(values), -np.inf, values).argmax(1)

    def _ended(self, states: np.ndarray) -> np.ndarray:
        """Return where perfect play of the last cards has judged the deal already, so that nothing counts: ``(n,)``."""
        first = len(CARDS) - 4 * self.config.solve
        return (states[:, PLAYED] > first) | ((states[:, PLAYED] == first) & (states[:, PHASE] == PLAY))

    def _solved(self, states: np.ndarray) -> np.ndarray:
        """Return what seats 0 and 2 get with perfect play, in units of rewards: ``(n,)``."""
        best = np.nanmax(outcomes(states, self.rules, solve=self.config.solve, threads=1), axis=1)
        return sides(states[:, SEAT]) * best / np.float32(reward_scale(self.rules))

    def prospects(self, states: np.ndarray) -> np.ndarray:
        """Return what deals may come to, in units of rewards: ``float32``, ``(n, PROSPECTS)``."""
        return prospects(states, self.rules, threads=1) / np.float32(reward_scale(self.rules))

    def get_state(self) -> dict[str, Tensor]:
        """Return all that an exact resume needs."""
        return {**super().get_state(), "thought": torch.tensor(self.thought)}

    def set_state(self, state: Mapping[str, Tensor]) -> None:
        """Go back to what :meth:`get_state` returned."""
        super().set_state(state)
        self.thought = int(state["thought"])

    def _sample(self, network: PolicyNetwork, rows: np.ndarray, device: torch.device) -> tuple[np.ndarray, np.ndarray]:
        """Return actions drawn from a policy in some of the tables, and their log-probabilities."""
        masks = self.step.action_masks[rows]
        with torch.inference_mode():
            observations = torch.from_numpy(self.step.observations[rows]).to(device)
            logits = masked(network(observations).scores, torch.from_numpy(masks).to(device))
            chances = torch.log_softmax(logits, 1).cpu().numpy()
        actions = self.draw(chances, masks)
        return actions, np.take_along_axis(chances, actions[:, None], 1)[:, 0]


@dataclass
class Decisions:
    """What a round saw, by step and table.

    Attributes:
        observations: ``uint8`` ``(steps, tables, OBSERVATION_SIZE)``.
        hidden: ``uint8`` ``(steps, tables, PRIVILEGED_SIZE)``.
        prospects: ``float32`` ``(steps, tables, PROSPECTS)``.
        masks: ``int8`` ``(steps, tables, NUM_ACTIONS)``.
        seats: who acted, ``(steps, tables)``.
        actions: what was done, ``(steps, tables)``.
        chances: its log-probability, ``(steps, tables)``.
        counted: whether the deal was not judged yet, ``(steps, tables)``.
        learned: whether the decision was the policy's, ``(steps, tables)``.
        rewards: of seats 0 and 2 for the step, ``(steps, tables)``; the other side's are the opposite.
        done: whether a deal ended with the step, or was judged, ``(steps, tables)``.
        contracts: deals that ended, how many of them were thrown in, and in how many the contract was made.
    """

    observations: np.ndarray
    hidden: np.ndarray
    prospects: np.ndarray
    masks: np.ndarray
    seats: np.ndarray
    actions: np.ndarray
    chances: np.ndarray
    counted: np.ndarray
    learned: np.ndarray
    rewards: np.ndarray
    done: np.ndarray
    contracts: np.ndarray


def sides(seats: np.ndarray) -> np.ndarray:
    """Return 1 for the seats 0 and 2, -1 for 1 and 3: a deal is zero-sum between the two sides."""
    return (1 - 2 * (seats % 2)).astype(np.float32)


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


def critic_values(critic: Critic, inputs: tuple[np.ndarray, ...], device: torch.device) -> np.ndarray:
    """Return the critic's mean values of its inputs: ``float32``, ``(n,)``."""
    parts = [np.empty(0, dtype=np.float32)]
    with torch.inference_mode():
        for first in range(0, len(inputs[0]), 4096):
            here = (torch.from_numpy(array[first : first + 4096]).to(device) for array in inputs)
            parts.append(mean_value(critic(*here)).cpu().numpy())
    return np.concatenate(parts)


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
        advantages: with mean 0 and spread 1 among calls and among cards, ``(n,)``.
        returns: what the state turned out to be worth, ``(n,)``.
    """

    observations: Tensor
    hidden: Tensor
    prospects: Tensor
    masks: Tensor
    actions: Tensor
    chances: Tensor
    advantages: Tensor
    returns: Tensor


def lessons_of(
    played: Decisions, tables: SelfPlayTables, critic: Critic, device: torch.device
) -> tuple[Lessons, float]:
    """Return what a round teaches, by what the critic expected, and the share of the returns that it explains."""
    counted = played.counted
    known = (played.observations, played.hidden, played.prospects)
    values = np.zeros(counted.shape, dtype=np.float32)
    values[counted] = critic_values(critic, tuple(array[counted] for array in known), device)
    step = tables.step
    then = (step.observations, step.privileged, tables.prospects(tables.env.get_state()["states"]))
    last = critic_values(critic, then, device) * sides(step.seats)
    calling = played.masks[:, :, len(CARDS) :].any(2)
    traces = np.where(calling, tables.config.call_traces, tables.config.card_traces).astype(np.float32)
    side = sides(played.seats)
    estimates = side * advantages(played.rewards, played.done, side * values, last, traces)
    normalised = np.zeros_like(estimates)
    for kind in (played.learned & calling, played.learned & ~calling):
        if kind.any():
            normalised[kind] = (estimates[kind] - estimates[kind].mean()) / (estimates[kind].std() + 1e-6)
    returns = estimates + values
    columns = (*known, played.masks, played.actions, played.chances, normalised, returns)
    explained = 1 - float(np.var(estimates[counted]) / np.var(returns[counted])) if counted.any() else math.nan
    return Lessons(*(torch.from_numpy(column[played.learned]) for column in columns)), explained


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
    at_least(config, 0, "seed")
    at_least(
        config, 1, "tables", "steps", "rounds", "epochs", "minibatches", "past_every", "critic_width", "save_every"
    )
    between(config, 0, 1, "learning_rate", "critic_learning_rate", "clip", "call_traces", "card_traces")
    between(config, 0, 1, "reference_slowness", "average", "past_share", "rule_share", "level_share")
    between(config, 1e-4, 100, "level_worlds")
    between(config, 0, 10, "entropy_weight", "reference_weight", "belief_weight", "value_weight")
    between(config, 0, 7, "solve")
    if config.solve and config.reward == "match":
        raise ValueError(f"solve is {config.solve}, but reward match needs deals played to their end: give --solve 0")
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
    optimizer = torch.optim.Adam(policy.parameters(), lr=config.learning_rate, eps=1e-5)
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=config.critic_learning_rate, eps=1e-5)
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
        warming = number < config.warm_up
        for group in optimizer.param_groups:
            group["lr"] = config.learning_rate * (0.1 + 0.9 * left)
        for group in critic_optimizer.param_groups:
            group["lr"] = config.critic_learning_rate * (0.1 + 0.9 * left)
        entropy_weight = config.entropy_weight * left
        reference_weight = config.reference_weight * max(0.0, 2 * left - 1)

        # Play a round, and see how each decision turned out against what the critic expected.
        rounds = [one.play(policy, past, place.device) for one in tables]
        taught = [lessons_of(played, one, critic, place.device) for played, one in zip(rounds, tables, strict=True)]
        lessons = Lessons.joined([part for part, _ in taught])
        counts = gather(len(lessons), place)

        # Learn.
        figures: dict[str, list[Tensor]] = {}
        # There is nothing to learn where all deals are judged already.
        parts = min(config.minibatches, *counts)
        for _ in range(config.epochs if parts else 0):
            for places in np.array_split(tables[0].rng.permutation(len(lessons)), parts):
                now = lessons.part(torch.from_numpy(places), place.device)

                critic_loss = value_loss(critic(now.observations, now.hidden, now.prospects), now.returns).mean()
                critic_optimizer.zero_grad(set_to_none=True)
                critic_loss.backward()
                average_gradients(critic.parameters(), place)
                torch.nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
                critic_optimizer.step()
                said = {"loss/critic": critic_loss.detach()}

                if not warming:
                    answer = policy(now.observations)
                    logs = torch.log_softmax(masked(answer.scores, now.masks), 1)
                    change = logs.gather(1, now.actions[:, None]).squeeze(1) - now.chances
                    ratio = change.exp()
                    bounded = ratio.clamp(1 - config.clip, 1 + config.clip)
                    policy_loss = -torch.minimum(ratio * now.advantages, bounded * now.advantages).mean()
                    entropy = -(logs.exp() * logs).sum(1).mean()
                    public_loss = value_loss(answer.value, now.returns).mean()
                    belief = belief_loss(answer.belief, now.hidden)
                    loss = policy_loss - entropy_weight * entropy
                    loss = loss + config.value_weight * public_loss + config.belief_weight * belief
                    if reference_weight:
                        with torch.no_grad():
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
        for one, played, (_, explained) in zip(tables, rounds, taught, strict=True):
            deals, thrown_in, made = played.contracts.tolist()
            told[f"critic/{one.rules.base}"] = explained
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
