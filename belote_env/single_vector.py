"""The single-agent view of many games: a Gymnasium ``VectorEnv``, made by ``gymnasium.make_vec("Belote-v0", n)``."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from belote_env.checks import check_seat
from belote_env.engine.layout import NUM_ACTIONS
from belote_env.rules import Rules
from belote_env.single import ILLEGAL_REWARD, Player, ends_episode, players_around
from belote_env.spaces import action_space, observation_space
from belote_env.vector import WAIT, BeloteVectorEnv


class BeloteSingleVectorEnv(VectorEnv):
    """Many games in lockstep, you in the same seat of each, agents in the others.

    A game that ends begins anew in the same step (``AutoresetMode.SAME_STEP``): ``infos["final_obs"]`` and
    ``infos["final_info"]`` hold the end of the old episode, as Gymnasium names them. One agent object plays a seat in
    all games; one that has ``act_batch(observations, action_masks) -> actions`` is asked for all of them at once.

    Args:
        num_envs: number of games.
        rules: a rule set or the name of a preset.
        seat: where you sit, 0..3.
        partner: a registered agent's name, or an object with ``act(view)``.
        opponents: the same, for both opponents.
        episode: ``"deal"`` or ``"match"``.
        reward: see :mod:`belote_env.rewards`.
        illegal: as in :class:`belote_env.single.BeloteEnv`: ``"terminate"`` ends the episode of a game, and
            ``infos["final_info"]["illegal"]`` says what was legal; ``"raise"`` raises, and no game has moved.
        threads: of the underlying :class:`BeloteVectorEnv`.
        render_mode: None; watch one game of :class:`belote_env.single.BeloteEnv` instead.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str = "belote",
        seat: int = 0,
        partner: str | Player = "easy",
        opponents: str | Player = "easy",
        episode: str = "deal",
        reward: str = "score",
        illegal: str = "terminate",
        threads: int | None = None,
        render_mode: None = None,
    ) -> None:
        self.games = BeloteVectorEnv(num_envs, rules, episode=episode, reward=reward, threads=threads)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.rules = self.games.rules
        self.seat = check_seat(seat)
        self._illegal_ends = ends_episode(illegal)
        self._seating = (partner, opponents)
        self._players: list[Player | None] = []
        self.single_observation_space = observation_space()
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        players_around(self.seat, partner, opponents, self.rules, np.random.default_rng(0))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin a new episode in every game; ``seed`` seeds the games (``seed + i``) and the other players."""
        if seed is not None or not self._players:
            self._np_random, self._np_random_seed = gymnasium.utils.seeding.np_random(seed)
            partner, opponents = self._seating
            self._players = players_around(self.seat, partner, opponents, self.rules, self._np_random)
        self._now = self.games.reset(seed)
        # Nobody's episode can end before everybody has acted in it.
        self._let_others_act()
        return self._observe(), {"action_mask": self._now.action_masks.copy()}

    def _observe(self) -> dict[str, np.ndarray]:
        return {"observation": self._now.observations.copy(), "action_mask": self._now.action_masks.copy()}

    def _others_actions(self) -> np.ndarray:
        """Return an action for every game where another seat is to act, WAIT elsewhere."""
        actions = np.full(self.num_envs, WAIT, dtype=np.int64)
        for seat, player in enumerate(self._players):
            if player is None:
                continue
            turns = np.flatnonzero(self._now.seats == seat)
            if len(turns) == 0:
                continue
            if hasattr(player, "act_batch"):
                actions[turns] = player.act_batch(self._now.observations[turns], self._now.action_masks[turns])
            else:
                actions[turns] = [player.act(self.games.view(game)) for game in turns.tolist()]
        return actions

    def _let_others_act(self) -> tuple[np.ndarray, np.ndarray]:
        """Let the others act until it is your turn in every game; return your rewards and which games ended."""
        rewards = np.zeros(self.num_envs)
        ended = np.zeros(self.num_envs, dtype=bool)
        while (self._now.seats != self.seat).any():
            self._now = self.games.step(self._others_actions())
            rewards += self._now.rewards[:, self.seat]
            ended |= self._now.done
        return rewards, ended

    def step(
        self, actions: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take your action in every game, then let the others act until it is your turn again.

        Raises:
            IllegalActionError: if an action is not legal and that is to raise; no game has moved.
        """
        complaints = self.games.complaints(actions) if self._illegal_ends else {}
        broken = np.isin(np.arange(self.num_envs), list(complaints))
        last = self._observe() if complaints else {}
        if complaints:
            self.games.restart(complaints)
            actions = np.where(broken, WAIT, np.asarray(actions, dtype=np.int64))
        self._now = self.games.step(actions)
        rewards = np.where(broken, ILLEGAL_REWARD, self._now.rewards[:, self.seat].astype(np.float64))
        ended = self._now.done | broken
        more, also_ended = self._let_others_act()
        rewards += more
        ended |= also_ended
        infos: dict[str, Any] = {"action_mask": self._now.action_masks.copy()}
        if ended.any():
            infos |= self._ends(ended, complaints, last)
        return self._observe(), rewards, ended, np.zeros(self.num_envs, dtype=bool), infos

    def _ends(self, ended: np.ndarray, complaints: dict[int, str], last: dict[str, np.ndarray]) -> dict[str, Any]:
        """Return the ends of the episodes that are over: score sheets whole, one object a game.

        Args:
            ended: which are over.
            complaints: what was illegal in those that ended by that, by game.
            last: what was seen before the step, looked at for those.
        """
        observations, sheets, texts = (np.full(self.num_envs, None, dtype=object) for _ in range(3))
        broken = np.isin(np.arange(self.num_envs), list(complaints))
        for game in np.flatnonzero(ended & ~broken).tolist():
            sheets[game] = self.games.score_sheet(game)
            observations[game] = {
                "observation": self.games.final_observation(game, self.seat),
                "action_mask": np.zeros(NUM_ACTIONS, dtype=np.int8),
            }
        for game, complaint in complaints.items():
            texts[game] = complaint
            observations[game] = {name: array[game] for name, array in last.items()}
        return {
            "final_obs": observations,
            "_final_obs": ended,
            "final_info": {
                "deal_result": sheets,
                "_deal_result": ended & ~broken,
                "illegal": texts,
                "_illegal": broken,
            },
            "_final_info": ended,
        }

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.games.close()
