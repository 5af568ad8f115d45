"""Decisions to learn from, one a row, as a dataclass of tensors of the same length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import torch

AnyRows = TypeVar("AnyRows", bound="Rows")


@dataclass(frozen=True)
class Rows:
    """The base of such dataclasses; every field is a tensor whose first axis is the row."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))

    def part(self: AnyRows, places: torch.Tensor, device: torch.device) -> AnyRows:
        """Return some of the rows, on a device."""
        return type(self)(*(tensor[places].to(device) for tensor in vars(self).values()))

    @classmethod
    def joined(cls: type[AnyRows], parts: Sequence[AnyRows]) -> AnyRows:
        """Return several as one."""
        return cls(*(torch.cat(tensors) for tensors in zip(*(vars(part).values() for part in parts), strict=True)))
