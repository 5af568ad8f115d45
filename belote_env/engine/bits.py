"""Counting, finding and spreading out the bits of a card mask, in a few machine instructions."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from belote_env.engine.jit import inner


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


@intrinsic
def _store_word(typing_context, array, index, word):
    """Write the eight bytes of a ``uint64`` into a ``uint8`` array from ``index`` on, lowest byte first."""

    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.gep(data, [arguments[1]])
        pointer = builder.bitcast(address, ir.IntType(64).as_pointer())
        builder.store(arguments[2], pointer, align=1)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64), generate


@inner
def spread(mask, out, offset):
    """Write the 32 bits of ``mask`` as 32 bytes of 0 or 1 into ``out`` (``uint8``) from ``offset`` on."""
    for eight in range(4):
        bits = np.uint64(mask >> (8 * eight) & 0xFF)
        # A copy of the bits in each byte, of which byte i keeps bit i; then any bit becomes 1.
        word = (bits * np.uint64(0x0101010101010101)) & np.uint64(0x8040201008040201)
        word = ((word + np.uint64(0x7F7F7F7F7F7F7F7F)) >> np.uint64(7)) & np.uint64(0x0101010101010101)
        _store_word(out, offset + 8 * eight, word)
