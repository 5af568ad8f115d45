"""In what precision networks are trained."""

from __future__ import annotations

import torch

PRECISIONS = ("float32", "bfloat16")


def precision_of(name: str, device: torch.device) -> torch.autocast:
    """Return the context in which networks and losses are calculated, one of the :data:`PRECISIONS`.

    Weights, and what an observation says, stay ``float32`` in either.

    Raises:
        ValueError: if there is no such precision.
    """
    if name not in PRECISIONS:
        raise ValueError(f"precision is {name!r}, expected {' or '.join(PRECISIONS)}")
    return torch.autocast(device.type, torch.bfloat16, enabled=name == "bfloat16")
