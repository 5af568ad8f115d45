"""Worlds: the hidden cards drawn at random, each deal that agrees with what a seat knows being as likely.

A world is a whole state from which the kernel can play on to the end of the deal; hidden again, it is what the seat
knows. So nothing that the table has seen is forgotten: voids, missed overtrumps, belotes not called, announced and
shown declarations, who won the contest. How likely bids and plays make a deal is not looked at.

:class:`Worlds` is for Python. Compiled code calls :func:`prepare` once for each decision and :func:`draw` for each
world, with arrays of its own.
"""

from __future__ import annotations

import numpy as np

from agents.world_counts import CLASSES, FORCED, HAND, LEFT_OVER, NEED, deal_row
from agents.world_plan import (
    BITS,
    NUM_ROWS,
    PLAYED_BY,
    ROW_SIZE,
    ROWS,
    WANTED,
    WAYS,
    WAYS_TO_HERE,
    asked_about_belote,
    contest_settled,
    plan_memory,
    prepare,
)
from belote_env.engine.bits import lowest, popcount
from belote_env.engine.deal import TURNED_AT
from belote_env.engine.declarations import best_declarations, settle_contest
from belote_env.engine.jit import inner, lean
from belote_env.engine.layout import (
    ANNOUNCE,
    AUCTION,
    BELOTE,
    CALLED,
    CONTEST,
    DEALT,
    DECLARATIONS,
    DECLARED,
    DENOMINATION,
    HANDS,
    NONE,
    OVER,
    PACK,
    PAIR,
    PHASE,
    PLAYED,
    RNG,
    SEAT,
    STATE_SIZE,
    TURNED,
)
from belote_env.engine.memory import copy_state
from belote_env.engine.options import (
    ANNOUNCE_CHOOSE,
    AUCTION_TURNED,
    R_ANNOUNCE,
    R_AUCTION,
    R_DECLARATIONS,
)
from belote_env.engine.rng import random_below, random_bits
from belote_env.engine.scoring import pairs_in_play
from belote_env.engine.tables import RANK_K, RANK_Q
from belote_env.seeding import generator_seed
from belote_env.view import View

__all__ = ["Worlds", "draw", "draw_from_all", "draw_many", "plan_memory", "prepare"]

MAX_REJECTIONS = 100_000
"""Deals drawn in vain before all are gone through. That takes milliseconds and hardly ever comes about."""


@inner
def _deal(plan: np.ndarray, rng: np.ndarray) -> int:
    """Deal the hands so that every way is as likely; return the row that it belongs to."""
    # WAYS is below 2**43, so the remainder is biased by less than a millionth.
    ticket = int(np.int64(random_bits(rng) % np.uint64(plan[WAYS])))
    low, high = 0, plan[NUM_ROWS] - 1
    while low < high:
        middle = (low + high) // 2
        if ticket < plan[ROWS + middle * ROW_SIZE + WAYS_TO_HERE]:
            high = middle
        else:
            low = middle + 1
    row = ROWS + low * ROW_SIZE
    before = plan[row - ROW_SIZE + WAYS_TO_HERE] if low else 0
    deal_row(plan, row, ticket - before, rng)
    return row


@inner
def _declarations_agree(
    hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray, row: int, world: np.ndarray
) -> bool:
    """Write the declarations of the hands dealt; return whether they are what is known of them."""
    for hand in range(3):
        other = (seat + 1 + hand) & 3
        at = DECLARATIONS + 2 * other
        best_declarations(plan[HAND + hand] | plan[PLAYED_BY + hand], hidden[DENOMINATION], r, world[at : at + 2])
        for i in range(2):
            if (world[at + i] ^ plan[row + WANTED + 2 * hand + i]) & plan[BITS + 2 * hand + i]:
                return False
    if not contest_settled(hidden):
        return True
    world[CONTEST] = NONE
    world[DECLARED] = world[DECLARED + 1] = 0
    settle_contest(world, r)
    return world[CONTEST] == hidden[CONTEST]


