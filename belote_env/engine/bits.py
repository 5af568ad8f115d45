"""Counting, finding and spreading out the bits of a card mask, in a few machine instructions."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from belote_env.engine.jit import inner
from belote_env.engine.memory import store_word


@intrinsic
def popcount(typing_context, mask):
    """Return the number of bits set in an ``int64``."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def lowest(typing_context, mask):
    """Return the index of the lowest bit set in an ``int64``, which must not be 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@inner
def spread(mask, out, offset):
    """Write the 32 bits of ``mask`` as 32 bytes of 0 or 1 into ``out`` (``uint8``) from ``offset`` on."""
    for eight in range(4):
        bits = np.uint64(mask >> (8 * eight) & 0xFF)
        # A copy of the bits in each byte, of which byte i keeps bit i; then any bit becomes 1.
        word = (bits * np.uint64(0x0101010101010101)) & np.uint64(0x8040201008040201)
        word = ((word + np.uint64(0x7F7F7F7F7F7F7F7F)) >> np.uint64(7)) & np.uint64(0x0101010101010101)
        store_word(out, offset + 8 * eight, word)
