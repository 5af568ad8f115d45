"""Muon: what its updates look like, and that it finds what it looks for."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from decisions import small_network

from training.muon import MATRIX_RATE, Muon, optimizers, orthogonal, set_learning_rate


@pytest.mark.parametrize("shape", [(6, 6), (4, 9), (9, 4)])
def test_orthogonal_brings_all_singular_values_near_one_and_keeps_the_directions(shape):
    generator = torch.Generator().manual_seed(0)
    matrix = torch.randn(shape, generator=generator)
    left, values, right = torch.linalg.svd(matrix, full_matrices=False)
    found = left.T @ orthogonal(matrix) @ right.T
    assert values.max() / values.min() > 2
    diagonal = found.diagonal()
    assert diagonal.min() > 0.6 and diagonal.max() < 1.3
    assert torch.allclose(found, torch.diag(diagonal), atol=1e-4)


def test_the_size_of_the_gradient_does_not_matter():
    after = []
    for factor in (1.0, 1e-3):
        weight = torch.nn.Parameter(torch.ones(3, 5))
        weight.grad = torch.arange(15.0).view(3, 5) * factor
        Muon([weight], lr=0.1).step()
        after.append(weight.detach())
    torch.testing.assert_close(after[0], after[1])


def test_it_finds_a_matrix_whose_directions_matter_very_unequally():
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(256, 8, generator=generator) * torch.logspace(0, -2, 8)
    wanted = torch.randn(8, 8, generator=generator)
    weight = torch.nn.Parameter(torch.zeros(8, 8))
    optimizer = Muon([weight], lr=0.3, weight_decay=0.0)
    for step in range(400):
        optimizer.param_groups[0]["lr"] = 0.3 * (1 - step / 400)
        weight.grad = None
        ((inputs @ (weight - wanted).T) ** 2).mean().backward()
        optimizer.step()
    assert (weight - wanted).abs().max() < 0.3


def test_every_parameter_is_trained_by_one_of_the_two():
    network = small_network()
    muon, adam = both = optimizers(network)
    set_learning_rate(both, 0.01)
    assert (muon.param_groups[0]["lr"], adam.param_groups[0]["lr"]) == (0.01 * MATRIX_RATE, 0.01)
    matrices, others = ({id(one) for one in optimizer.param_groups[0]["params"]} for optimizer in both)
    assert matrices and not matrices & others
    assert matrices | others == {id(parameter) for parameter in network.parameters()}
    assert {
        id(network.play.body.suits.weight),
        id(network.bidding.value.weight),
        id(network.play.cards.weight),
    } <= others
