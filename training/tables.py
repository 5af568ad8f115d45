"""The tables of one rule set in a training: games in lockstep, a generator, and their state for an exact resume."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from belote_env.rules import Rules
from belote_env.vector import BeloteVectorEnv
from training.state import generator_tensor, restore_generator


class Tables:
    """Tables of one rule set; a subclass says who plays at them and what is learned.

    Args:
        rules: a preset.
        count: of tables.
        seed: whole numbers that no other tables of the training have.
        episode: ``"deal"`` or ``"match"``.

    Attributes:
        rules: the rule set.
        env: the games.
        rng: for whatever is left to chance.
        step: where the games stand.
    """

    def __init__(self, rules: str, count: int, seed: tuple[int, ...], episode: str = "deal") -> None:
        self.rules, self.episode = Rules.of(rules), episode
        self.env = self.new_env(count)
        self.rng = np.random.default_rng(seed)
        self.step = self.env.reset(seed=int(self.rng.integers(1 << 40)))

    def new_env(self, count: int) -> BeloteVectorEnv:
        """Return games of the same kind, not begun yet."""
        return BeloteVectorEnv(count, self.rules, episode=self.episode, skip_forced=True, privileged=True, threads=1)

    def draw(self, logits: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Return actions drawn from the softmax of logits, ``(n, NUM_ACTIONS)``, over legal actions: ``(n,)``."""
        # The largest of logits with Gumbel noise is such a draw.
        return np.where(masks, logits + self.rng.gumbel(size=masks.shape), -np.inf).argmax(1)

    def get_state(self) -> dict[str, Tensor]:
        """Return all that an exact resume needs."""
        arrays = {name: torch.from_numpy(array) for name, array in self.env.get_state().items()}
        return {**arrays, "generator": generator_tensor(self.rng)}

    def set_state(self, state: Mapping[str, Tensor]) -> None:
        """Go back to what :meth:`get_state` returned."""
        restore_generator(self.rng, state["generator"])
        self.step = self.env.set_state({name: state[name].numpy() for name in ("states", "finals")})
