"""What a network makes of many worlds at once: how likely it makes their past, and what they come to if it plays on."""

from __future__ import annotations

import numpy as np

from agents.history import count_decisions, has_choice, past_decisions
from agents.monte_carlo import result_for
from agents.neural import Scores
from belote_env.engine.bits import lowest
from belote_env.engine.encode import write_observation
from belote_env.engine.jit import lean
from belote_env.engine.kernel import legal_set, step, write_mask
from belote_env.engine.layout import (
    ANNOUNCE,
    ANNOUNCE_YES,
    BELOTE,
    BELOTE_YES,
    NUM_ACTIONS,
    OVER,
    PHASE,
    SEAT,
    STATE_SIZE,
)
from belote_env.observation import OBSERVATION_SIZE
from belote_env.rules import Rules

_TOGETHER = 1024
"""Observations that are shown to the network at a time: few enough to stay in the cache."""


def log_likelihoods(scores: Scores, rules: Rules, worlds: np.ndarray, seat: int, whim: float) -> np.ndarray:
    """Return the log-likelihood of what the seats other than ``seat`` did in each world: ``float64``, ``(n,)``.

    Args:
        scores: the policy that they are taken to follow.
        rules: the rule set.
        worlds: whole states that agree in what is public: ``int64``, ``(n, STATE_SIZE)``.
        seat: the seat.
        whim: share of their actions that are any legal one.
    """
    past = np.empty(STATE_SIZE, dtype=np.int64)
    most = len(worlds) * count_decisions(worlds[0], rules.vector, past)
    observations, masks = _batch(most)
    actions, owners = np.empty((2, most), dtype=np.int64)
    count = past_decisions(
        worlds, rules.vector, rules.blank_observation, seat, past, observations, masks, actions, owners
    )
    logs = np.zeros(len(worlds))
    for first in range(0, count, _TOGETHER):
        part = slice(first, min(first + _TOGETHER, count))
        legal, taken = masks[part], actions[part, None]
        shares = np.exp(log_softmax(np.where(legal, scores(observations[part]), -np.inf)))
        chances = (1.0 - whim) * np.take_along_axis(shares, taken, 1)[:, 0] + whim / legal.sum(1)
        logs += np.bincount(owners[part], np.log(chances), len(worlds))
    return logs


def outcomes(scores: Scores, rules: Rules, worlds: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Return what actions come to in each world if all seats go on as a policy prefers.

    Args:
        scores: the policy.
        rules: the rule set.
        worlds: whole states in which the same seat is to act: ``int64``, ``(n, STATE_SIZE)``.
        actions: legal ones: ``int64``, ``(m,)``.

    Returns:
        ``float64``, ``(n, m)``: score of the own side less that of the other.
    """
    states, taken = np.repeat(worlds, len(actions), 0), np.tile(actions, len(worlds))
    values = np.empty(len(states))
    live = np.arange(len(states))
    observations, masks = _batch(len(states))
    while count := _go_on(states, rules.vector, rules.blank_observation, live, taken, observations, masks):
        live = live[:count]
        taken = np.where(masks[:count], scores(observations[:count]), -np.inf).argmax(1)
    _results(states, worlds[0, SEAT] & 1, values)
    return values.reshape(len(worlds), len(actions))


@lean
def _go_on(
    states: np.ndarray,
    r: np.ndarray,
    blank: np.ndarray,
    live: np.ndarray,
    actions: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
) -> int:
    """Act in states and play on where there is no choice; return how many wait for a decision, which come first.

    Args:
        states: ``int64``, ``(any, STATE_SIZE)``.
        r: the rule vector.
        blank: ``Rules.blank_observation``.
        live: ``int64``, ``(n,)``: the states to act in; overwritten by those that wait.
        actions: ``int64``, ``(n,)``.
        observations: ``uint8``, ``(n, OBSERVATION_SIZE)``: what the seats to act see.
        masks: ``int8``, ``(n, NUM_ACTIONS)``: what they may do.
    """
    count = 0
    for k in range(len(live)):
        s = states[live[k]]
        action = actions[k]
        while True:
            step(s, r, action)
            phase = s[PHASE]
            if phase == OVER:
                break
            if phase == ANNOUNCE:
                action = ANNOUNCE_YES
                continue
            if phase == BELOTE:
                action = BELOTE_YES
                continue
            low, middle, high = legal_set(s, r)
            if has_choice(low, middle, high):
                live[count] = live[k]
                write_observation(s, r, blank, s[SEAT], observations[count])
                write_mask(low, middle, high, masks[count])
                count += 1
                break
            action = lowest(low)
    return count


@lean
def _results(states: np.ndarray, team: int, values: np.ndarray) -> None:
    for i in range(len(states)):
        values[i] = result_for(states[i], team)


def _batch(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return memory for observations and masks."""
    return np.empty((count, OBSERVATION_SIZE), dtype=np.uint8), np.empty((count, NUM_ACTIONS), dtype=np.int8)


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Return the logarithms of the probabilities that logits stand for, row by row."""
    shifted = logits - logits.max(1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
