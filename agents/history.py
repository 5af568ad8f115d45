"""How a deal came to where it stands: from a whole state, such as a world, the pack and the actions that lead there.

For rule sets with ``announce="auto"``, as all presets have it: with them every action is public, and those of a world
are those that were really taken.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from belote_env.cards import cards_of
from belote_env.engine import kernel
from belote_env.engine.deal import DEALING_ORDER, TURNED_AT
from belote_env.engine.layout import (
    AUCTION,
    BID,
    BID_TRICKS,
    CAPOT,
    COINCHE,
    COINCHER,
    DEALER,
    DEALT,
    DENOMINATION,
    LADDER,
    NONE,
    NUM_DENOMINATIONS,
    NUM_RUNGS,
    PACK,
    PASS,
    PASSES,
    PHASE,
    PLAYED,
    SEAT,
    SEQUENCE,
    STATE_SIZE,
    SURCOINCHE,
    SURCOINCHER,
    TAKE,
    TAKER,
    TURNED,
    WINNER,
)
from belote_env.rules import Rules


def start_deal(rules: Rules, dealer: int, pack: list[int], trump: int = NONE) -> np.ndarray:
    """Return the state after dealing, scores 0: ``int64``, shape ``(STATE_SIZE,)``.

    Args:
        rules: the rule set.
        dealer: the seat that deals.
        pack: the 32 cards in the order in which they are dealt.
        trump: the suit, in a game that draws it.
    """
    state = np.zeros(STATE_SIZE, dtype=np.int64)
    state[DEALER] = dealer
    state[WINNER] = NONE
    state[PACK : PACK + 32] = pack
    kernel.begin_deal(state, rules.vector, trump)
    return state


def pack_of(world: np.ndarray) -> list[int]:
    """Return a pack that deals out the hands of a world; which of a seat's cards came first is not known."""
    dealer, turned = int(world[DEALER]), int(world[TURNED])
    hands = [list(cards_of(int(world[DEALT + seat]))) for seat in range(4)]
    if turned == NONE:
        return [hands[(dealer + after) & 3].pop() for after in DEALING_ORDER.tolist()]
    if world[PHASE] != AUCTION and world[TAKER] != NONE:
        hands[world[TAKER]].remove(turned)
    pack = [hands[(dealer + after) & 3].pop() for after in DEALING_ORDER[:TURNED_AT].tolist()]
    stock = [card for after in range(1, 5) for card in hands[(dealer + after) & 3]]
    return [*pack, turned, *(stock or world[PACK + TURNED_AT + 1 : PACK + 32].tolist())]


def actions_of(world: np.ndarray, rules: Rules) -> list[int]:
    """Return the ids of the actions taken so far, in order."""
    state = start_deal(rules, int(world[DEALER]), pack_of(world), int(world[DENOMINATION]))
    actions = []

    def take(action: int) -> None:
        kernel.step(state, rules.vector, action)
        actions.append(action)

    for seat, action in _calls(world, rules):
        while state[SEAT] != seat:
            take(PASS)
        take(action)
    while state[PHASE] == AUCTION and (world[PHASE] != AUCTION or state[PASSES] != world[PASSES]):
        take(PASS)
    for card in world[SEQUENCE : SEQUENCE + world[PLAYED]].tolist():
        take(card)
    return actions


def _calls(world: np.ndarray, rules: Rules) -> Iterator[tuple[int, int]]:
    """Yield ``(seat, action)`` of the calls in order; of the passes, those that do not follow from the rest."""
    if rules.auction == "turned":
        for passes in range(world[PASSES]):
            yield (world[DEALER] + 1 + passes) & 3, PASS
        if world[TAKER] != NONE:
            yield int(world[TAKER]), TAKE + int(world[DENOMINATION])
        return
    for rung, bid in enumerate(world[LADDER : LADDER + NUM_RUNGS].tolist()):
        if bid:
            first = BID_TRICKS if rules.auction == "tricks" and rung < CAPOT else BID
            yield (bid - 1) & 3, first + NUM_DENOMINATIONS * rung + (bid - 1) // 4
    for entry, action in ((COINCHER, COINCHE), (SURCOINCHER, SURCOINCHE)):
        if world[entry] != NONE:
            yield int(world[entry]), action
