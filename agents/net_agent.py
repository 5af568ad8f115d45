"""Networks that play: ``net:NAME`` for a shipped checkpoint, ``net:PATH`` for one of your own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import torch

from agents.checkpoint import DESCRIPTION, Checkpoint, find, load
from agents.frozen import FrozenPolicy
from agents.levels import Seed
from agents.network import PolicyNetwork
from agents.neural import Mind, NeuralAgent
from belote_env.rules import Rules


def mind_of(network: PolicyNetwork) -> Mind:
    """Return what decides as a network does at the time, while it learns, wherever it lies."""
    device = next(network.parameters()).device

    def scores(observations: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            return network(torch.from_numpy(observations).to(device)).scores.cpu().numpy()

    return Mind(scores)


@cache
def _load(folder: Path, written: int) -> tuple[Checkpoint, Mind]:
    torch.set_num_threads(1)  # decisions one at a time are too small to share, and an arena has a process a core
    checkpoint = load(str(folder))
    return checkpoint, Mind(FrozenPolicy(checkpoint.network), checkpoint.fingerprint)


def mind_for(rules: Rules, argument: str) -> Mind:
    """Return what decides as the network of a checkpoint.

    Args:
        rules: the rule set that it will play.
        argument: name of a shipped checkpoint, or the path of a folder.

    Raises:
        ValueError: if there is no such checkpoint, or if it was trained for another game.
    """
    folder = find(argument)
    # A run that is under way writes its policy again and again.
    checkpoint, mind = _load(folder, (folder / DESCRIPTION).stat().st_mtime_ns)
    checkpoint.check_plays(rules, f"net:{argument}")
    return mind


def net(rules: Rules, seed: Seed, argument: str) -> NeuralAgent:
    """Return the agent of a checkpoint, for which see :func:`mind_for`; it leaves nothing to chance."""
    return NeuralAgent(mind_for(rules, argument))
