"""Writes docs/observation.md from the table of features in the code: ``python scripts/make_docs.py``."""

from __future__ import annotations

from pathlib import Path

from belote_env.files import write_atomically
from belote_env.observation import NUM_FLAGS, OBSERVATION_SIZE, PACKED_SIZE, feature_table

PAGE = f"""# The observation

This page is generated: `python scripts/make_docs.py` writes it from `belote_env.observation.FEATURES`.

An observation is one `uint8` vector of {OBSERVATION_SIZE} entries, of which the first {NUM_FLAGS} are flags; packed
into bits it takes {PACKED_SIZE} bytes. Seats are relative to the observer (0 me, 1 next to play, 2 partner, 3 before
me), sides are mine and theirs, and cards stand by id: suits S H D C, ranks 7 8 9 T J Q K A. A pair of *hundreds* and
*units* is a number to base 100. `block(observation, name)` cuts a feature out, `explain(observation)` says it all in
words, and dividing by `SCALE` gives floats in 0..1.

It holds what a player with a perfect memory of this deal knows, and nothing more. Two things follow from taking turns
and cannot be hidden: with `announce="choose"`, a seat that acts twice was asked something. With `reshuffle=False` the
order in which earlier tricks were gathered is not in it.

{feature_table()}
"""

if __name__ == "__main__":
    write_atomically(Path(__file__).parent.parent / "docs" / "observation.md", PAGE)
