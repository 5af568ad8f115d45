"""TorchRL environments: many games in one batch over ``BeloteVectorEnv``, and the AEC form one game at a time."""

from __future__ import annotations

import torch
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase, PettingZooWrapper

from belote_env import belote_v0
from belote_env.engine.layout import NUM_ACTIONS
from belote_env.observation import OBSERVATION_SIZE
from belote_env.vector import BeloteVectorEnv, Step


class BeloteBatch(EnvBase):
    """Many games in lockstep as one environment: a step acts for the seat to move in each, and games begin anew.

    Besides observation, mask and ``done`` there are ``seat``, who is to act, and after a step ``rewards`` of all four
    seats. TorchRL's own ``reward`` is that of the seat that acted.
    """

    def __init__(self, games: int, rules: str, reward: str = "score") -> None:
        super().__init__(batch_size=[games])
        self._games = BeloteVectorEnv(games, rules, reward=reward, observation="floats", skip_forced=True)
        self.observation_spec = Composite(
            observation=Bounded(0, 1, (games, OBSERVATION_SIZE), dtype=torch.float32),
            action_mask=Binary(shape=(games, NUM_ACTIONS), dtype=torch.bool),
            seat=Categorical(4, (games,), dtype=torch.int64),
            rewards=Unbounded((games, 4), dtype=torch.float32),
            shape=(games,),
        )
        self.action_spec = Categorical(NUM_ACTIONS, (games,), dtype=torch.int64)
        self.reward_spec = Unbounded((games, 1), dtype=torch.float32)
        self._seed: int | None = None

    def _set_seed(self, seed: int | None) -> None:
        self._seed = seed

    def _look(self, step: Step) -> TensorDict:
        # Copies: the arrays of a step are overwritten by the next one.
        now = TensorDict(
            {
                "observation": torch.from_numpy(step.observations.copy()),
                "action_mask": torch.from_numpy(step.action_masks != 0),
                "seat": torch.from_numpy(step.seats.copy()),
                "rewards": torch.from_numpy(step.rewards.copy()),
            },
            self.batch_size,
        )
        self.action_spec.update_mask(now["action_mask"])  # for random actions
        return now

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: object) -> TensorDictBase:
        # Games begin anew by themselves: what TorchRL asks for after a step with done is already there.
        some = None if tensordict is None else tensordict.get("_reset", None)
        if some is None or some.all():
            self._now = self._look(self._games.reset(self._seed))
            self._seed = None
        return self._now.clone()

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        step = self._games.step(tensordict["action"].numpy())
        self._now = self._look(step)
        earned = self._now["rewards"].gather(1, tensordict["seat"].unsqueeze(1))
        done = torch.from_numpy(step.done.copy()).unsqueeze(1)
        return self._now.clone().update({"reward": earned, "done": done, "terminated": done.clone()})


def pettingzoo_env(rules: str) -> PettingZooWrapper:
    """Return the AEC form in TorchRL: a group for each seat, ``action_mask`` and ``mask`` in each."""
    return PettingZooWrapper(belote_v0.env(rules=rules), use_mask=True, categorical_actions=True)