@inner
def _agrees(hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray, row: int, world: np.ndarray) -> bool:
    """Return whether the hands dealt agree with all that is known; if they do, their declarations are written."""
    if hidden[PHASE] == AUCTION or not r[R_DECLARATIONS]:
        return True
    return _declarations_agree(hidden, r, seat, plan, row, world)


@inner
def _write_pairs(hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray, world: np.ndarray) -> None:
    """Write who was dealt king and queen of trumps; one who played of them and said nothing has kept silent."""
    if not pairs_in_play(world, r):
        return
    asked = hidden[SEAT] if asked_about_belote(hidden) else NONE
    for suit in range(4):
        if hidden[DENOMINATION] != 5 and hidden[DENOMINATION] != suit:
            continue
        pair = (1 << RANK_Q | 1 << RANK_K) << (8 * suit)
        for hand in range(3):
            other = (seat + 1 + hand) & 3
            if world[DEALT + other] & pair == pair:
                world[PAIR + suit] = other
                if hidden[CALLED + suit] == 0 and plan[PLAYED_BY + hand] & pair and other != asked:
                    world[CALLED + suit] = NONE


@inner
def _write_phase(hidden: np.ndarray, r: np.ndarray, seat: int, world: np.ndarray) -> None:
    """Write what another seat is about to do: a question that it may have been asked is still to be answered."""
    mover = hidden[SEAT]
    if mover == seat:
        return
    if asked_about_belote(hidden):
        world[PHASE] = BELOTE
    elif r[R_ANNOUNCE] == ANNOUNCE_CHOOSE and hidden[PLAYED] < 4 and world[DECLARATIONS + 2 * mover]:
        world[PHASE] = ANNOUNCE


@inner
def _write_stock(hidden: np.ndarray, plan: np.ndarray, rng: np.ndarray, world: np.ndarray) -> None:
    """Lay the cards left over behind the turned card in random order."""
    world[PACK + TURNED_AT] = hidden[TURNED]
    cards = plan[LEFT_OVER]
    count = 0
    while cards:
        i = random_below(rng, count + 1)
        first = PACK + TURNED_AT + 1
        world[first + count] = world[first + i]
        world[first + i] = lowest(cards)
        cards &= cards - 1
        count += 1


@inner
def _write_world(
    hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray, rng: np.ndarray, world: np.ndarray
) -> None:
    """Complete a world whose declarations are written and whose hands have been dealt in the plan."""
    for hand in range(3):
        other = (seat + 1 + hand) & 3
        world[HANDS + other] = plan[HAND + hand]
        world[DEALT + other] = plan[HAND + hand] | plan[PLAYED_BY + hand]
    if hidden[PHASE] != AUCTION:
        _write_pairs(hidden, r, seat, plan, world)
        _write_phase(hidden, r, seat, world)
    elif r[R_AUCTION] == AUCTION_TURNED:
        _write_stock(hidden, plan, rng, world)
    world[RNG] = np.int64(random_bits(rng))


@lean
def draw_from_all(
    hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray, rng: np.ndarray, world: np.ndarray
) -> bool:
    """Do what :func:`draw` does by going through all deals, however few of them agree with the declarations.

    For a deal in play. With many unseen cards it takes for ever.
    """
    copy_state(hidden, world)
    found = kept_a = kept_b = kept_c = kept_row = 0
    for i in range(plan[NUM_ROWS]):
        row = ROWS + i * ROW_SIZE
        ab, ac, bc, abc = plan[row + CLASSES], plan[row + CLASSES + 1], plan[row + CLASSES + 2], plan[row + CLASSES + 3]
        a = for_a = ab | ac | abc
        while True:
            for_b = (ab | bc | abc) & ~a
            b = for_b if popcount(a) == plan[row + NEED] else 0
            while True:
                c = (ab | ac | bc | abc) & ~(a | b)
                if popcount(b) == plan[row + NEED + 1] and popcount(a) == plan[row + NEED] and c & ab == 0:
                    plan[HAND] = plan[row + FORCED] | a
                    plan[HAND + 1] = plan[row + FORCED + 1] | b
                    plan[HAND + 2] = plan[row + FORCED + 2] | c
                    if _agrees(hidden, r, seat, plan, row, world):
                        found += 1
                        # The deal found last takes the place of the one kept with the share that makes all as likely.
                        if random_below(rng, found) == 0:
                            kept_a, kept_b, kept_c = plan[HAND], plan[HAND + 1], plan[HAND + 2]
                            kept_row = row
                if b == 0:
                    break
                b = (b - 1) & for_b
            if a == 0:
                break
            a = (a - 1) & for_a
    if not found:
        return False
    plan[HAND], plan[HAND + 1], plan[HAND + 2] = kept_a, kept_b, kept_c
    _agrees(hidden, r, seat, plan, kept_row, world)
    _write_world(hidden, r, seat, plan, rng, world)
    return True


