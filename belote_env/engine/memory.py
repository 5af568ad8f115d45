"""Touching memory as the machine does it best, where Numba's own loops and indices are several times slower.

None of these checks a bound, and an index counts from the start: a negative one is not taken from the end.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from belote_env.engine.layout import STATE_SIZE

_CACHE_LINE = 64


def pointer_to(context, builder, kind, array, index):
    """Return the address of entry ``index`` of a C-contiguous array, in the code that an intrinsic generates."""
    return builder.gep(context.make_array(kind)(context, builder, array).data, [index])


def _copy(context, builder, signature, arguments, count, size):
    start = context.get_constant(types.intp, 0)
    source, target = (
        pointer_to(context, builder, kind, value, start) for kind, value in zip(signature.args, arguments, strict=True)
    )
    cgutils.raw_memcpy(builder, target, source, count, size)
    return context.get_dummy_value()


@intrinsic
def copy_state(typing_context, source, target):
    """Copy all entries of one state to another: two C-contiguous ``int64`` arrays that do not overlap."""

    def generate(context, builder, signature, arguments):
        return _copy(context, builder, signature, arguments, context.get_constant(types.intp, STATE_SIZE), 8)

    return types.void(source, target), generate


@intrinsic
def copy_bytes(typing_context, source, target):
    """Fill ``target``, an array of bytes, from the start of another that does not overlap."""

    def generate(context, builder, signature, arguments):
        count = context.make_array(signature.args[1])(context, builder, arguments[1]).nitems
        return _copy(context, builder, signature, arguments, count, 1)

    return types.void(source, target), generate


def _store(bits):
    """Return an intrinsic that stores the lowest ``bits`` of a number into an array of bytes, lowest byte first."""

    def typing(typing_context, array, index, number):
        def generate(context, builder, signature, arguments):
            pointer = pointer_to(context, builder, signature.args[0], arguments[0], arguments[1])
            whole = ir.IntType(bits)
            value = arguments[2] if bits == 64 else builder.trunc(arguments[2], whole)
            builder.store(value, builder.bitcast(pointer, whole.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.int64), generate

    return intrinsic(typing)


put, put_half, put_word = _store(8), _store(32), _store(64)


@intrinsic
def prefetch_row(typing_context, table, row):
    """Call a row of a C-contiguous ``int64`` table into the cache; one past the last is harmless."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte = ir.IntType(8).as_pointer()
        fetch = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, *[ir.IntType(32)] * 3])
        )
        width = cgutils.unpack_tuple(builder, array.strides, 2)[0]
        start = builder.gep(builder.bitcast(array.data, byte), [builder.mul(arguments[1], width)])
        write, keep, data = (ir.Constant(ir.IntType(32), number) for number in (1, 3, 1))
        with cgutils.for_range_slice(
            builder, context.get_constant(types.intp, 0), width, context.get_constant(types.intp, _CACHE_LINE)
        ) as (offset, _):
            builder.call(fetch, [builder.gep(start, [offset]), write, keep, data])
        return context.get_dummy_value()

    return types.void(table, types.int64), generate
