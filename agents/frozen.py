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

from agents.network import BiddingNetwork, PlayNetwork, PolicyNetwork
from belote_env.cards import CARDS
from belote_env.engine.layout import NUM_ACTIONS, PHASE_NAMES
from belote_env.features import OBSERVATION_SIZE, OFFSETS

_AUCTION = OFFSETS["phase"] + PHASE_NAMES.index("auction")


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
        self._bidding = _recorded(network.bidding)
        self._play = _recorded(network.play)

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """Return the logits of all actions, 0 where the network has none: ``float32``, ``(n, NUM_ACTIONS)``.

        Args:
            observations: of seats that are to call or to play a card, ``uint8``, ``(n, OBSERVATION_SIZE)``.
        """
        calling = observations[:, _AUCTION] > 0
        scores = np.zeros((len(observations), NUM_ACTIONS), dtype=np.float32)
        with torch.inference_mode():
            for network, rows, first, last in (
                (self._bidding, np.flatnonzero(calling), len(CARDS), NUM_ACTIONS),
                (self._play, np.flatnonzero(~calling), 0, len(CARDS)),
            ):
                if len(rows):
                    scores[rows, first:last] = network(torch.from_numpy(observations[rows])).numpy()
        return scores
