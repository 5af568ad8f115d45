"""Players that are neural networks: ``net:NAME`` for a shipped checkpoint, ``net:PATH`` for one of your own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import torch

from agents.checkpoint import DESCRIPTION, Checkpoint, find, load
from agents.network import masked
from belote_env.engine.layout import ANNOUNCE_YES, BELOTE_YES
from belote_env.rules import Rules
from belote_env.view import View


class Mind:
    """Decides for many seats at a time, by the action that the network prefers.

    Args:
        checkpoint: the network.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint

    def choose(self, views: Sequence[View]) -> list[int]:
        """Return the action for each view, all of seats that are to act."""
        actions = [_forced(view) for view in views]
        open_ones = [i for i, action in enumerate(actions) if action is None]
        if open_ones:
            best = self.logits([views[i] for i in open_ones]).argmax(1).tolist()
            for i, action in zip(open_ones, best, strict=True):
                actions[i] = action
        return [action for action in actions if action is not None]

    def logits(self, views: Sequence[View]) -> np.ndarray:
        """Return the policy's logits, far below 0 for illegal actions: ``float32``, ``(len(views), NUM_ACTIONS)``."""
        observations = torch.from_numpy(np.stack([view.observation for view in views]))
        masks = torch.from_numpy(np.stack([view.action_mask for view in views]))
        with torch.inference_mode():
            return masked(self.checkpoint.network(observations).scores, masks).numpy()


def _forced(view: View) -> int | None:
    """Return the action where there is no choice, or none that is worth a thought: what can be announced is."""
    if len(view.legal) == 1:
        return view.legal[0]
    if view.phase == "announce":
        return ANNOUNCE_YES
    return BELOTE_YES if view.phase == "belote" else None


class NeuralAgent:
    """An agent that plays what a network prefers.

    Attributes:
        mind: decides; agents with the same network share it, so that an arena can ask for many decisions at a time.
        fingerprint: of the network's weights.
    """

    def __init__(self, mind: Mind) -> None:
        self.mind = mind
        self.fingerprint = mind.checkpoint.fingerprint

    def act(self, view: View) -> int:
        """Return one of ``view.legal``."""
        return self.mind.choose([view])[0]


@cache
def _mind(folder: Path, written: int) -> Mind:
    torch.set_num_threads(1)  # decisions one at a time are too small to share, and an arena has a process a core
    return Mind(load(str(folder)))


def neural(rules: Rules, argument: str) -> NeuralAgent:
    """Return the agent of a checkpoint.

    Args:
        rules: the rule set that it will play.
        argument: name of a shipped checkpoint, or the path of a folder.

    Raises:
        ValueError: if there is no such checkpoint, or if it was trained for another game.
    """
    folder = find(argument)
    # A run that is under way writes its policy again and again.
    mind = _mind(folder, (folder / DESCRIPTION).stat().st_mtime_ns)
    mind.checkpoint.check_plays(rules, f"net:{argument}")
    return NeuralAgent(mind)
