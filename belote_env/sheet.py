"""The score sheet of a finished deal, read off a state (rules §10, ``result``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from belote_env.cards import DENOMINATIONS
from belote_env.engine.layout import (
    BELOTE_POINTS,
    CAPOT,
    DEAL_SCORES,
    DECLARED,
    DENOMINATION,
    DOUBLED,
    DRAW,
    GENERALE,
    MADE,
    NONE,
    OUTCOME,
    POINTS,
    POT,
    RUNG,
    RUNG_NAMES,
    SCORES,
    TAKER,
    TRICKS,
    WINNER,
)
from belote_env.rules import Rules


def bid_value(rules: Rules, rung: int) -> int | str | None:
    """Return a rung as a record writes it: 80..180, a number of tricks, ``"capot"``, ``"generale"``, or None."""
    if rung == NONE:
        return None
    if rung in (CAPOT, GENERALE):
        return RUNG_NAMES[rung]
    return rung + 1 if rules.auction == "tricks" else 80 + 10 * rung


def contract_of(rules: Rules, state: np.ndarray) -> dict[str, Any] | None:
    """Return the contract as it stands: ``seat``, ``value``, ``denomination``, ``doubled``; None without one."""
    if state[TAKER] == NONE:
        return None
    return {
        "seat": int(state[TAKER]),
        "value": bid_value(rules, int(state[RUNG])),
        "denomination": DENOMINATIONS[state[DENOMINATION]],
        "doubled": int(state[DOUBLED]),
    }


def winner_of(state: np.ndarray) -> int | str | None:
    """Return the team that has won the match, ``"draw"``, or None while it goes on."""
    winner = int(state[WINNER])
    return None if winner == NONE else "draw" if winner == DRAW else winner


def score_sheet(rules: Rules, state: np.ndarray) -> dict[str, Any]:
    """Return the result of a deal that is over, as plain Python values. Pairs are team 0 then team 1."""

    def pair(field: int) -> list[int]:
        return [int(state[field]), int(state[field + 1])]

    outcome = int(state[OUTCOME])
    return {
        "contract": contract_of(rules, state),
        "made": None if outcome == NONE else outcome == MADE,
        "tricks": pair(TRICKS),
        "card_points": pair(POINTS),
        "declarations": pair(DECLARED),
        "belote": pair(BELOTE_POINTS),
        "scores": pair(DEAL_SCORES),
        "pot": int(state[POT]),
        "totals": pair(SCORES),
        "winner": winner_of(state),
    }
