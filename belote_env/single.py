"""The Gymnasium environment: you in one seat, agents in the other three. ``gymnasium.make("Belote-v0")``."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from typing import Any, Protocol

import gymnasium
import numpy as np

from belote_env.checks import check_seat
from belote_env.game import Game
from belote_env.render import Renderer
from belote_env.rewards import reward_code, write_rewards
from belote_env.rules import Rules
from belote_env.spaces import action_space, observation_space
from belote_env.view import View

ILLEGAL_REWARD = -1.0
"""Reward of an illegal action, which ends the episode."""


class Player(Protocol):
    """Whoever can take a seat: one method."""

    def act(self, view: View) -> int:
        """Return the id of one of ``view.legal``."""
        ...


def make_player(player: str | Player, rules: Rules, seed: np.random.Generator) -> Player:
    """Return the agent registered under a name, seeded; any other object is itself the player.

    Names are resolved by whatever is installed as ``make`` in the entry point group ``belote_env.agents``, so that
    the environment does not depend on the agents.

    Raises:
        ValueError: for an unknown name.
    """
    if not isinstance(player, str):
        if not callable(getattr(player, "act", None)):
            raise ValueError(f"{player!r} is not a player: give a name, or an object with act(view)")
        return player
    (entry,) = importlib.metadata.entry_points(group="belote_env.agents", name="make")
    make: Callable[[str, Rules, np.random.Generator], Player] = entry.load()
    return make(player, rules, seed)


def ends_episode(illegal: str) -> bool:
    """Return whether the option ``illegal`` has an illegal action end the episode, ``"terminate"``, or ``"raise"``.

    Raises:
        ValueError: if it is neither.
    """
    if illegal not in ("terminate", "raise"):
        raise ValueError(f"illegal is {illegal!r}, expected 'terminate' or 'raise'")
    return illegal == "terminate"


def players_around(
    seat: int, partner: str | Player, opponents: str | Player, rules: Rules, generator: np.random.Generator
) -> list[Player | None]:
    """Return who sits where around the learner's ``seat``, which stays None; each seeded by the generator."""
    players: list[Player | None] = [None] * 4
    for other in range(4):
        if other != seat:
            player = partner if other == seat ^ 2 else opponents
            players[other] = make_player(player, rules, np.random.default_rng(generator.integers(1 << 63)))
    return players


class BeloteEnv(gymnasium.Env[dict[str, np.ndarray], np.int64]):
    """One seat of Belote or Coinche against agents, one deal or one match an episode.

    Observations are ``{"observation": uint8 (OBSERVATION_SIZE,), "action_mask": int8 (NUM_ACTIONS,)}``; ``info`` holds
    ``action_mask`` too, ``seat``, and ``deal_result`` (the score sheet, rules §10) after a step in which a deal
    ended. Rewards are those of the own seat, of everything that happened until it is to act again.

    Args:
        rules: a rule set or the name of a preset.
        seat: where you sit, 0..3.
        partner: a registered agent's name, or an object with ``act(view)``.
        opponents: the same, for both opponents.
        episode: ``"deal"`` or ``"match"``.
        reward: see :mod:`belote_env.rewards`.
        illegal: ``"terminate"``: an illegal action ends the episode with ``ILLEGAL_REWARD``, and ``info["illegal"]``
            says what was legal; ``"raise"``: it raises ``IllegalActionError`` and the game is unchanged.
        render_mode: ``"human"``, ``"ansi"``, ``"rgb_array"`` or None.
        open_hands: whether pictures show all hands, or what you may know.
    """

    metadata = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        rules: Rules | str = "belote",
        seat: int = 0,
        partner: str | Player = "easy",
        opponents: str | Player = "easy",
        episode: str = "deal",
        reward: str = "score",
        illegal: str = "terminate",
        render_mode: str | None = None,
        open_hands: bool = False,
    ) -> None:
        self.rules = Rules.of(rules)
        self.seat = check_seat(seat)
        self.episode = episode
        self.render_mode = render_mode
        self._illegal_ends = ends_episode(illegal)
        self._seating = (partner, opponents)
        self._reward_code = reward_code(reward, episode)
        self._rewards = np.zeros(4, dtype=np.float32)
        self._renderer = Renderer(self.rules, render_mode, None if open_hands else self.seat)
        self._game: Game | None = None
        self._players: list[Player | None] = []
        self.observation_space = observation_space()  # type: ignore[assignment]
        self.action_space = action_space()
        # A wrong name is told here, not in the first episode.
        players_around(self.seat, partner, opponents, self.rules, np.random.default_rng(0))

    @property
    def game(self) -> Game:
        """The game being played, hidden cards included: for spectators and records.

        Raises:
            RuntimeError: before the first ``reset``.
        """
        if self._game is None:
            raise RuntimeError("call reset() first")
        return self._game

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin a new episode and let the others act until it is your turn; ``options`` is not used."""
        super().reset(seed=seed)
        if seed is not None or self._game is None:
            partner, opponents = self._seating
            self._players = players_around(self.seat, partner, opponents, self.rules, self.np_random)
            self._game = Game(self.rules, seed=self.np_random)
        else:
            self._game.new_match()
        self._results: list[dict[str, Any]] = []
        self._let_others_act()
        return self._observe(), self._info()

    def _observe(self) -> dict[str, np.ndarray]:
        return {"observation": self.game.observation(self.seat), "action_mask": self.action_masks()}

    def action_masks(self) -> np.ndarray:
        """Return 1 at the legal actions, ``int8`` (NUM_ACTIONS,); the name is sb3-contrib's."""
        return self.game.action_mask(self.seat)

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self.action_masks(), "seat": self.seat}
        if self._results:
            info["deal_result"] = self._results[-1]
        return info

    @property
    def _terminated(self) -> bool:
        return self.game.deal_over and (self.episode == "deal" or self.game.winner is not None)

    def _take(self, action: int) -> float:
        """Take an action for whoever is to act; return the reward of the own seat."""
        self.game.step(action)
        if not self.game.deal_over:
            return 0.0
        write_rewards(self.game.state, self.rules.vector, self._reward_code, self._rewards)
        result = self.game.result
        assert result is not None
        self._results.append(result)
        if not self._terminated:
            self.game.next_deal()
        return float(self._rewards[self.seat])

    def _let_others_act(self) -> float:
        reward = 0.0
        while not self._terminated and self.game.seat != self.seat:
            player = self._players[self.game.seat]
            assert player is not None
            reward += self._take(player.act(self.game.view()))
            self._show()
        return reward

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Take your action, then let the others act until it is your turn again."""
        self._results = []
        try:
            number = self.game.check(action)
        except ValueError as error:
            if not self._illegal_ends:
                raise
            return self._observe(), ILLEGAL_REWARD, True, False, {**self._info(), "illegal": str(error)}
        reward = self._take(number)
        self._show()
        reward += self._let_others_act()
        return self._observe(), reward, self._terminated, False, self._info()

    def render(self) -> str | np.ndarray | None:  # type: ignore[override]
        """Return the table as text or picture, or show it in a window, by ``render_mode``."""
        return self._renderer.render(self.game)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()
