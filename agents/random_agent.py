"""Random: every legal action alike."""

from __future__ import annotations

import numpy as np

from belote_env.view import View


class RandomAgent:
    """Chooses uniformly among the legal actions.

    Args:
        seed: an integer, a ``numpy.random.Generator``, or None.
    """

    def __init__(self, seed: int | np.random.Generator | np.random.SeedSequence | None = None) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """Return a random one of ``view.legal``."""
        return view.legal[int(self._rng.random() * len(view.legal))]

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """Return a random legal action a row: ``int8`` masks (games, NUM_ACTIONS) to ``int64`` (games,)."""
        return np.where(action_masks, self._rng.random(action_masks.shape), -1.0).argmax(axis=1)
