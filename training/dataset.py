"""Self-play as data for offline RL and supervised learning: what each seat saw and did, as Minari or Parquet.

An episode is one seat's part in one deal, as the Gymnasium environment would give it to a learner on that seat: the
reward comes with the last action, and the observation after it is that of the deal that is over.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.registry import make
from belote_env.engine.layout import NUM_ACTIONS
from belote_env.files import replacing
from belote_env.game import Game
from belote_env.observation import OBSERVATION_SIZE
from belote_env.rewards import reward_code, write_rewards
from belote_env.rules import Rules

ROWS = 20_000
"""Decisions in a row group of a Parquet file: about 20 MB before compression."""


@dataclass(frozen=True)
class Trajectory:
    """One seat's part in one deal, of ``n`` decisions.

    Attributes:
        deal: number of the deal, from 0.
        seat: 0..3.
        observations: ``uint8``, shape ``(n + 1, OBSERVATION_SIZE)``; the last is of the deal that is over.
        action_masks: ``int8``, shape ``(n + 1, NUM_ACTIONS)``; the last is 0.
        actions: ``int64``, shape ``(n,)``.
        reward: of the whole deal.
    """

    deal: int
    seat: int
    observations: np.ndarray
    action_masks: np.ndarray
    actions: np.ndarray
    reward: float


@dataclass(frozen=True)
class Plan:
    """What is played; each deal follows from it and a number.

    Attributes:
        agents: what :func:`agents.registry.make` takes, for seats 0+2 and for 1+3.
        rules: the rule set.
        seed: of cards and agents.
        reward: ``"score"``, ``"points"`` or ``"contract"``, see :mod:`belote_env.rewards`.
    """

    agents: tuple[str, str]
    rules: Rules
    seed: int = 0
    reward: str = "score"


def play_deal(plan: Plan, number: int) -> list[Trajectory]:
    """Play one deal and return the trajectories of its seats.

    Raises:
        IllegalActionError: if an agent returns an action that is not legal.
    """
    seeds = [np.random.SeedSequence(plan.seed, spawn_key=(number, who)) for who in range(5)]
    game = Game(plan.rules, seed=np.random.default_rng(seeds[4]))
    agents = [make(plan.agents[seat & 1], plan.rules, seeds[seat]) for seat in range(4)]
    seen: list[list[tuple[np.ndarray, np.ndarray, int]]] = [[], [], [], []]
    while not game.deal_over:
        view = game.view()
        action = agents[view.seat].act(view)
        game.step(action)
        seen[view.seat].append((view.observation, view.action_mask, action))
    rewards = np.zeros(4, dtype=np.float32)
    write_rewards(game.state, plan.rules.vector, reward_code(plan.reward, "deal"), rewards)
    trajectories = []
    for seat, steps in enumerate(seen):  # nobody is without: a deal ends when all have played, or passed
        observations, masks, actions = zip(*steps, strict=True)
        trajectories.append(
            Trajectory(
                number,
                seat,
                np.stack([*observations, game.observation(seat)]),
                np.stack([*masks, np.zeros(NUM_ACTIONS, dtype=np.int8)]),
                np.array(actions, dtype=np.int64),
                float(rewards[seat]),
            )
        )
    return trajectories


def play(plan: Plan, deals: int, workers: int = 1) -> Iterator[Trajectory]:
    """Yield the trajectories of the first deals of a plan in their order, the same for any number of processes."""
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=workers, return_as="generator")
    for trajectories in parallel(delayed(play_deal)(plan, number) for number in range(deals)):
        yield from trajectories


def write_parquet(trajectories: Iterable[Trajectory], path: str | os.PathLike[str]) -> int:
    """Write a row for each decision and return their number; a file that is there stays until all is written.

    Columns: ``deal``, ``seat``, ``step`` (0 for the seat's first decision), ``observation`` and ``action_mask``
    (lists of fixed length), ``action``, and ``reward``, that of the whole deal.
    """
    import pyarrow.parquet as pq

    written = 0
    with replacing(path) as file, pq.ParquetWriter(file, _schema(), compression="zstd") as writer:
        group: list[Trajectory] = []
        for trajectory in trajectories:
            group.append(trajectory)
            if sum(len(one.actions) for one in group) >= ROWS:
                written += _write_group(writer, group)
                group = []
        if group:
            written += _write_group(writer, group)
    return written


def _schema() -> Any:
    import pyarrow as pa

    return pa.schema(
        [
            ("deal", pa.int32()),
            ("seat", pa.int8()),
            ("step", pa.int16()),
            ("observation", pa.list_(pa.uint8(), OBSERVATION_SIZE)),
            ("action_mask", pa.list_(pa.int8(), NUM_ACTIONS)),
            ("action", pa.int16()),
            ("reward", pa.float32()),
        ]
    )


def _write_group(writer: Any, group: list[Trajectory]) -> int:
    import pyarrow as pa

    lengths = [len(one.actions) for one in group]
    observations = np.concatenate([one.observations[:-1].reshape(-1) for one in group])
    masks = np.concatenate([one.action_masks[:-1].reshape(-1) for one in group])
    columns = [
        pa.array(np.repeat([one.deal for one in group], lengths)),
        pa.array(np.repeat([one.seat for one in group], lengths)),
        pa.array(np.concatenate([np.arange(length) for length in lengths])),
        pa.FixedSizeListArray.from_arrays(observations, OBSERVATION_SIZE),
        pa.FixedSizeListArray.from_arrays(masks, NUM_ACTIONS),
        pa.array(np.concatenate([one.actions for one in group])),
        pa.array(np.repeat([one.reward for one in group], lengths)),
    ]
    writer.write_table(pa.table(columns, names=_schema().names).cast(_schema()))
    return sum(lengths)


def write_minari(trajectories: Iterable[Trajectory], name: str, plan: Plan) -> int:
    """Write a Minari dataset, where Minari keeps them (``MINARI_DATASETS_PATH``), and return its number of decisions.

    Args:
        trajectories: all of them are held in memory.
        name: as ``belote/coinche/easy-v0``.
        plan: what was played, under a preset; the dataset's environment is the Gymnasium one with its rules.

    Raises:
        ValueError: if there is such a dataset already, or the name is none.
    """
    import gymnasium
    import minari
    from minari.data_collector import EpisodeBuffer

    episodes = []
    for number, one in enumerate(trajectories):
        ends = np.arange(len(one.actions)) == len(one.actions) - 1
        episodes.append(
            EpisodeBuffer(
                id=number,
                options={"deal": one.deal, "seat": one.seat},
                observations={"observation": one.observations, "action_mask": one.action_masks},
                actions=one.actions,
                rewards=np.where(ends, one.reward, 0.0),
                terminations=ends,
                truncations=np.zeros_like(ends),
            )
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that nobody signed it
        dataset = minari.create_dataset_from_buffers(
            name,
            episodes,
            env=gymnasium.make("Belote-v0", rules=plan.rules.base, reward=plan.reward),
            algorithm_name=" against ".join(dict.fromkeys(plan.agents)),
            description=f"Deals of {plan.rules}, one seat an episode; seats 0 and 2 {plan.agents[0]}, "
            f"1 and 3 {plan.agents[1]}; seed {plan.seed}.",
            data_format="arrow",
        )
    return int(dataset.total_steps)
