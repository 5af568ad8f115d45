"""Who is stronger: duplicate deals or matches between two agents, over all cores, with a confidence interval.

How they are played: ``duplicate``, and many side by side: ``lockstep``; what is counted: ``comparison``.
"""

from __future__ import annotations

import contextlib
import signal
import warnings
from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

from belote_env.rules import Rules
from training.comparison import Comparison
from training.duplicate import Outcome, Pairing
from training.lockstep import Task, bundles, play_together
from training.store import Store

_Result = TypeVar("_Result")


def compare(
    agents: tuple[str, str],
    rules: Rules,
    deals: int,
    seed: int = 0,
    *,
    protocol: str = "team",
    match: bool = False,
    workers: int = 1,
    ray: str | None = None,
    store: Store | None = None,
    until_sure: float | None = None,
    report: Callable[[Comparison], None] | None = None,
) -> Comparison:
    """Play A against B on duplicate deals; Ctrl-C ends it with the deals completed so far.

    Args:
        agents: what :func:`agents.registry.make` takes, for A and B.
        rules: the rule set.
        deals: number of distinct deals (matches), each played at every table of the protocol.
        seed: of cards and agents, 0 or more.
        protocol: ``"team"`` or ``"table"``, see :mod:`training.duplicate`.
        match: whether matches are played to the target of the rules, or single deals.
        workers: number of processes; the result is the same for any unless an agent goes by the clock. With more
            than one, agents that are not shipped must be given as ``module:object``.
        ray: address of a Ray cluster to play on instead, '' for one of its own with ``workers`` processes; see
            :mod:`training.cluster`.
        store: holds what need not be played again, and takes what is played.
        until_sure: stop, if before ``deals``, once it is that sure (as 0.99) who is stronger, by a rule that allows for
            looking after every deal: see :mod:`training.sequential`.
        report: is told the growing result after each deal.

    Raises:
        ValueError: for an unknown agent or protocol, a negative seed, fewer than one deal or worker, or a certainty
            that is not between 0.5 and 1.
    """
    for name, value in (("deals", deals), ("workers", workers)):
        if value < 1:
            raise ValueError(f"{name} is {value}, expected 1 or more")
    if until_sure is not None and not 0.5 < until_sure < 1:
        raise ValueError(f"until_sure is {until_sure}, expected a number between 0.5 and 1")
    pairing = Pairing(agents, rules, seed, protocol, match)
    result = Comparison(pairing, until_sure=until_sure)
    try:
        with contextlib.closing(_outcomes(pairing, deals, workers, ray, store)) as outcomes:
            for outcome in outcomes:
                result.add(outcome)
                if report is not None:
                    report(result)
                if result.sure:
                    break
    except KeyboardInterrupt:
        result.interrupted = True
    return result


def _outcomes(
    pairing: Pairing, deals: int, workers: int, ray: str | None, store: Store | None
) -> Generator[Outcome, None, None]:
    """Yield the outcomes of the first numbers of a pairing, in their order: from the store, or else played."""
    known = {} if store is None else store.load(pairing, deals)
    fresh = play_all(pairing, [number for number in range(deals) if number not in known], workers, ray)
    for number in range(deals):
        if number not in known:
            known[number] = next(fresh)
            if store is not None:
                store.add(pairing, number, known[number])
        yield known.pop(number)


def play_all(
    pairing: Pairing, numbers: Sequence[int], workers: int = 1, ray: str | None = None
) -> Generator[Outcome, None, None]:
    """Yield the outcomes of several numbers of a pairing, in their order, as they come in; see :func:`compare`."""
    return spread(play_together, pairing, numbers, workers, ray)


def spread(
    task: Task[_Result], pairing: Pairing, numbers: Sequence[int], workers: int = 1, ray: str | None = None
) -> Generator[_Result, None, None]:
    """Yield what a task makes of several numbers of a pairing, in their order, as it comes in.

    Args:
        task: is given the pairing and some of the numbers, and returns as many results; a function of a module.
        pairing: who plays what.
        numbers: which.
        workers: as for :func:`compare`.
        ray: as for :func:`compare`.
    """
    if ray is not None:
        from training.cluster import spread_on_ray

        yield from spread_on_ray(task, pairing, numbers, ray, workers)
        return
    parts = bundles(pairing, numbers, workers)
    if workers == 1:
        for part in parts:
            yield from task(pairing, part)
        return
    from joblib import Parallel, delayed

    # joblib itself bundles what is too quick to be worth a task of its own. Ctrl-C is for this process to handle.
    parallel = Parallel(n_jobs=workers, return_as="generator", initializer=_ignore_interrupts)
    done = parallel(delayed(task)(pairing, part) for part in parts)
    try:
        for results in done:
            yield from results
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib's, about tasks that nobody waits for any more
            done.close()


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
