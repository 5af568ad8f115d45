"""Exact double-dummy solver: what both sides reach with all hands open and perfect play (rules §1, §4, §6, §7).

    solver = Solver()
    position = Position(("7S 8S ...", ...), leader=0, denomination="H", rules="coinche")
    solver.value(position)        # team 0's points less team 1's at the end of the deal
    solver.card_values(position)  # the same after each legal card

The search is zero-window alpha-beta over an explicit stack, with a transposition table at trick boundaries, bounds
from masters and top trumps, and cards that are equal or nearly so tried once. Sources:

- zero-window searches over a table of bounds: A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin, "Best-first fixed-depth
  minimax algorithms", Artificial Intelligence 87 (1996);
- quick tricks, tables at trick boundaries, equal cards: M. Ginsberg, "Partition search", AAAI 1996;
  M.-C. Chang, "Building a fast double-dummy bridge solver", New York University TR 1996-725; B. Haglund and S. Hein,
  "Search algorithms for a bridge double dummy solver", 2014;
- neighbouring cards differ at most by their points: S. Kupferschmid and M. Helmert, "A Skat player based on
  Monte-Carlo simulation", Computers and Games 2006.

Compiled code calls :func:`belote_env.solver.state.state_card_values` on a kernel state, or what that is made of: the
functions of :mod:`belote_env.solver.search`, ``begin`` once a deal, then ``solve``, ``at_least`` or ``solve_cards``.
Their memory is from :func:`table_memory` and :func:`working_memory`; they allocate nothing, and count raw points of
what is left, from one for a sweep above all to -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from belote_env.checks import check_threads
from belote_env.engine.layout import NONE
from belote_env.solver import search
from belote_env.solver.position import Position

__all__ = ["Position", "Solver", "solve_batch", "table_memory", "working_memory"]


def table_memory(bits: int = 16) -> np.ndarray:
    """Return an empty transposition table of ``2**bits`` entries: ``int64``, shape ``(2**bits, 2)``, 16 bytes each."""
    if bits not in range(4, 29):
        raise ValueError(f"a table has 2**4 to 2**28 entries, not 2**{bits}")
    return np.zeros((1 << bits, 2), dtype=np.int64)


def working_memory() -> np.ndarray:
    """Return working memory for the compiled search: ``int64``, shape ``(WORK_SIZE,)``; one a thread."""
    return np.zeros(search.WORK_SIZE, dtype=np.int64)


class Solver:
    """Solves positions one at a time; positions of one deal share what was found. Not for two threads at once.

    Args:
        table_bits: the table holds ``2**table_bits`` entries of 16 bytes.
        use_table: off, nothing is remembered (only to check the solver against itself).
        use_bounds: off, no masters are counted (only to check the solver against itself).
    """

    def __init__(self, table_bits: int = 16, *, use_table: bool = True, use_bounds: bool = True) -> None:
        self._table = table_memory(table_bits)
        self._work = working_memory()
        self._work[search.SWITCHES] = (not use_table) | (not use_bounds) << 1
        self._deal: Position | None = None
        self._arguments: tuple[np.ndarray, np.ndarray, np.ndarray]

    @property
    def nodes(self) -> int:
        """Positions entered by all searches so far."""
        return int(self._work[search.NODES])

    def forget(self) -> None:
        """Forget everything found so far, as if new."""
        self._deal = None

    def value(self, position: Position) -> int:
        """Return team 0's points less team 1's at the end of the deal, capot and belotes included."""
        return position.difference(self._rest(position))

    def points(self, position: Position) -> tuple[int, int]:
        """Return each team's points at the end of the deal, capot and belotes included."""
        return position.sides(self._rest(position))

    def card_values(self, position: Position) -> dict[int, int]:
        """Return :meth:`value` after each card that the seat to play may play.

        The best card of seats 0 and 2 is the one with the highest value, of seats 1 and 3 the lowest.
        """
        self._enter(position)
        values = np.empty(32, dtype=np.int64)
        search.solve_cards(*self._arguments, values)
        return {card: position.difference(int(v)) for card, v in enumerate(values) if v != search.UNPLAYABLE}

    def can_reach(self, position: Position, team: int, points: int) -> bool:
        """Return whether a team ends the deal with at least ``points``, capot and its belotes included."""
        _check_team(team)
        self._enter(position)
        return bool(search.reaches(*self._arguments, team, points))

    def can_take_all(self, position: Position, team: int) -> bool:
        """Return whether a team wins all tricks that are left; False if the other team has won one."""
        _check_team(team)
        if position.tricks[1 - team]:
            return False
        self._enter(position)
        self._work[search.SWEEP] = 1 << team
        if team == 0:
            return bool(search.at_least(*self._arguments, position.rest + 1, NONE))
        return not search.at_least(*self._arguments, 0, NONE)

    def line(self, position: Position) -> list[int]:
        """Return the cards of one line of best play, to the end of the deal; of equal cards the one with lowest id."""
        cards = []
        current: Position | None = position
        while current is not None:
            value = self._rest(current)
            cards.append(int(search.best_card(*self._arguments, value)))
            current = current.play(cards[-1])
        return cards

    def _rest(self, position: Position) -> int:
        self._enter(position)
        return int(search.solve(*self._arguments))

    def _enter(self, position: Position) -> None:
        """Make a position the one to solve. Forget what the table holds unless it belongs to the same deal."""
        self._work[: search.PROBLEM_SIZE] = position.problem
        self._arguments = self._work, position.rules.vector, self._table
        deal = self._deal
        if (
            deal is None
            or deal.rules != position.rules
            or deal.denomination != position.denomination
            or any(now & ~then for now, then in zip(position.owned, deal.owned, strict=True))
        ):
            search.begin(self._work, self._table)
            self._deal = position


def solve_batch(positions: Sequence[Position], threads: int | None = None, table_bits: int = 16) -> np.ndarray:
    """Return :meth:`Solver.value` of each position: ``int64``, shape ``(len(positions),)``, the same for any threads.

    Args:
        positions: of any deals and rules.
        threads: None for one a processor; each searches without the interpreter lock.
        table_bits: size of the table of each thread, as of :class:`Solver`.

    Raises:
        ValueError: if it is to be less than one thread.
    """
    threads = max(1, min(check_threads(threads), len(positions)))
    values = np.empty(len(positions), dtype=np.int64)
    solvers = [Solver(table_bits) for _ in range(threads)]

    def work(thread: int) -> None:
        for index in range(thread, len(positions), threads):
            values[index] = solvers[thread].value(positions[index])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    return values


def _check_team(team: int) -> None:
    if team not in (0, 1):
        raise ValueError(f"a team is 0 or 1, not {team!r}")
