"""How fast the engine and every form of the environment are, measured by playing random games.

Each function returns rows ``{"name", "unit", "value"}``; rates are per second of wall time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from belote_env import belote_v0
from belote_env.engine.jit import lean
from belote_env.engine.layout import RNG, STATE_SIZE
from belote_env.engine.playout import random_deals
from belote_env.rules import Rules
from belote_env.single import BeloteEnv
from belote_env.vector import BeloteVectorEnv

VECTOR_SIZES = (1, 1024, 8192)
Row = dict[str, Any]


def rate(work: Callable[[], int], seconds: float) -> float:
    """Call ``work``, which returns how many units it did, for some seconds after a warm-up; return units a second."""
    work()
    done, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        done += work()
    return done / elapsed


@lean
def _choose(masks, random, actions):
    """Choose a legal action uniformly in every game; ``random`` holds the state of an xorshift generator."""
    x = random[0]
    for game in range(len(actions)):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[game, action]
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        skip = np.int64((x >> np.uint64(40)) % np.uint64(count))
        for action in range(masks.shape[1]):
            if masks[game, action]:
                if skip == 0:
                    actions[game] = action
                    break
                skip -= 1
    random[0] = x


def engine(presets: Sequence[str], seconds: float) -> list[Row]:
    """Whole random deals in one compiled loop on one core, legal actions listed at every step."""
    rows = []
    for preset in presets:
        vector = Rules.preset(preset).vector
        state = np.zeros(STATE_SIZE, dtype=np.int64)
        state[RNG] = 1
        value = rate(lambda s=state, r=vector: random_deals(s, r, 1000), seconds)  # type: ignore[misc]
        rows.append({"name": f"engine loop, {preset}", "unit": "actions/s", "value": value})
    return rows


def vector_rate(num_envs: int, rules: str, observation: str, threads: int | None, seconds: float) -> float:
    """Return the steps a second of ``BeloteVectorEnv.step``; the time to choose random actions is not counted."""
    env = BeloteVectorEnv(num_envs, rules, observation=observation, threads=threads)
    step = env.reset(seed=1)
    actions = np.zeros(num_envs, dtype=np.int64)
    random = np.array([88172645463325252], dtype=np.uint64)
    spent, steps = 0.0, 0
    # The first second or so is left out: it compiles, and deals all begin together.
    warm_up = 60
    while spent < seconds or warm_up > 0:
        _choose(step.action_masks, random, actions)
        start = time.perf_counter()
        env.step(actions)
        if warm_up > 0:
            warm_up -= 1
        else:
            spent += time.perf_counter() - start
            steps += num_envs
    env.close()
    return steps / spent


def vector(rules: str, seconds: float) -> list[Row]:
    """The vector environment at several sizes, with full observations and masks, and without observations."""
    rows = []
    for num_envs in VECTOR_SIZES:
        for observation in ("bytes", "packed", "none"):
            value = vector_rate(num_envs, rules, observation, None, seconds)
            name = f"vector env, {num_envs} games, {observation} observations"
            rows.append({"name": name, "unit": "steps/s", "value": value})
    memory = BeloteVectorEnv(1024, rules).bytes_per_game
    rows.append({"name": "memory of a game besides its observation", "unit": "bytes", "value": memory})
    return rows


def growth(rules: str, threads: Sequence[int], seconds: float) -> list[Row]:
    """Steps a second of the vector environment by number of games and threads."""
    return [
        {"games": games, "threads": count, "value": vector_rate(games, rules, "bytes", count, seconds)}
        for count in threads
        for games in (1, 8, 64, 256, 1024, 4096, 8192, 16384)
    ]


def aec(rules: str, seconds: float) -> list[Row]:
    """The Python loop over ``raw_env``: ``last``, a random legal action, ``step``."""
    env = belote_v0.raw_env(rules=rules)
    env.reset(seed=1)
    rng = np.random.default_rng(1)

    def episode() -> int:
        env.reset()
        steps = 0
        while not env.terminations["player_0"]:
            legal = np.flatnonzero(env.last()[0]["action_mask"])
            env.step(legal[int(rng.random() * len(legal))])
            steps += 1
        return steps

    return [{"name": "AEC loop (raw_env, with observations)", "unit": "steps/s", "value": rate(episode, seconds)}]


def single(rules: str, seconds: float) -> list[Row]:
    """The Gymnasium loop of one learner against random players."""
    env = BeloteEnv(rules, partner="random", opponents="random")
    env.reset(seed=1)
    rng = np.random.default_rng(1)

    def episode() -> int:
        _, info = env.reset()
        steps, terminated = 0, False
        while not terminated:
            legal = np.flatnonzero(info["action_mask"])
            _, _, terminated, _, info = env.step(int(legal[int(rng.random() * len(legal))]))
            steps += 1
        return steps

    return [{"name": "Gymnasium loop (own steps, random others)", "unit": "steps/s", "value": rate(episode, seconds)}]
