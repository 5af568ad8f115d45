"""Playing on a Ray cluster, where this package must be installed on every machine."""

from __future__ import annotations

import itertools
import logging
import os
import sys
from collections import deque
from collections.abc import Generator, Sequence
from typing import Any, TypeVar

from training.duplicate import Pairing
from training.lockstep import Task, bundles

_Result = TypeVar("_Result")

_LEAST = 8
"""Numbers in a task: less would not be worth sending."""


def spread_on_ray(
    task: Task[_Result], pairing: Pairing, numbers: Sequence[int], address: str, workers: int
) -> Generator[_Result, None, None]:
    """Yield what a task makes of several numbers of a pairing, in their order, as it comes in.

    Args:
        task: as for :func:`training.arena.spread`.
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
    remote = ray.remote(task)
    hands = int(ray.cluster_resources().get("CPU", 1))
    remaining = bundles(pairing, numbers, hands, _LEAST)
    # No more than the cluster has hands for, so that stopping early wastes little.
    pending = deque(remote.remote(pairing, bundle) for bundle in itertools.islice(remaining, 2 * hands))
    try:
        while pending:
            results = ray.get(pending.popleft())
            pending.extend(remote.remote(pairing, bundle) for bundle in itertools.islice(remaining, 1))
            yield from results
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    finally:
        for one in pending:
            ray.cancel(one)
