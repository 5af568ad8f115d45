"""Decisions of the last rounds on disk, so that far more of them are learned from again than memory holds.

Each round adds a shard, a NumPy file with one record a decision, and what is learned from is drawn from all that are
kept. A run that is resumed finds them as they were: those of rounds that it plays again are written again, alike.
"""

from __future__ import annotations

from pathlib import Path
from typing import Generic

import numpy as np
import torch

from belote_env.files import replacing
from training.rows import AnyRows


class Shards(Generic[AnyRows]):
    """The rows of the last rounds.

    Args:
        folder: where they lie.
        name: of these, which no others in the folder have.
        kind: of the rows.
        keep: how many rounds are drawn from.
    """

    def __init__(self, folder: Path, name: str, kind: type[AnyRows], keep: int) -> None:
        self.folder, self.name, self.kind, self.keep = folder, name, kind, keep
        self._shards: dict[int, np.ndarray] = {}

    def add(self, number: int, rows: AnyRows) -> None:
        """Write the rows of a round, and draw from it and the rounds before it from now on.

        Raises:
            ValueError: if one of those before it is missing or damaged.
        """
        columns = {name: tensor.numpy() for name, tensor in vars(rows).items()}
        shard = np.empty(len(rows), [(name, column.dtype, column.shape[1:]) for name, column in columns.items()])
        for name, column in columns.items():
            shard[name] = column
        self.folder.mkdir(exist_ok=True)
        with replacing(self._path(number)) as path, path.open("wb") as file:
            np.save(file, shard)
        before = range(max(0, number - self.keep + 1), number)
        self._shards = {one: self._shards[one] if one in self._shards else self._read(one) for one in before}
        self._shards[number] = self._read(number)
        for one in before:
            if self._shards[one].dtype != shard.dtype:
                raise ValueError(f"{self._path(one)} is damaged: it does not hold such decisions")

    def draw(self, count: int, rng: np.random.Generator) -> AnyRows:
        """Return so many of the rows, none of them twice, in random order."""
        last = np.cumsum([len(shard) for shard in self._shards.values()])
        places = rng.choice(last[-1], count, replace=False)
        drawn = np.empty(count, next(iter(self._shards.values())).dtype)
        for shard, end in zip(self._shards.values(), last, strict=True):
            here = (places < end) & (places >= end - len(shard))
            drawn[here] = shard[places[here] - (end - len(shard))]
        return self.kind(*(torch.from_numpy(np.ascontiguousarray(drawn[name])) for name in drawn.dtype.fields or ()))

    def forget(self, number: int) -> None:
        """Delete what is not drawn from in that round or later ones; call it once the state is saved."""
        for path in self.folder.glob(f"{self.name}-*.npy"):
            if int(path.stem.rpartition("-")[2]) <= number - self.keep:
                path.unlink()

    def _path(self, number: int) -> Path:
        return self.folder / f"{self.name}-{number:06}.npy"

    def _read(self, number: int) -> np.ndarray:
        path = self._path(number)
        try:
            return np.load(path, mmap_mode="r")
        except FileNotFoundError:
            raise ValueError(f"{path} is missing: the run cannot go on without it") from None
        except (ValueError, OSError, EOFError) as error:
            raise ValueError(f"{path} is damaged: {error}") from None
