"""Players that are neural networks, whatever runs the network: for many views at a time, the action it prefers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from belote_env.engine.layout import ANNOUNCE_YES, BELOTE_YES
from belote_env.rules import Rules
from belote_env.view import View

Scores: TypeAlias = Callable[[np.ndarray], np.ndarray]
"""A policy: from observations, ``uint8`` ``(n, OBSERVATION_SIZE)``, to logits of all actions, ``float32``
``(n, NUM_ACTIONS)``; what it says of illegal actions does not matter."""


class Mind:
    """Decides for many seats at a time, by the action that a policy prefers.

    Attributes:
        scores: the policy.
        fingerprint: of its weights.
    """

    def __init__(self, scores: Scores, fingerprint: str = "") -> None:
        self.scores = scores
        self.fingerprint = fingerprint

    def choose(self, views: Sequence[View]) -> list[int]:
        """Return the action for each view, all of seats that are to act."""
        actions = [forced(view) for view in views]
        open_ones = [i for i, action in enumerate(actions) if action is None]
        if open_ones:
            best = self.logits([views[i] for i in open_ones]).argmax(1).tolist()
            for i, action in zip(open_ones, best, strict=True):
                actions[i] = action
        return [action for action in actions if action is not None]

    def logits(self, views: Sequence[View]) -> np.ndarray:
        """Return the policy's logits, far below 0 for illegal actions: ``float32``, ``(len(views), NUM_ACTIONS)``."""
        scores = self.scores(np.stack([view.observation for view in views]))
        return np.where(np.stack([view.action_mask for view in views]), scores, np.float32(-1e9))


def forced(view: View) -> int | None:
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
        self.fingerprint = mind.fingerprint

    def act(self, view: View) -> int:
        """Return one of ``view.legal``."""
        return self.mind.choose([view])[0]


def check_plays(trained_for: Iterable[Rules], rules: Rules, name: str) -> None:
    """Refuse a game that a policy was not trained for; how long the match goes on does not matter.

    Raises:
        ValueError: which names the games it plays.
    """
    games = list(trained_for)
    if not any(np.array_equal(replace(known, target=rules.target).vector, rules.vector) for known in games):
        raise ValueError(f"{name} was trained for {', '.join(map(str, games))}, and does not play {rules}")
