"""How many bits of a word are 1, for compiled code; the processor has an instruction for it."""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload


def popcount(word: Any) -> Any:
    """The ones of a word of 64 bits."""
    return np.int64(np.bitwise_count(word))


@intrinsic
def _ones(typing_context, word):
    def emit(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), emit


@overload(popcount)
def _popcount(word):
    def always(word):
        return _ones(word)  # type: ignore[call-arg]

    return always


def lowest_bit(word: Any) -> Any:
    """The place of the lowest bit that is 1, of a word that has one."""
    return (int(word) & -int(word)).bit_length() - 1


@intrinsic
def _trailing_zeros(typing_context, word):
    def emit(context, builder, signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), emit


@overload(lowest_bit)
def _lowest_bit(word):
    def always(word):
        return _trailing_zeros(word)  # type: ignore[call-arg]

    return always
