"""Playing on a Ray cluster, where this package must be installed on every machine."""

from __future__ import annotations

import itertools
import logging
import os
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from training.duplicate import Outcome, Pairing, play

_BATCH = 8


def play_on_ray(pairing: Pairing, numbers: Iterable[int], address: str, workers: int) -> Generator[Outcome, None, None]:
    """Yield the outcomes of several numbers of a pairing, in their order, as they come in.

    Args:
        pairing: who plays what.
        numbers: which.
        address: of the cluster, as ``"auto"`` or ``"ray://host:10001"``; '' for a Ray of its own on this machine.
        workers: how many processes that one has.

    Raises:
        ConnectionError: if there is no such cluster.
    """
    import ray

    if not ray.is_initialized():
        of_its_own: dict[str, Any] = {}
        if not address:
            # Its processes find module:object where this one does.
            paths = {"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}}
            of_its_own = {"num_cpus": workers, "include_dashboard": False, "runtime_env": paths}
        ray.init(address=address or "local", logging_level=logging.ERROR, log_to_driver=False, **of_its_own)
    task = ray.remote(_play_batch)
    at_once = 2 * int(ray.cluster_resources().get("CPU", 1))
    remaining = _batches(numbers)
    # No more than the cluster has hands for, so that stopping early wastes little.
    pending = deque(task.remote(pairing, batch) for batch in itertools.islice(remaining, at_once))
    try:
        while pending:
            outcomes = ray.get(pending.popleft())
            pending.extend(task.remote(pairing, batch) for batch in itertools.islice(remaining, 1))
            yield from outcomes
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    finally:
        for one in pending:
            ray.cancel(one)


def _play_batch(pairing: Pairing, batch: list[int]) -> list[Outcome]:
    return [play(pairing, number) for number in batch]


def _batches(numbers: Iterable[int]) -> Iterator[list[int]]:
    rest = iter(numbers)
    while batch := list(itertools.islice(rest, _BATCH)):
        yield batch
