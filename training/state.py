"""The whole state of a training as tensors by name, so that a resumed run goes on exactly where it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from training.processes import Place, gather


class Resumable(Protocol):
    """What has a state of its own in each process."""

    def get_state(self) -> dict[str, Tensor]:
        """Return all that an exact resume needs."""

    def set_state(self, state: Mapping[str, Tensor]) -> None:
        """Go back to what :meth:`get_state` returned."""


def whole_state(
    networks: Mapping[str, nn.Module],
    optimizers: Mapping[str, torch.optim.Optimizer],
    own: Mapping[str, Resumable],
    place: Place,
) -> dict[str, Tensor]:
    """Return the state of networks and optimizers, alike in all processes, and of what each process has of its own."""
    tensors: dict[str, Tensor] = {}
    for name, network in networks.items():
        tensors |= _named(name, network.state_dict())
    for name, optimizer in optimizers.items():
        for number, entry in optimizer.state_dict()["state"].items():
            tensors |= _named(f"{name}.{number}", entry)
    for rank, states in enumerate(gather({name: one.get_state() for name, one in own.items()}, place)):
        for name, state in states.items():
            tensors |= _named(f"{name}.{rank}", state)
    return tensors


def restore(
    tensors: Mapping[str, Tensor],
    networks: Mapping[str, nn.Module],
    optimizers: Mapping[str, torch.optim.Optimizer],
    own: Mapping[str, Resumable],
    place: Place,
) -> None:
    """Put everything back to :func:`whole_state`.

    Raises:
        ValueError: if it is the state of another number of processes.
    """
    before = len({key.split(".")[1] for key in tensors if key.split(".")[0] in own})
    if before != place.processes:
        raise ValueError(f"the run was begun with {before} processes and goes on with as many, not {place.processes}")
    for name, network in networks.items():
        network.load_state_dict(_under(name, tensors))
    for name, optimizer in optimizers.items():
        state: dict[int, dict[str, Tensor]] = {}
        for key, tensor in _under(name, tensors).items():
            number, entry = key.split(".", 1)
            state.setdefault(int(number), {})[entry] = tensor
        optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
    for name, one in own.items():
        one.set_state(_under(f"{name}.{place.rank}", tensors))


def _named(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {f"{prefix}.{name}": tensor for name, tensor in tensors.items()}


def _under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name[len(prefix) + 1 :]: tensor for name, tensor in tensors.items() if name.startswith(f"{prefix}.")}


def generator_tensor(generator: np.random.Generator) -> Tensor:
    """Return the state of a generator: ``uint8``, the text of it as JSON."""
    return torch.tensor(list(json.dumps(generator.bit_generator.state).encode()), dtype=torch.uint8)


def restore_generator(generator: np.random.Generator, state: Tensor) -> None:
    """Put a generator back to :func:`generator_tensor`."""
    generator.bit_generator.state = json.loads(bytes(state.tolist()))


@torch.no_grad()
def follow(follower: nn.Module, network: nn.Module, slowness: float) -> None:
    """Move the weights of a follower towards those of a network: 1 stays, 0 copies."""
    for mine, its in zip(follower.parameters(), network.parameters(), strict=True):
        mine.lerp_(its, 1.0 - slowness)
