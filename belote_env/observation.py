"""Observations: what a seat may know, as one flat ``uint8`` vector; ``FEATURES`` documents every entry.

Seats are relative to the observer: 0 me, 1 next to play, 2 partner, 3 before me. Sides: 0 mine, 1 theirs. Cards
stand by id (suits S H D C, ranks 7 8 9 T J Q K A), so that a network can share weights over the four suits.
Numbers up to 25,599 are two base-100 digits, exact and linear in their entries. Divide by :data:`SCALE` for floats
in 0..1.
"""

from __future__ import annotations

import numpy as np

from belote_env.cards import CARDS, RANKS
from belote_env.engine.encode import pack_observation, write_observation, write_privileged
from belote_env.features import (
    DIGITS,
    FEATURES,
    KINDS,
    NUM_FLAGS,
    OBSERVATION_SIZE,
    OFFSETS,
    PACKED_FLAGS,
    PACKED_SIZE,
    PRIVILEGED_SIZE,
    RULES,
    SCALE,
    SEATS,
    SIDES,
)

__all__ = [
    "FEATURES",
    "NUM_FLAGS",
    "OBSERVATION_SIZE",
    "PACKED_SIZE",
    "PRIVILEGED_SIZE",
    "SCALE",
    "block",
    "explain",
    "feature_table",
    "number",
    "pack_observation",
    "unpack_observation",
    "write_observation",
    "write_privileged",
]


def unpack_observation(packed: np.ndarray) -> np.ndarray:
    """Return the observations of a packed batch: ``uint8``, ``(…, PACKED_SIZE)`` to ``(…, OBSERVATION_SIZE)``."""
    flags = np.unpackbits(packed[..., :PACKED_FLAGS], axis=-1, count=NUM_FLAGS, bitorder="little")
    return np.concatenate([flags, packed[..., PACKED_FLAGS:]], axis=-1)


def block(observation: np.ndarray, name: str) -> np.ndarray:
    """Return the block ``name`` of an observation, in its shape; leading axes of a batch are kept."""
    feature = next(feature for feature in FEATURES if feature.name == name)
    start = OFFSETS[name]
    return observation[..., start : start + feature.size].reshape(*observation.shape[:-1], *feature.shape)


def number(observation: np.ndarray, name: str) -> np.ndarray:
    """Return a block of base-100 digits as whole numbers, its last axis gone."""
    digits = block(observation, name).astype(np.int64)
    return digits[..., 0] * 100 + digits[..., 1]


def _entries(values: np.ndarray, axes: tuple[tuple[str, ...], ...], flags: bool) -> str:
    """Return the entries that are not 0 in words: ``JH AS``, or ``tierce=2`` for numbers."""
    words = []
    for index in np.argwhere(values):
        label = " ".join(axis[i] for axis, i in zip(axes, index, strict=True))
        words.append(label if flags else f"{label}={values[tuple(index)]}")
    return ", ".join(words) if len(axes) > 1 else " ".join(words)


def explain(observation: np.ndarray) -> str:
    """Return an observation in words: a line for each feature that says something.

    Args:
        observation: ``uint8``, shape ``(OBSERVATION_SIZE,)``.

    Raises:
        ValueError: if the shape is another.
    """
    if np.shape(observation) != (OBSERVATION_SIZE,):
        raise ValueError(f"an observation has shape ({OBSERVATION_SIZE},), not {np.shape(observation)}")
    lines = []
    for feature in FEATURES:
        values = block(observation, feature.name)
        if not values.any():
            continue
        if feature.axes[-1] == DIGITS:
            numbers = number(observation, feature.name)
            words = (
                str(numbers)
                if numbers.ndim == 0
                else ", ".join(f"{side} {value}" for side, value in zip(SIDES, numbers, strict=True))
            )
        elif feature.name == "announced_top":
            words = ", ".join(f"{SEATS[s]} {KINDS[k]} {RANKS[values[s, k] - 1]}" for s, k in np.argwhere(values))
        elif feature.name == "rules":
            words = ", ".join(f"{name}={value}" for name, value in zip(RULES, values, strict=True))
        elif feature.axes == (("count",),):
            words = str(values[0])
        elif len(feature.axes) > 1 and feature.axes[1] == CARDS:
            words = "; ".join(
                f"{seat}: {_entries(row, (CARDS,), True)}" for seat, row in zip(SEATS, values, strict=True) if row.any()
            )
        else:
            words = _entries(values, feature.axes, feature.high == 1)
        lines.append(f"{feature.name:>16}  {words}")
    return "\n".join(lines)


def feature_table() -> str:
    """Return :data:`FEATURES` as a Markdown table, for the page ``docs/observation.md``."""
    lines = ["| entries | name | shape | values | meaning | filled |", "|---|---|---|---|---|---|"]
    for feature in FEATURES:
        start = OFFSETS[feature.name]
        shape = " × ".join(map(str, feature.shape))
        lines.append(
            f"| {start}..{start + feature.size - 1} | `{feature.name}` | {shape} | 0..{feature.high} "
            f"| {feature.meaning} | {feature.filled} |"
        )
    return "\n".join(lines)
