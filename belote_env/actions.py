"""Actions: one flat ``Discrete(174)`` space for every rule set, and the text of each action (rules §10).

=========  ==========================================================================
ids        meaning
=========  ==========================================================================
0..31      ``play JH``: the card with that id
32..37     ``pass``, ``coinche``, ``surcoinche``, ``announce``, ``silent``, ``belote``
38..41     ``take H``: the suits S H D C (turned-card auction)
42..119    ``bid 80H``: 13 rungs (80, 90, … 180, capot, generale) times S H D C NT AT
120..173   ``bid 5H``: 1..9 tricks times S H D C NT AT (tricks auction)
=========  ==========================================================================
"""

from __future__ import annotations

import operator

from belote_env.cards import CARDS, DENOMINATIONS, SUITS
from belote_env.engine.layout import (
    BID,
    BID_TRICKS,
    NUM_ACTIONS,
    RUNG_NAMES,
)

_PLAYS = tuple(f"play {card}" for card in CARDS)
_WORDS = ("pass", "coinche", "surcoinche", "announce", "silent", "belote")
_TAKES = tuple(f"take {suit}" for suit in SUITS)
_BIDS = tuple(f"bid {rung}{denomination}" for rung in RUNG_NAMES for denomination in DENOMINATIONS)
_TRICK_BIDS = tuple(f"bid {tricks}{denomination}" for tricks in range(1, 10) for denomination in DENOMINATIONS)

ACTIONS: tuple[str, ...] = _PLAYS + _WORDS + _TAKES + _BIDS + _TRICK_BIDS
_ACTION_IDS = {text: action for action, text in enumerate(ACTIONS)}

assert len(ACTIONS) == NUM_ACTIONS
assert ACTIONS[BID] == "bid 80S" and ACTIONS[BID_TRICKS] == "bid 1S"


def parse_action(action: int | str | None) -> int:
    """Return the id of an action given by id or by text.

    Raises:
        ValueError: if no such action exists.
    """
    if isinstance(action, str):
        try:
            return _ACTION_IDS[action]
        except KeyError:
            raise ValueError(
                f"{action!r} is not an action: write 'pass', 'coinche', 'surcoinche', 'announce', 'silent', "
                "'belote', 'take H', 'bid 80H' or 'play JH'"
            ) from None
    try:
        number = operator.index(action)  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(f"{action!r} is not an action: give an id or its text") from None
    if isinstance(action, bool) or not 0 <= number < NUM_ACTIONS:
        raise ValueError(f"{action!r} is not an action: ids go from 0 to {NUM_ACTIONS - 1}")
    return number


def format_action(action: int) -> str:
    """Return the text of an action id."""
    return ACTIONS[action]
