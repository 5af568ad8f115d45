"""Muon (Jordan et al. 2024): steepest descent for the matrices between hidden layers, whatever the gradient's scale.

The momentum of each matrix is replaced by the nearest matrix with orthonormal rows, so that every direction that the
gradient speaks of is learned equally fast, not the loudest few first. PyTorch's own ``torch.optim.Muon`` computes in
bfloat16, for which many processors have no instructions and take several times as long; this one computes in the type
of the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

# Of a polynomial that drives all singular values towards 1 in five steps (Jordan et al. 2024).
_LINEAR, _CUBIC, _QUINTIC = 3.4445, -4.7750, 2.0315
_STEPS = 5


class Muon(torch.optim.Optimizer):
    """Nesterov momentum, orthogonalised, with an update as large as one of AdamW (Liu et al. 2025).

    Args:
        matrices: parameters, ``(rows, columns)`` each.
        lr: how far an update goes; a fifth of it for each entry, in the mean square.
        momentum: share of the past that is kept.
        weight_decay: decoupled.
    """

    def __init__(
        self, matrices: Iterable[nn.Parameter], lr: float, momentum: float = 0.95, weight_decay: float = 1e-3
    ) -> None:
        super().__init__(matrices, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """Make one step; a closure is never called."""
        for group in self.param_groups:
            for matrix in group["params"]:
                if matrix.grad is None:
                    continue
                momentum = self.state[matrix].setdefault("momentum", torch.zeros_like(matrix))
                momentum.lerp_(matrix.grad, 1 - group["momentum"])
                update = orthogonal(matrix.grad.lerp(momentum, group["momentum"]))
                matrix.mul_(1 - group["lr"] * group["weight_decay"])
                matrix.sub_(update, alpha=0.2 * group["lr"] * max(matrix.shape) ** 0.5)


def orthogonal(matrix: Tensor) -> Tensor:
    """Return, roughly, the nearest matrix whose rows, or columns if they are fewer, are orthonormal."""
    if matrix.shape[0] > matrix.shape[1]:
        return orthogonal(matrix.T).T
    matrix = matrix / (matrix.norm() + 1e-7)
    for _ in range(_STEPS):
        square = matrix @ matrix.T
        polynomial = torch.addmm(square, square, square, beta=_CUBIC, alpha=_QUINTIC)
        matrix = torch.addmm(matrix, polynomial, matrix, beta=_LINEAR)
    return matrix


MATRIX_RATE = 4.0
"""The learning rate of Muon, in those of AdamW."""


def optimizers(network: nn.Module, weight_decay: float = 1e-3) -> tuple[Muon, torch.optim.AdamW]:
    """Return Muon for the matrices between the hidden layers of a network, and AdamW for all its other parameters.

    How fast they learn says :func:`set_learning_rate`.
    """
    parts: tuple[list[nn.Parameter], list[nn.Parameter]] = ([], [])
    for name, parameter in network.named_parameters():
        parts[0 if ".layers." in name and parameter.ndim == 2 else 1].append(parameter)
    matrices, others = parts
    return Muon(matrices, lr=0.0, weight_decay=weight_decay), torch.optim.AdamW(others, 0.0, weight_decay=weight_decay)


def set_learning_rate(both: tuple[Muon, torch.optim.AdamW], rate: float) -> None:
    """Set the learning rate of AdamW, and in proportion that of Muon."""
    for optimizer, factor in zip(both, (MATRIX_RATE, 1.0), strict=True):
        for group in optimizer.param_groups:
            group["lr"] = factor * rate
