"""How fast the engine and every form of the environment are, measured by playing random games.

Each function returns rows ``{"name", "unit", "value"}``; rates are per second of wall time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np

from belote_env import belote_v0
from belote_env.engine.jit import lean
from belote_env.engine.layout import NUM_ACTIONS, RNG, STATE_SIZE
from belote_env.engine.parts import PARTS, run_part
from belote_env.engine.playout import random_deals
from belote_env.features import OBSERVATION_SIZE, PACKED_SIZE
from belote_env.rules import Rules
from belote_env.single import BeloteEnv
from belote_env.vector import BeloteVectorEnv

VECTOR_SIZES = (1, 1024, 8192)
_SLICES = 15
Row = dict[str, Any]


def rate(work: Callable[[], int], seconds: float) -> float:
    """Call ``work``, which returns how many units it did, for some seconds after a warm-up.

    Returns:
        Units a second: the median of several slices of that time, so that a moment's disturbance does not count.
    """

    def one_slice() -> float:
        done, start = 0, time.perf_counter()
        while True:
            done += work()
            if (spent := time.perf_counter() - start) >= seconds / _SLICES:
                return done / spent

    work()
    return median(one_slice() for _ in range(_SLICES))


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


class _RandomPlay:
    """Random play in a vector environment; the time to choose the actions is not counted."""

    def __init__(self, num_envs: int, rules: str, observation: str, threads: int | None) -> None:
        self.env = BeloteVectorEnv(num_envs, rules, observation=observation, threads=threads)
        self._masks = self.env.reset(seed=1).action_masks
        self._actions = np.zeros(num_envs, dtype=np.int64)
        self._random = np.array([88172645463325252], dtype=np.uint64)
        # Left out: all deals begin together, and soon stand at every point of a deal.
        for _ in range(60):
            self.step()

    def step(self) -> float:
        """Take a step in every game; return the seconds that it took."""
        _choose(self._masks, self._random, self._actions)
        start = time.perf_counter()
        self.env.step(self._actions)
        return time.perf_counter() - start

    def rate(self, seconds: float) -> float:
        """Return the steps a second over all games, as :func:`rate` does, and end the threads."""
        rates = []
        for _ in range(_SLICES):
            spent, steps = 0.0, 0
            while spent < seconds / _SLICES:
                spent += self.step()
                steps += self.env.num_envs
            rates.append(steps / spent)
        self.env.close()
        return median(rates)


def vector(rules: str, seconds: float) -> list[Row]:
    """The vector environment at several sizes, with full observations and masks, and without observations."""
    rows = []
    for num_envs in VECTOR_SIZES:
        for observation in ("bytes", "packed", "floats", "none"):
            value = _RandomPlay(num_envs, rules, observation, None).rate(seconds)
            name = f"vector env, {num_envs:,} games, {observation} observations"
            rows.append({"name": name, "unit": "steps/s", "value": value})
    memory = BeloteVectorEnv(1024, rules).bytes_per_game
    rows.append({"name": "memory of a game besides its observation", "unit": "bytes", "value": memory})
    return rows


def profile(rules: str, rounds: int = 300) -> list[Row]:
    """Where the time of a step goes: nanoseconds a game on one core, medians over the steps of 1,024 games."""
    play = _RandomPlay(1024, rules, "none", 1)
    acting = median(play.step() for _ in range(rounds))
    spent: list[list[float]] = [[] for _ in PARTS]
    r, blank = play.env.rules.vector, play.env.rules.blank_observation
    arrays = [
        np.zeros((play.env.num_envs, width), dtype)
        for width, dtype in (
            (NUM_ACTIONS, np.int8),
            (OBSERVATION_SIZE, np.uint8),
            (PACKED_SIZE, np.uint8),
            (OBSERVATION_SIZE, np.float32),
        )
    ]
    for _ in range(rounds):
        play.step()
        states = play.env.get_state()["states"]
        for part in range(len(PARTS)):
            start = time.perf_counter()
            run_part(part, states, r, blank, *arrays)
            spent[part].append(time.perf_counter() - start)
    alone, *parts = map(median, spent)
    found = {part: value - alone for part, value in zip(PARTS[1:], parts, strict=True)}
    # A step without observations acts and writes masks.
    found = {"act": acting - found["mask"], **found}
    ns = {part: value / play.env.num_envs for part, value in found.items()}
    for games in VECTOR_SIZES[1:]:
        whole = _RandomPlay(games, rules, "bytes", 1)
        ns[f"whole step, {games:,} games"] = median(whole.step() for _ in range(rounds)) / games
    return [{"name": name, "unit": "ns", "value": 1e9 * value} for name, value in ns.items()]


def growth(rules: str, threads: Sequence[int], seconds: float) -> list[Row]:
    """Steps a second of the vector environment by number of games and threads."""
    return [
        {"games": games, "threads": count, "value": _RandomPlay(games, rules, "bytes", count).rate(seconds)}
        for games in (1, 8, 64, 256, 1024, 4096, 8192, 16384)
        for count in threads
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
