"""Playing a deal to its end by compiled rules: ``call_policy`` bids and ``card_policy`` plays, for all four seats."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from agents.call_policy import DOUBLE, OPEN, RAISE, REDOUBLE, TAKE_FIRST, TAKE_SECOND, choose_call
from agents.card_policy import Facts, choose_card, new_facts
from belote_env.engine.jit import inner, lean
from belote_env.engine.kernel import playable_cards, step
from belote_env.engine.layout import ANNOUNCE, ANNOUNCE_YES, AUCTION, BELOTE_YES, NUM_DENOMINATIONS, OVER, PHASE, PLAY

FILES = ("card_weights", "hand_values", "call_margins")
"""The files in this folder that hold the numbers of a policy, in their order."""


class Policy(NamedTuple):
    """The numbers of a rule player, all ``float64``."""

    weights: np.ndarray  # of card_policy
    tables: np.ndarray  # of hand_value
    margins: np.ndarray  # of call_policy


class Scratch(NamedTuple):
    """Memory that the compiled player works in; one for each thread."""

    facts: Facts
    hopes: np.ndarray
    found: np.ndarray


TIE_BREAK = 1e-3
"""What a card point counts against a point of score, so that a deal that is lost or won is still played well."""


@cache
def shipped_policy() -> Policy:
    """Return the policy fitted by ``scripts/fit_players.py``, read-only."""
    numbers = [np.load(str(files("agents") / f"{name}.npy")).astype(np.float64) for name in FILES]
    for array in numbers:
        array.setflags(write=False)
    return Policy(*numbers)


@cache
def silent_policy() -> Policy:
    """Return the shipped policy, but one that passes whatever it holds."""
    policy = shipped_policy()
    margins = policy.margins.copy()
    margins[:, [OPEN, RAISE, DOUBLE, REDOUBLE, TAKE_FIRST, TAKE_SECOND]] = np.inf
    margins.setflags(write=False)
    return policy._replace(margins=margins)


def new_scratch() -> Scratch:
    """Return scratch memory."""
    return Scratch(new_facts(), np.empty(NUM_DENOMINATIONS), np.empty(2, dtype=np.int64))


@inner
def choose(s, r, policy, scratch):
    """Return the action of the seat to act, from what that seat knows."""
    phase = s[PHASE]
    if phase == PLAY:
        return choose_card(s, r, playable_cards(s, r), policy.weights, scratch.facts)
    if phase == AUCTION:
        return choose_call(s, r, policy.tables, policy.margins, scratch.hopes, scratch.found)
    return ANNOUNCE_YES if phase == ANNOUNCE else BELOTE_YES


@lean
def play_out(s, r, policy, scratch):
    """Play the deal of state ``s`` to its end."""
    while s[PHASE] != OVER:
        step(s, r, choose(s, r, policy, scratch))
