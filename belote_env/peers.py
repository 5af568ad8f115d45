"""The same kind of loop in other libraries' card games, where they are installed, to compare with on one machine."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from belote_env.benchmark import Row, rate


def _open_spiel(name: str, tensors: bool) -> Callable[[], int]:
    import pyspiel

    game = pyspiel.load_game(name)
    random = Random(1).random

    def episode() -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                # The deal: every outcome is as likely as another.
                outcomes = state.chance_outcomes()
                action = outcomes[int(random() * len(outcomes))][0]
            else:
                if tensors:
                    state.information_state_tensor()
                legal = state.legal_actions()
                action = legal[int(random() * len(legal))]
                steps += 1
            state.apply_action(action)
        return steps

    return episode


def _open_spiel_bots(name: str, chances: int) -> Callable[[], int]:
    """Whole games in OpenSpiel's own C++ loop between its uniformly random bots; ``chances`` moves a game are deals."""
    import pyspiel

    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(game.num_players())]
    seeds = iter(range(1 << 30))

    def episode() -> int:
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, next(seeds))
        return int(state.move_number()) - chances

    return episode


def _rlcard(name: str) -> Callable[[], int]:
    import rlcard

    env = rlcard.make(name, config={"seed": 1})
    rng = np.random.default_rng(1)

    def episode() -> int:
        state, _ = env.reset()
        steps = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(rng.random() * len(legal))])
            steps += 1
        return steps

    return episode


def _pgx(name: str, batch: int) -> Callable[[], int]:
    import jax
    import jax.numpy as jnp
    import pgx

    env = pgx.make(name)
    begin, move = jax.vmap(env.init), jax.vmap(env.step)

    @jax.jit
    def play(key: Any) -> Any:
        def turn(state: Any, key: Any) -> tuple[Any, None]:
            logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
            return move(state, jax.random.categorical(key, logits, axis=1)), None

        first, *rest = jax.random.split(key, 11)
        return jax.lax.scan(turn, begin(jax.random.split(first, batch)), jnp.stack(rest))[0].rewards

    keys = iter(range(10**9))

    def run() -> int:
        play(jax.random.PRNGKey(next(keys))).block_until_ready()
        return 10 * batch

    return run


def _pettingzoo(module: str) -> Callable[[], int]:
    import importlib

    env = importlib.import_module(f"pettingzoo.classic.{module}").raw_env()
    rng = np.random.default_rng(1)

    def episode() -> int:
        env.reset(seed=int(rng.integers(1 << 30)))
        steps = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            mask = observation.get("action_mask", info.get("action_mask"))
            legal = np.flatnonzero(mask)
            env.step(int(legal[int(rng.random() * len(legal))]))
            steps += 1
        return steps

    return episode


PEERS: dict[str, Callable[[], Callable[[], int]]] = {
    "OpenSpiel euchre, C++ loop": lambda: _open_spiel_bots("euchre", 22),
    "OpenSpiel hearts, C++ loop": lambda: _open_spiel_bots("hearts", 53),
    "OpenSpiel euchre, Python loop": lambda: _open_spiel("euchre", tensors=False),
    "OpenSpiel euchre, Python loop with tensors": lambda: _open_spiel("euchre", tensors=True),
    "RLCard bridge": lambda: _rlcard("bridge"),
    "RLCard leduc hold'em": lambda: _rlcard("leduc-holdem"),
    "pgx leduc hold'em, 8192 games": lambda: _pgx("leduc_holdem", 8192),
    "PettingZoo leduc hold'em, AEC loop": lambda: _pettingzoo("leduc_holdem_v4"),
}


def measure_peers(seconds: float, report: Callable[[str], None]) -> list[Row]:
    """Return a row for each peer that is installed; ``report`` is told of those that are not, or that fail."""
    rows = []
    for name, make in PEERS.items():
        try:
            rows.append({"name": name, "unit": "steps/s", "value": rate(make(), seconds)})
        except ImportError as error:
            report(f"{name}: not installed ({error})")
        except Exception as error:  # a peer's own fault must not lose the other figures
            report(f"{name}: failed ({error})")
    return rows
