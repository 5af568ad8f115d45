"""Counting, finding and spreading out the bits of a card mask, in a few machine instructions."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from belote_env.engine.memory import pointer_to

_32_BITS = ir.VectorType(ir.IntType(1), 32)
_32_BYTES = ir.VectorType(ir.IntType(8), 32)


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
def spread(typing_context, mask, out, offset):
    """Write the 32 bits of ``mask`` as 32 bytes of 0 or 1 into ``out``, an array of bytes, from ``offset`` on."""

    def generate(context, builder, signature, arguments):
        bits = builder.bitcast(builder.trunc(arguments[0], ir.IntType(32)), _32_BITS)
        pointer = pointer_to(context, builder, signature.args[1], arguments[1], arguments[2])
        builder.store(builder.zext(bits, _32_BYTES), builder.bitcast(pointer, _32_BYTES.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(types.int64, out, types.int64), generate


@intrinsic
def collect(typing_context, flags, offset):
    """Return 32 bytes of ``flags``, an array of bytes, from ``offset`` on as 32 bits: 1 where a byte is not 0."""

    def generate(context, builder, signature, arguments):
        pointer = pointer_to(context, builder, signature.args[0], arguments[0], arguments[1])
        loaded = builder.load(builder.bitcast(pointer, _32_BYTES.as_pointer()), align=1)
        bits = builder.icmp_unsigned("!=", loaded, ir.Constant(_32_BYTES, None))
        return builder.zext(builder.bitcast(bits, ir.IntType(32)), ir.IntType(64))

    return types.int64(flags, types.int64), generate