@lean
def draw(hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray, rng: np.ndarray, world: np.ndarray) -> bool:
    """Draw a world: of all deals that agree with what ``seat`` knows, each is as likely.

    ``hide(world, r, seat, out)`` writes ``hidden`` again, but for the world's generator, which is a new one. In the
    turned-card auction the stock lies in the pack, in an order as likely as any other; of the rest of the pack nothing
    is written. A seat that may have been asked whether to announce declarations, and has not played yet, is still
    to choose.

    Args:
        hidden: what ``seat`` knows, as given to :func:`prepare`.
        r: rule vector (``Rules.vector``).
        seat: whose knowledge it is.
        plan: what :func:`prepare` wrote, having found at least one deal.
        rng: ``int64`` array whose entry RNG is the generator, such as a state; it is advanced.
        world: where to write: ``int64``, ``(STATE_SIZE,)``.

    Returns:
        False if no deal agrees, which cannot be when ``hidden`` comes from a real one; ``world`` is undefined then.
    """
    copy_state(hidden, world)
    for _ in range(MAX_REJECTIONS):
        row = _deal(plan, rng)
        if _agrees(hidden, r, seat, plan, row, world):
            _write_world(hidden, r, seat, plan, rng, world)
            return True
    return draw_from_all(hidden, r, seat, plan, rng, world)


@lean
def draw_many(
    hidden: np.ndarray, r: np.ndarray, seat: int, plan: np.ndarray, rng: np.ndarray, worlds: np.ndarray
) -> bool:
    """Do what :func:`draw` does for each row of ``worlds``: ``int64``, ``(any, STATE_SIZE)``."""
    drawn = True
    for world in worlds:
        drawn = drawn and draw(hidden, r, seat, plan, rng, world)
    return drawn


class Worlds:
    """The worlds that a view allows, to draw from.

    Args:
        view: what the seat knows, of a deal in progress.
        seed: an integer, a ``numpy.random.Generator``, or None.

    Raises:
        ValueError: if the deal is over, or no deal agrees with the view.
    """

    def __init__(self, view: View, seed: int | np.random.Generator | None = None) -> None:
        if view.state[PHASE] == OVER:
            raise ValueError("the deal is over: there is nothing to imagine")
        self._hidden, self._rules, self._seat = view.state, view.rules.vector, view.seat
        self._plan = plan_memory()
        self._rng = np.zeros(STATE_SIZE, dtype=np.int64)
        self._rng[RNG] = generator_seed(seed)
        if not prepare(self._hidden, self._rules, self._seat, self._plan):
            raise ValueError("no deal agrees with this view")

    def sample(self, n: int) -> np.ndarray:
        """Return ``n`` independent worlds: ``int64``, shape ``(n, STATE_SIZE)``."""
        worlds = np.empty((n, STATE_SIZE), dtype=np.int64)
        if not draw_many(self._hidden, self._rules, self._seat, self._plan, self._rng, worlds):
            raise ValueError("no deal agrees with this view")
        return worlds

    def hands(self, n: int) -> np.ndarray:
        """Return the cards in the four hands of ``n`` worlds, as masks: ``int64``, shape ``(n, 4)``."""
        return self.sample(n)[:, HANDS : HANDS + 4]
