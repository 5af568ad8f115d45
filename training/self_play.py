"""The tables of a self-play: who sits at them, what they see, do and get, and what is foreseen of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from agents.endgame import ENDING
from agents.levels import CRAZY
from agents.network import PolicyNetwork, masked
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
    STATE_SIZE,
    TAKER,
)
from belote_env.observation import OBSERVATION_SIZE, PRIVILEGED_SIZE
from belote_env.rewards import reward_scale
from belote_env.vector import WAIT, BeloteVectorEnv, Step
from training.tables import Tables
from training.win_table import WinTable, deal_scores

if TYPE_CHECKING:
    from training.ppo import Config

POLICY, PAST, RULE, LEVEL = range(4)
"""Who plays a seat: the policy that learns, an older self, the compiled rule player, or a level."""

TRIED_AT_ONCE = 1024
"""How many actions are tried out together."""


class SelfPlayTables(Tables):
    """Tables at which the policy plays itself, and at some of them an older self, the rule player or a level."""

    def __init__(self, rules: str, config: Config, rank: int, number: int) -> None:
        by_match = config.reward == "match"
        super().__init__(rules, config.tables, (config.seed, rank, number), "match" if by_match else "deal")
        self.config = config
        self.budget = CRAZY.budget.times(config.level_worlds)
        self.thought = 0
        self.win_table = WinTable(self.rules, deal_scores(self.rules, 20_000)) if by_match else None
        self.spare = self.new_env(TRIED_AT_ONCE)
        self._no_finals = np.zeros((TRIED_AT_ONCE, STATE_SIZE), dtype=np.int32)
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

    def look(self, played: Decisions, t: int) -> np.ndarray:
        """Note what is known before step ``t`` of a round, and return who is to act at each table, ``(tables,)``."""
        step, states = self.step, self.env.get_state()["states"]
        played.states[t], played.observations[t], played.hidden[t] = states, step.observations, step.privileged
        played.masks[t], played.seats[t] = step.action_masks, step.seats
        played.prospects[t], played.exact[t] = self.foresee(states)
        announcing = (step.action_masks[:, ANNOUNCE_YES] | step.action_masks[:, BELOTE_YES]) != 0
        kinds = np.where(announcing, RULE, self.kinds[np.arange(len(self.kinds)), step.seats])
        played.learned[t] = kinds == POLICY
        return kinds

    def act(self, played: Decisions, t: int, kinds: np.ndarray) -> None:
        """Have the rule player and the level act where it is their turn, take the step, and note what comes of it."""
        states = self.env.get_state()["states"]
        for kind, act in ((RULE, self._by_rule), (LEVEL, self._by_level)):
            rows = np.flatnonzero(kinds == kind)
            played.actions[t, rows] = act(states[rows])
        self.step = self.env.step(played.actions[t])
        played.rewards[t], played.done[t] = self._rewards(self.env, self.step), self.step.deal_over
        over = self.env.get_state()["finals"][self.step.deal_over]
        played.contracts += len(over), (over[:, TAKER] == NONE).sum(), (over[:, OUTCOME] == MADE).sum()

    def _rewards(self, env: BeloteVectorEnv, step: Step) -> np.ndarray:
        """Return what a step earned seats 0 and 2, ``(games,)``."""
        rewards = step.rewards[:, 0].copy()
        if self.win_table is not None:
            over = env.get_state()["finals"][step.deal_over]
            rewards[step.deal_over] = self.win_table.rewards(over) / reward_scale(self.rules)
        return rewards

    def try_out(self, states: np.ndarray, actions: np.ndarray) -> Iterator[After]:
        """Yield what comes of an action in each state, ``(n, STATE_SIZE)`` and ``(n,)``, a part of them at a time."""
        env = self.spare
        for first in range(0, len(states), env.num_envs):
            count = min(env.num_envs, len(states) - first)
            here = np.concatenate([states[first : first + count], states[:1].repeat(env.num_envs - count, 0)])
            env.set_state({"states": here, "finals": self._no_finals})
            step = env.step(np.concatenate([actions[first : first + count], np.full(env.num_envs - count, WAIT)]))
            yield self._after(env, step, count)

    def now(self) -> After:
        """Return where the tables stand."""
        return self._after(self.env, self.step, self.env.num_envs)

    def _after(self, env: BeloteVectorEnv, step: Step, count: int) -> After:
        told, exact = self.foresee(env.get_state()["states"][:count])
        return After(
            observations=step.observations[:count],
            hidden=step.privileged[:count],
            prospects=told,
            exact=exact,
            seats=step.seats[:count],
            rewards=self._rewards(env, step)[:count],
            done=step.deal_over[:count],
        )

    def _by_rule(self, states: np.ndarray) -> np.ndarray:
        return rule_actions(states, self.rules, threads=1)

    def _by_level(self, states: np.ndarray) -> np.ndarray:
        values = action_values(states, self.rules, self.budget, self.config.seed, first=self.thought, threads=1)
        self.thought += len(states)
        return np.where(np.isnan(values), -np.inf, values).argmax(1)

    def foresee(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what deals may come to, in units of rewards, as it is seen by who sees all hands.

        Returns:
            Prospects, ``float32``, ``(n, PROSPECTS)``, of rule play and, of the last cards, of perfect play; and the
            outcome of each of the last cards with perfect play, ``float32``, ``(n, 32)``, nan for all others.
        """
        told = prospects(states, self.rules, threads=1)
        exact = np.full((len(states), len(CARDS)), np.nan, dtype=np.float32)
        last = (states[:, PHASE] == PLAY) & (states[:, PLAYED] >= len(CARDS) - 4 * ENDING)
        last &= self.config.reward == "score"
        if last.any():
            exact[last] = outcomes(states[last], self.rules, solve=ENDING, threads=1)[:, : len(CARDS)]
            last &= ~np.isnan(exact).all(1)
            told[last, 1:] = np.stack([f(exact[last], axis=1) for f in (np.nanmean, np.nanmax, np.nanmin)], 1)
        scale = np.float32(reward_scale(self.rules))
        return told / scale, exact / scale

    def get_state(self) -> dict[str, Tensor]:
        """Return all that an exact resume needs."""
        return {**super().get_state(), "thought": torch.tensor(self.thought)}

    def set_state(self, state: Mapping[str, Tensor]) -> None:
        """Go back to what :meth:`get_state` returned."""
        super().set_state(state)
        self.thought = int(state["thought"])


