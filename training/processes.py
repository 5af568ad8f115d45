"""Training in several processes, on one machine or many: each plays its own tables, and gradients are averaged.

Started by ``torchrun`` (or by :func:`start`, which does the same on one machine), a process finds its rank in the
environment. Two processes of one thread each train faster on two cores than one with two threads, since these networks
are too small to be shared out.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
from torch import distributed, multiprocessing, nn


class Place(NamedTuple):
    """Where a process stands: its rank, how many there are, and its device."""

    rank: int
    processes: int
    device: torch.device


def join(device: str) -> Place:
    """Join the other processes, if there are any, and return the place of this one.

    Raises:
        ValueError: if the machine has no such device.
    """
    rank, processes = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    try:
        chosen = torch.device(device)
        if chosen.type == "cuda" and processes > 1:
            chosen = torch.device("cuda", int(os.environ.get("LOCAL_RANK", rank)) % max(1, torch.cuda.device_count()))
        torch.empty(1, device=chosen)
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"device {device!r} cannot be used: {str(error).splitlines()[0]}") from None
    if processes > 1 and not distributed.is_initialized():
        distributed.init_process_group("nccl" if chosen.type == "cuda" else "gloo")
    return Place(rank, processes, chosen)


def start(train: Callable[..., bool], args: tuple[Any, ...], processes: int) -> bool:
    """Call ``train(*args)`` in that many processes of this machine, each of one thread, and return what it returns.

    Under ``torchrun`` this process is one of several already.

    Raises:
        ValueError: if ``train`` does.
    """
    if processes == 1:
        if "RANK" in os.environ:
            torch.set_num_threads(1)
        return train(*args)
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    context = multiprocessing.get_context("spawn")
    answer = context.SimpleQueue()
    # Ctrl-C is for the processes to handle, at the end of a round.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        multiprocessing.start_processes(
            _train, (train, args, processes, port, answer), nprocs=processes, start_method="spawn"
        )
    except multiprocessing.ProcessExitedException:
        if answer.empty():
            raise
    finally:
        signal.signal(signal.SIGINT, before)
    finished = answer.get()
    if isinstance(finished, ValueError):
        raise finished
    return finished


def _train(
    rank: int, train: Callable[..., bool], args: tuple[Any, ...], processes: int, port: int, answer: Any
) -> None:
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(processes)}
    os.environ |= {"MASTER_ADDR": "localhost", "MASTER_PORT": str(port)}
    torch.set_num_threads(1)
    try:
        finished = train(*args)
    except ValueError as error:
        answer.put(error)
        sys.exit(1)
    if rank == 0:
        answer.put(finished)


def average_gradients(parameters: Iterable[nn.Parameter], place: Place) -> None:
    """Average gradients over the processes, all in one message."""
    if place.processes == 1:
        return
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
    distributed.all_reduce(flat)
    flat /= place.processes
    first = 0
    for gradient in gradients:
        gradient.copy_(flat[first : first + gradient.numel()].view_as(gradient))
        first += gradient.numel()


def gather(thing: Any, place: Place) -> list[Any]:
    """Return what every process gives, in the order of ranks."""
    if place.processes == 1:
        return [thing]
    things: list[Any] = [None] * place.processes
    distributed.all_gather_object(things, thing)
    return things


def mean(figures: dict[str, float], place: Place) -> dict[str, float]:
    """Return the mean of each figure over the processes."""
    if place.processes == 1:
        return figures
    values = torch.tensor(list(figures.values()), dtype=torch.float64, device=place.device)
    distributed.all_reduce(values)
    return dict(zip(figures, (values / place.processes).tolist(), strict=True))


class Interrupts:
    """Ctrl-C ends a run after the round that is under way, so that nothing is lost; a second one ends it at once."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._here = False
        signal.signal(signal.SIGINT, self._note)

    def _note(self, number: int, frame: object) -> None:
        self._here = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def seen(self) -> bool:
        """Return whether there was one, in any of the processes; all must ask alike."""
        return any(gather(self._here, self._place))
