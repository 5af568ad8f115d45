"""RLCard: one deal as an RLCard environment, for its DQN, NFSP and DMC agents.

env = rlcard.make("belote", {"seed": 0, "rules": "coinche"})  # once this module is imported
env.set_agents([RandomAgent(env.num_actions) for _ in range(env.num_players)])
trajectories, payoffs = env.run()
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
from rlcard.envs import Env, register

from belote_env import Game, Rules
from belote_env.engine.layout import NUM_ACTIONS
from belote_env.observation import OBSERVATION_SIZE, SCALE
from belote_env.rewards import SCORE, write_rewards
from belote_env.view import View


class _Deal:
    """What RLCard wants of a game."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.allow_step_back = False

    def get_num_players(self) -> int:
        return 4

    def get_num_actions(self) -> int:
        return NUM_ACTIONS

    def init_game(self) -> tuple[View, int]:
        self.game = Game(self.rules, seed=self.np_random)
        return self.game.view(), self.game.seat

    def step(self, action: int) -> tuple[View, int]:
        self.game.step(action)
        return self.game.view(), self.game.seat

    def is_over(self) -> bool:
        return self.game.deal_over

    def get_player_id(self) -> int:
        return self.game.seat

    def get_state(self, player: int) -> View:
        return self.game.view(player)


class BeloteEnv(Env):
    """A deal for seats 0..3, partners 0+2 and 1+3; payoffs are the reward ``"score"``.

    A state holds ``obs``, ``float32`` (OBSERVATION_SIZE,), and ``legal_actions``, as RLCard's agents expect.

    Args:
        config: ``seed``, and ``rules``, the name of a preset.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        self.name = "belote"
        self.game = _Deal(Rules.preset(config.get("rules", "coinche")))
        super().__init__(config)
        self.state_shape = [[OBSERVATION_SIZE]] * 4
        self.action_shape = [None] * 4

    def seed(self, seed: int | None = None) -> None:
        self.np_random = self.game.np_random = np.random.default_rng(seed)

    def _extract_state(self, state: View) -> dict[str, Any]:
        return {
            "obs": state.observation / SCALE,
            "legal_actions": OrderedDict.fromkeys(state.legal),
            "raw_obs": state,
            "raw_legal_actions": state.legal_actions,
            "action_record": self.action_recorder,
        }

    def get_payoffs(self) -> np.ndarray:
        payoffs = np.zeros(4, dtype=np.float32)
        write_rewards(self.game.game.state, self.game.rules.vector, SCORE, payoffs)
        return payoffs

    def _decode_action(self, action: int) -> int:
        return action

    def _get_legal_actions(self) -> list[int]:
        return self.game.game.legal_ids()


register("belote", f"{__name__}:BeloteEnv")
