"""Thousands of games in lockstep, all four seats: the training path.

Every step acts once in every game, for whichever seat is to move there, and games that end begin anew within the
same step. Agrees bit by bit with the AEC environment: game ``i`` of ``reset(seed=s)`` plays what
``raw_env.reset(seed=s + i)`` plays, and goes on with the episodes that further ``reset()`` calls would give.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from belote_env.actions import ACTIONS
from belote_env.cards import FULL_PACK
from belote_env.checks import check_threads, unknown
from belote_env.engine.layout import MASKS, NONE, NUM_ACTIONS, OVER, PHASE, RNG, SEAT, STATE_SIZE
from belote_env.engine.lockstep import (
    BYTES,
    FLOATS,
    NO_OBSERVATION,
    PACKED,
    WAIT,
    first_illegal,
    start_games,
    step_games,
)
from belote_env.errors import IllegalActionError
from belote_env.observation import OBSERVATION_SIZE, PACKED_SIZE, PRIVILEGED_SIZE
from belote_env.rewards import reward_code
from belote_env.rules import Rules
from belote_env.seeding import generator_seed
from belote_env.sheet import score_sheet
from belote_env.view import View

__all__ = ["WAIT", "BeloteVectorEnv", "Step"]

_FORMS = {
    "none": (NO_OBSERVATION, 0, np.uint8),
    "bytes": (BYTES, OBSERVATION_SIZE, np.uint8),
    "packed": (PACKED, PACKED_SIZE, np.uint8),
    "floats": (FLOATS, OBSERVATION_SIZE, np.float32),
}
# Below this many games a step is over sooner than threads could share it.
_GAMES_PER_THREAD = 256


@dataclass(frozen=True)
class Step:
    """What a step returns: arrays over the games, the same ones every time, overwritten by the next step.

    Attributes:
        observations: of the seat to act; ``uint8`` (games, OBSERVATION_SIZE), or as the form says.
        action_masks: of the seat to act; ``int8`` (games, NUM_ACTIONS).
        seats: the seat to act, ``int64`` (games,).
        rewards: of seats 0..3, earned in this step; ``float32`` (games, 4).
        done: whether an episode ended in this step (the rest already describes the next one); ``bool`` (games,).
        deal_over: whether a deal ended; ``bool`` (games,).
        privileged: what is hidden from the seat to act, ``uint8`` (games, PRIVILEGED_SIZE); empty unless asked for.
    """

    observations: np.ndarray
    action_masks: np.ndarray
    seats: np.ndarray
    rewards: np.ndarray
    done: np.ndarray
    deal_over: np.ndarray
    privileged: np.ndarray


class BeloteVectorEnv:
    """Many games in lockstep.

    Args:
        num_envs: number of games.
        rules: a rule set or the name of a preset.
        episode: ``"deal"`` or ``"match"``, as in the AEC environment.
        reward: ``"score"``, ``"points"``, ``"contract"`` or ``"match"``, see :mod:`belote_env.rewards`.
        observation: ``"bytes"``; ``"packed"`` (``unpack_observation`` gives the bytes back); ``"floats"``, each
            entry divided by its largest value; or ``"none"``.
        privileged: whether to write what is hidden, for critics.
        skip_forced: take forced actions (one legal) within the step, so that every step asks for a real choice.
        threads: number of threads that share the games, by default one a core.
        buffers: arrays to write into, by the names in :class:`Step`: for example the ``numpy()`` of pinned torch
            tensors, which then hold each step without a copy.

    Raises:
        ValueError: for an unknown name, no game, no thread, or a buffer of another shape or dtype.
    """

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str = "belote",
        *,
        episode: str = "deal",
        reward: str = "score",
        observation: str = "bytes",
        privileged: bool = False,
        skip_forced: bool = False,
        threads: int | None = None,
        buffers: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs is {num_envs}, expected 1 or more")
        if observation not in _FORMS:
            raise ValueError(unknown("observation form", observation, _FORMS))
        self.num_envs = num_envs
        self.rules = Rules.of(rules)
        self.episode = episode
        self.privileged = privileged
        self.skip_forced = skip_forced
        self._reward = reward_code(reward, episode)
        self._form, width, dtype = _FORMS[observation]
        self._step = self._make_step(width, dtype, buffers or {})
        self._states = np.zeros((num_envs, STATE_SIZE), dtype=np.int64)
        # Half the width is enough to look at; _final_state gives the masks their sign back.
        self._finals = np.zeros((num_envs, STATE_SIZE), dtype=np.int32)
        self._actions = np.empty(num_envs, dtype=np.int64)
        self._started = False
        self._share(check_threads(threads))

    def _make_step(self, width: int, dtype: type, buffers: Mapping[str, np.ndarray]) -> Step:
        games = self.num_envs
        layout: dict[str, tuple[tuple[int, ...], Any]] = {
            "observations": ((games, width), dtype),
            "action_masks": ((games, NUM_ACTIONS), np.int8),
            "seats": ((games,), np.int64),
            "rewards": ((games, 4), np.float32),
            "done": ((games,), np.bool_),
            "deal_over": ((games,), np.bool_),
            "privileged": ((games, PRIVILEGED_SIZE if self.privileged else 0), np.uint8),
        }
        arrays = {}
        for name in buffers:
            if name not in layout:
                raise ValueError(unknown("buffer", name, layout))
        for name, (shape, kind) in layout.items():
            array = buffers[name] if name in buffers else np.zeros(shape, dtype=kind)
            if array.shape != shape or array.dtype != kind or not array.flags.c_contiguous:
                raise ValueError(
                    f"buffer {name} is {array.dtype} {array.shape}, expected C-contiguous {np.dtype(kind)} {shape}"
                )
            arrays[name] = array
        return Step(**arrays)

    def _share(self, threads: int) -> None:
        """Divide the games into one run a thread, each with scratch space of its own."""
        shares = max(1, min(threads, self.num_envs // _GAMES_PER_THREAD))
        bounds = np.linspace(0, self.num_envs, shares + 1).astype(int).tolist()
        self._runs = [(first, last, np.empty(OBSERVATION_SIZE, np.uint8)) for first, last in itertools.pairwise(bounds)]
        self._pool: ThreadPoolExecutor | None = None

    def _step_all(self) -> Step:
        """Step every run of games, one of them here and the rest in the other threads."""
        others = self._runs[1:]
        if others and self._pool is None:
            self._pool = ThreadPoolExecutor(len(others))
        waiting = [self._pool.submit(self._step_games, *run) for run in others] if self._pool else ()
        self._step_games(*self._runs[0])
        for future in waiting:
            future.result()
        return self._step

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the threads, which begin anew where they are needed."""
        return {**self.__dict__, "_pool": None}

    def reset(self, seed: int | None = None) -> Step:
        """Begin a new episode in every game and return the first :class:`Step`.

        Args:
            seed: game ``i`` is seeded with ``seed + i``, so space the seeds of different runs by ``num_envs``;
                None goes on with each game's own random numbers.
        """
        generator_seed(seed)  # refuses what is not a seed
        if seed is not None or not self._started:
            for game in range(self.num_envs):
                self._states[game, RNG] = generator_seed(None if seed is None else int(seed) + game)
        self._started = True
        start_games(self._states, self.rules.vector, 0, self.num_envs)
        return self._look()

    def step(self, actions: np.ndarray) -> Step:
        """Take one action in every game, for the seat to act there.

        Args:
            actions: action ids, integers of shape (games,); in a game whose action is :data:`WAIT` nobody moves.

        Raises:
            IllegalActionError: if one is not legal; no game has moved.
            RuntimeError: before the first ``reset``.
        """
        self._receive(actions)
        game = first_illegal(self._step.action_masks, self._actions)
        if game != NONE:
            raise IllegalActionError(f"game {game}: {self._complaint(game)}")
        return self._step_all()

    def complaints(self, actions: np.ndarray) -> dict[int, str]:
        """Return what :meth:`step` would have against the actions, a text for each game whose action is not legal."""
        self._receive(actions)
        found = {}
        while (game := first_illegal(self._step.action_masks, self._actions)) != NONE:
            found[game] = self._complaint(game)
            self._actions[game] = WAIT
        return found

    def restart(self, games: Iterable[int]) -> Step:
        """Begin a new episode in some games, whatever is played there; return where all stand.

        Rewards, ``done`` and ``deal_over`` of the returned step are blank, as after :meth:`set_state`.
        """
        for game in games:
            start_games(self._states, self.rules.vector, game, game + 1)
        return self._look()

    def _receive(self, actions: np.ndarray) -> None:
        if not self._started:
            raise RuntimeError("call reset() first")
        if np.shape(actions) != (self.num_envs,):
            raise IllegalActionError(f"actions have shape {np.shape(actions)}, expected ({self.num_envs},)")
        if np.asarray(actions).dtype.kind not in "iu":
            raise IllegalActionError(f"actions are {np.asarray(actions).dtype}, expected integers")
        self._actions[:] = actions

    def _complaint(self, game: int) -> str:
        action = int(self._actions[game])
        text = repr(ACTIONS[action]) if 0 <= action < NUM_ACTIONS else str(action)
        legal = ", ".join(ACTIONS[i] for i in np.flatnonzero(self._step.action_masks[game]))
        return f"{text} is illegal for seat {self._step.seats[game]}: legal are {legal}"

    def _look(self) -> Step:
        """Return where the games stand: a step in which all of them wait."""
        self._actions.fill(WAIT)
        return self._step_all()

    def _step_games(self, first: int, last: int, flat: Any) -> None:
        out = self._step
        as_floats = self._form == FLOATS
        step_games(
            self._states, self.rules.vector, self.rules.blank_observation, self._actions, self._reward,
            self.episode == "match", self.skip_forced, self._form, self.privileged, first, last, flat,
            _NO_BYTES if as_floats else out.observations, out.observations if as_floats else _NO_FLOATS,
            out.action_masks, out.seats, out.rewards, out.done, out.deal_over, out.privileged, self._finals,
        )  # fmt: skip

    def view(self, game: int) -> View:
        """Return what the seat to act in a game may know."""
        state = self._states[game]
        return View(self.rules, state, int(state[SEAT]), np.flatnonzero(self._step.action_masks[game]).tolist())

    def _final_state(self, game: int) -> np.ndarray:
        if self._finals[game, PHASE] != OVER:
            raise RuntimeError(f"no deal has ended in game {game} yet")
        state = self._finals[game].astype(np.int64)
        state[MASKS] &= FULL_PACK
        return state

    def score_sheet(self, game: int) -> dict[str, Any]:
        """Return the score sheet (rules §10) of the deal that ended last in a game; kept until the next one ends."""
        return score_sheet(self.rules, self._final_state(game))

    def final_observation(self, game: int, seat: int) -> np.ndarray:
        """Return what ``seat`` knew at the end of the deal that ended last in a game: ``uint8`` (OBSERVATION_SIZE,)."""
        return View(self.rules, self._final_state(game), seat, []).observation

    def get_state(self) -> dict[str, np.ndarray]:
        """Return all that an exact resume needs: copies of the games as they stand and of the deals ended last."""
        return {"states": self._states.copy(), "finals": self._finals.copy()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> Step:
        """Put the games back to a ``get_state()`` of an environment like this one and return where they stand.

        Rewards, ``done`` and ``deal_over`` of the returned step are blank: they belonged to the step before.

        Raises:
            ValueError: if the state is of another number of games.
        """
        for name, mine in (("states", self._states), ("finals", self._finals)):
            if np.shape(state[name]) != mine.shape:
                raise ValueError(f"{name} has shape {np.shape(state[name])}, expected {mine.shape}")
            mine[:] = state[name]
        self._started = True
        return self._look()

    @property
    def bytes_per_game(self) -> int:
        """Memory of one game besides the arrays of a :class:`Step`."""
        return (self._states.nbytes + self._finals.nbytes + self._actions.nbytes) // self.num_envs

    def close(self) -> None:
        """End the threads; a later step would begin them anew."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


_NO_BYTES = np.zeros((0, 0), dtype=np.uint8)
_NO_FLOATS = np.zeros((0, 0), dtype=np.float32)
