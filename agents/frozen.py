"""A network that learns no more, for speed: a decision at a time takes a third of the time, with the same answers.

The very operations of the network are recorded once and then run without Python between them, weights as constants,
and without the heads that nobody asked for.
"""

from __future__ import annotations

import warnings
from copy import deepcopy

import numpy as np
import torch
from torch import Tensor, nn

from agents.network import PADDING, BiddingNetwork, PlayNetwork, PolicyNetwork, stage_of
from belote_env.engine.layout import NUM_ACTIONS
from belote_env.features import OBSERVATION_SIZE


class _Scores(nn.Module):
    """The scores of a network without its other heads."""

    def __init__(self, network: BiddingNetwork | PlayNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, observations: Tensor) -> Tensor:
        scores: Tensor = self.network(observations).scores
        return scores


def _recorded(network: BiddingNetwork | PlayNetwork) -> torch.jit.ScriptModule:
    """Return the scores of a network as recorded operations, for any number of observations."""
    example = torch.zeros(2, OBSERVATION_SIZE, dtype=torch.uint8)
    with warnings.catch_warnings():
        # What is to replace it, torch.compile, needs a C++ compiler and takes a minute.
        warnings.filterwarnings("ignore", "`torch.jit", DeprecationWarning)
        return torch.jit.freeze(torch.jit.trace(_Scores(network).eval(), (example,)))


class FrozenPolicy:
    """The policy of a network as it is now, on the CPU.

    Args:
        network: the player; it is not changed, and what it learns later is not seen.
    """

    def __init__(self, network: PolicyNetwork) -> None:
        network = deepcopy(network)  # what is recorded shares the memory of the weights
        self._networks = [_recorded(one) for one in (network.bidding, network.play, network.ending)]

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """Return the logits of all actions, 0 where the network has none: ``float32``, ``(n, NUM_ACTIONS)``.

        Args:
            observations: of seats that are to call or to play a card, ``uint8``, ``(n, OBSERVATION_SIZE)``.
        """
        scores = np.zeros((len(observations), NUM_ACTIONS), dtype=np.float32)
        stages = stage_of(torch.from_numpy(observations)).numpy()
        with torch.inference_mode():
            for stage, (network, (before, after)) in enumerate(zip(self._networks, PADDING, strict=True)):
                rows = np.flatnonzero(stages == stage)
                if len(rows):
                    scores[rows, before : NUM_ACTIONS - after] = network(torch.from_numpy(observations[rows])).numpy()
        return scores