@dataclass(frozen=True)
class After:
    """Where games stand after an action, as in :class:`Decisions`, and what it earned.

    Attributes:
        observations: ``uint8`` ``(n, OBSERVATION_SIZE)``.
        hidden: ``uint8`` ``(n, PRIVILEGED_SIZE)``.
        prospects: ``float32`` ``(n, PROSPECTS)``.
        exact: ``float32`` ``(n, 32)``.
        seats: who is to act, ``(n,)``.
        rewards: of seats 0 and 2, ``(n,)``.
        done: whether the deal is over, and the state one of another deal, ``(n,)``.
    """

    observations: np.ndarray
    hidden: np.ndarray
    prospects: np.ndarray
    exact: np.ndarray
    seats: np.ndarray
    rewards: np.ndarray
    done: np.ndarray


@dataclass
class Decisions:
    """What a round saw, by step and table.

    Attributes:
        states: ``int64`` ``(steps, tables, STATE_SIZE)``.
        observations: ``uint8`` ``(steps, tables, OBSERVATION_SIZE)``.
        hidden: ``uint8`` ``(steps, tables, PRIVILEGED_SIZE)``.
        prospects: ``float32`` ``(steps, tables, PROSPECTS)``.
        exact: outcomes of the last cards with perfect play, nan for all others, ``float32`` ``(steps, tables, 32)``.
        masks: ``int8`` ``(steps, tables, NUM_ACTIONS)``.
        seats: who acted, ``(steps, tables)``.
        actions: what was done, ``(steps, tables)``.
        chances: the log-probability of each action, minus infinity where no network was asked,
            ``(steps, tables, NUM_ACTIONS)``.
        learned: whether the decision was the policy's, ``(steps, tables)``.
        rewards: of seats 0 and 2 for the step, ``(steps, tables)``; the other side's are the opposite.
        done: whether a deal ended with the step, ``(steps, tables)``.
        contracts: deals that ended, how many of them were thrown in, and in how many the contract was made.
    """

    states: np.ndarray
    observations: np.ndarray
    hidden: np.ndarray
    prospects: np.ndarray
    exact: np.ndarray
    masks: np.ndarray
    seats: np.ndarray
    actions: np.ndarray
    chances: np.ndarray
    learned: np.ndarray
    rewards: np.ndarray
    done: np.ndarray
    contracts: np.ndarray

    @classmethod
    def of(cls, steps: int, tables: int) -> Decisions:
        """Return a round in which nothing was seen yet."""
        shape = (steps, tables)
        return cls(
            states=np.empty((*shape, STATE_SIZE), np.int64),
            observations=np.empty((*shape, OBSERVATION_SIZE), np.uint8),
            hidden=np.empty((*shape, PRIVILEGED_SIZE), np.uint8),
            prospects=np.empty((*shape, PROSPECTS), np.float32),
            exact=np.empty((*shape, len(CARDS)), np.float32),
            masks=np.empty((*shape, NUM_ACTIONS), np.int8),
            seats=np.empty(shape, np.int64),
            actions=np.empty(shape, np.int64),
            chances=np.full((*shape, NUM_ACTIONS), -np.inf, np.float32),
            learned=np.empty(shape, bool),
            rewards=np.empty(shape, np.float32),
            done=np.empty(shape, bool),
            contracts=np.zeros(3),
        )


