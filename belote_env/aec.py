"""The PettingZoo AEC environment: four seats act in turn, one deal or one match an episode."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from belote_env.engine.layout import NUM_ACTIONS
from belote_env.game import Game
from belote_env.observation import OBSERVATION_SIZE, PRIVILEGED_SIZE, write_privileged
from belote_env.render import Renderer
from belote_env.rewards import reward_code, write_rewards
from belote_env.rules import Rules
from belote_env.spaces import action_space, observation_space, state_space

_NO_ACTION = np.zeros(NUM_ACTIONS, dtype=np.int8)
_NO_ACTION.flags.writeable = False


def env(**kwargs: Any) -> AECEnv:
    """Return :class:`raw_env` in PettingZoo's usual wrappers; the arguments are its own.

    An illegal action raises ``IllegalActionError`` and leaves the game as it was. For PettingZoo's other habit, to
    end the episode, put ``TerminateIllegalWrapper(raw_env(…), illegal_reward=-1)`` around it yourself.
    """
    wrapped: AECEnv = raw_env(**kwargs)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class _MadeByReset:
    """An attribute that ``reset`` makes, until then: ``AttributeError``, as PettingZoo has it, that says what to do."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise AttributeError(f"{self._name} cannot be accessed before reset: call reset() first")


class raw_env(AECEnv):
    """Belote and Coinche for ``player_0`` … ``player_3``, partners 0+2 and 1+3.

    ``observe`` returns ``{"observation": uint8 (OBSERVATION_SIZE,), "action_mask": int8 (NUM_ACTIONS,)}``; the mask
    is zero for whoever is not to act. ``infos[agent]`` holds ``action_mask`` too, and from the end of a deal until
    the agent next acts ``deal_result``, the score sheet (rules §10). A thrown-in deal ends a ``deal`` episode with
    rewards of 0; a ``match`` episode goes on to the end of the match, with rewards after every deal.

    Args:
        rules: a rule set or the name of a preset.
        episode: ``"deal"`` (the first of a match: scores 0, dealer at random) or ``"match"``.
        reward: ``"score"``, ``"points"``, ``"contract"`` or ``"match"``, see :mod:`belote_env.rewards`.
        render_mode: ``"human"``, ``"ansi"``, ``"rgb_array"`` or None.
        render_seat: the seat whose view is rendered; None shows all hands.
    """

    metadata = {  # noqa: RUF012 - as PettingZoo declares it
        "name": "belote_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "render_fps": 2,
        "is_parallelizable": False,
    }

    agents: Any = _MadeByReset()
    agent_selection: Any = _MadeByReset()
    rewards: Any = _MadeByReset()
    terminations: Any = _MadeByReset()
    truncations: Any = _MadeByReset()
    infos: Any = _MadeByReset()

    def __init__(
        self,
        rules: Rules | str = "belote",
        episode: str = "deal",
        reward: str = "score",
        render_mode: str | None = None,
        render_seat: int | None = None,
    ) -> None:
        super().__init__()
        self.rules = Rules.of(rules)
        self.episode = episode
        self.reward = reward
        self.render_mode = render_mode
        self._reward_code = reward_code(reward, episode)
        self._renderer = Renderer(self.rules, render_mode, render_seat)
        self._rewards = np.zeros(4, dtype=np.float32)
        self._game: Game | None = None
        self.possible_agents = [f"player_{seat}" for seat in range(4)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._observation_space = observation_space()
        self._action_space = action_space()
        self.state_space = state_space()
        self.observation_spaces = dict.fromkeys(self.possible_agents, self._observation_space)
        self.action_spaces = dict.fromkeys(self.possible_agents, self._action_space)

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the observation space, the same for every agent."""
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the action space, the same for every agent."""
        return self._action_space

    @property
    def game(self) -> Game:
        """The game being played, hidden cards included: for spectators and records, not for agents.

        Raises:
            RuntimeError: before the first ``reset``.
        """
        if self._game is None:
            raise RuntimeError("call reset() first")
        return self._game

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new episode. With ``seed`` the same one every time; without, the next of this environment's own.

        ``options`` is taken for PettingZoo's sake and not used.
        """
        if seed is not None or self._game is None:
            self._game = Game(self.rules, seed=seed)
        else:
            self._game.new_match()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": _NO_ACTION} for agent in self.agents}
        self._select(self.possible_agents[self.game.seat])
        if self.render_mode == "human":
            self.render()

    def _select(self, agent: str) -> None:
        self.agent_selection = agent
        self._mask = self.infos[agent]["action_mask"] = self.game.action_mask(self._seats[agent])

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what ``agent`` may know now, as new arrays."""
        mask = self._mask if agent == self.agent_selection else _NO_ACTION
        return {"observation": self.game.observation(self._seats[agent]), "action_mask": mask.copy()}

    def state(self) -> np.ndarray:
        """Return the privileged state: the observation of the seat to act, then all that is hidden from it.

        ``uint8``, shape ``(OBSERVATION_SIZE + PRIVILEGED_SIZE,)``; for critics in training.
        """
        seat = self.game.seat
        state = np.empty(OBSERVATION_SIZE + PRIVILEGED_SIZE, dtype=np.uint8)
        state[:OBSERVATION_SIZE] = self.game.observation(seat)
        write_privileged(self.game.state, seat, state[OBSERVATION_SIZE:])
        return state

    def step(self, action: int | None) -> None:
        """Take the action of the selected agent.

        Raises:
            IllegalActionError: if it is not legal; the game is unchanged.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.game.step(action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.infos[agent].pop("deal_result", None)
        self.infos[agent]["action_mask"] = _NO_ACTION
        if self.game.deal_over:
            self._end_deal()
        self._select(self.possible_agents[self.game.seat])
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _end_deal(self) -> None:
        write_rewards(self.game.state, self.rules.vector, self._reward_code, self._rewards)
        result = self.game.result
        for seat, agent in enumerate(self.agents):
            self.rewards[agent] = float(self._rewards[seat])
            self.infos[agent]["deal_result"] = result
        if self.episode == "deal" or self.game.winner is not None:
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.game.next_deal()

    def render(self) -> str | np.ndarray | None:
        """Return the table as text or picture, or show it in a window, by ``render_mode``."""
        return self._renderer.render(self.game)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()
