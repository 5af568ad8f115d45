"""Shards: what is drawn from the rounds that are kept, and what is found again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from training.rows import Rows
from training.shards import Shards


@dataclass(frozen=True)
class Numbered(Rows):
    numbers: torch.Tensor
    pairs: torch.Tensor


def rows(*numbers):
    column = torch.tensor(numbers, dtype=torch.int64)
    return Numbered(column, torch.stack([column, -column], 1).float())


def drawn(shards, count, seed=0):
    part = shards.draw(count, np.random.default_rng(seed))
    assert part.pairs.dtype == torch.float32
    assert torch.equal(part.pairs, torch.stack([part.numbers, -part.numbers], 1).float())
    return part.numbers.tolist()


def test_all_that_is_kept_is_drawn_from(tmp_path):
    shards = Shards(tmp_path, "card-0", Numbered, 2)
    shards.add(0, rows(1, 2, 3))
    assert sorted(drawn(shards, 3)) == [1, 2, 3]
    shards.add(1, rows(4, 5))
    assert sorted(drawn(shards, 5)) == [1, 2, 3, 4, 5]
    counts = Counter(number for seed in range(500) for number in drawn(shards, 2, seed))
    assert all(150 < counts[number] < 250 for number in range(1, 6)) and sum(counts.values()) == 1000
    assert len({tuple(drawn(shards, 5, seed)) for seed in range(20)}) > 10  # in any order
    shards.add(2, rows())
    assert sorted(drawn(shards, 2)) == [4, 5] and drawn(shards, 0) == []


def test_a_resumed_run_finds_what_it_drew_from(tmp_path):
    shards, other = Shards(tmp_path, "card-0", Numbered, 3), Shards(tmp_path, "card-1", Numbered, 3)
    for number in range(6):
        shards.add(number, rows(2 * number, 2 * number + 1))
        other.add(number, rows(100 + number))
    shards.forget(5)  # the state is saved before round 5 is played
    assert len(list(tmp_path.iterdir())) == 3 + 6
    again = Shards(tmp_path, "card-0", Numbered, 3)
    again.add(5, rows(10, 11))
    assert sorted(drawn(again, 6)) == [6, 7, 8, 9, 10, 11] and drawn(again, 6) == drawn(shards, 6)


@pytest.mark.parametrize(
    "damage, message",
    [
        (lambda path: path.unlink(), "000000.npy is missing: the run cannot go on without it"),
        (lambda path: path.write_bytes(path.read_bytes()[:-3]), "000000.npy is damaged: "),
        (lambda path: path.write_bytes(b""), "000000.npy is damaged: "),
        (lambda path: np.save(path, np.zeros(3)), "000000.npy is damaged: it does not hold such decisions"),
    ],
)
def test_what_cannot_be_found_again_is_told(tmp_path, damage, message):
    Shards(tmp_path, "card-0", Numbered, 2).add(0, rows(1, 2))
    damage(tmp_path / "card-0-000000.npy")
    with pytest.raises(ValueError, match=message):
        Shards(tmp_path, "card-0", Numbered, 2).add(1, rows(3))