def play(
    tables: Sequence[SelfPlayTables], policy: PolicyNetwork, past: PolicyNetwork, device: torch.device
) -> list[Decisions]:
    """Play a round at tables of several rule sets, a network deciding at all of them at once; return what each saw."""
    rounds = [Decisions.of(one.config.steps, one.config.tables) for one in tables]
    for t in range(tables[0].config.steps):
        kinds = [one.look(played, t) for one, played in zip(tables, rounds, strict=True)]
        for kind, network in ((POLICY, policy), (PAST, past)):
            rows = [np.flatnonzero(of == kind) for of in kinds]
            chances = log_probabilities(
                network,
                np.concatenate([one.step.observations[here] for one, here in zip(tables, rows, strict=True)]),
                np.concatenate([one.step.action_masks[here] for one, here in zip(tables, rows, strict=True)]),
                device,
            )
            bounds = np.cumsum([len(here) for here in rows])[:-1]
            for one, played, here, logs in zip(tables, rounds, rows, np.split(chances, bounds), strict=True):
                played.actions[t, here] = one.draw(logs, one.step.action_masks[here])
                played.chances[t, here] = logs
        for one, played, of in zip(tables, rounds, kinds, strict=True):
            one.act(played, t, of)
    return rounds


def log_probabilities(
    network: PolicyNetwork, observations: np.ndarray, masks: np.ndarray, device: torch.device
) -> np.ndarray:
    """Return a policy's log-probabilities of all actions: ``float32``, ``(n, NUM_ACTIONS)``."""
    if not len(observations):
        return np.empty(masks.shape, dtype=np.float32)
    with torch.inference_mode():
        logits = network(torch.from_numpy(observations).to(device)).scores
        return torch.log_softmax(masked(logits, torch.from_numpy(masks).to(device)), 1).cpu().numpy()


def sides(seats: np.ndarray) -> np.ndarray:
    """Return 1 for the seats 0 and 2, -1 for 1 and 3: a deal is zero-sum between the two sides."""
    return (1 - 2 * (seats % 2)).astype(np.float32)
