"""Memory that the entry of a nest allocates: for buffers, and for copies of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from looptx.emit.cython.arrays import MADE, NUMPY, type_number
from looptx.emit.cython.lists.made import RESERVED
from looptx.emit.cython.text import Cython
from looptx.looptree.text import indent
from looptx.lower.allocation import allocations
from looptx.lower.loops.cells import COPIES, LIMIT, array_type
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, Intrinsic
from looptx.model.dtypes import DTYPES
from looptx.model.shapes import extent

ALIGNED = "lx_aligned"
"""The function that makes a buffer."""

TEXT = """
def lx_aligned(shape, kind):
    size = lx_numpy.dtype(kind).itemsize
    for extent in shape:
        size = size * extent
    if size >> 62:
        raise MemoryError
    memory = lx_numpy.empty(size + 63, "u1")
    start = -memory.__array_interface__["data"][0] % 64
    return memory[start:start + size].view(kind).reshape(shape)"""
"""It begins where a line of the cache does."""


def allocate(scope: Scope, cython: Cython) -> list[str]:
    """Make the buffers that are not local: each in one piece, aligned to 64 bytes."""
    lines = []
    for name, sizes, dtype in allocations(scope):
        shape = "".join(f"{cython.expression(size)}, " for size in sizes)
        stored = DTYPES[dtype].in_memory.name
        made = f'{cython.calling(ALIGNED)}(({shape}), "{stored}")'
        lines += _seen(scope, name, made, cython)
    return reserved(lines, "its temporaries")


def copies(scope: Scope, objects: Mapping[str, str], cython: Cython) -> list[str]:
    """Make copies of arrays: as many as memory allows; a single one is the array.

    Args:
        scope: the nest.
        objects: the variables of the Python objects of arrays, by name.
        cython: what writes the nest.
    """
    if not scope.copies:
        return []
    held = {
        one: objects.get(one) or _held(scope, scope.names(one)) for one in scope.copies
    }
    each = [f"{one}.nbytes" for one in held.values()]
    lines = []
    for array, copy in scope.copies.items():
        name, kind = scope.names(array), array_type(scope, array)
        shape = "".join(f", {extent(name, axis)}" for axis in range(kind.ndim))
        stored = DTYPES[kind.dtype].in_memory.name
        several = f'{cython.calling(NUMPY)}.empty(({scope.number}{shape}), "{stored}")'
        made = f"{several} if {scope.number} > 1 else {held[array]}[None]"
        lines += _seen(scope, copy, made, cython)
    function = cython.calling(Intrinsic("copies"))
    most = f"{function}({' + '.join(each)}, {COPIES}, {LIMIT})"
    return [f"{scope.number} = {most}", *reserved(lines, "copies of an array")]


def sized(
    scope: Scope, made: Mapping[str, Sequence[Expr]], cython: Cython
) -> list[str]:
    """Lines that say of what shape arrays are to be made.

    Args:
        scope: the nest. made: the extents of the arrays. cython: what writes the nest.
    """
    return [
        f"{scope.names(name)}.shape[{axis}] = {cython.expression(size)}"
        for name, sizes in made.items()
        for axis, size in enumerate(sizes)
    ]


def make(scope: Scope, made: Mapping[str, Sequence[Expr]], cython: Cython) -> list[str]:
    """Make the arrays of which that is said.

    Args:
        scope, made, cython: as of ``sized``.
    """
    lines = []
    for name, sizes in made.items():
        row = DTYPES[scope.array(name).dtype]
        if scope.is_reserved(name):
            function, more = RESERVED, str(row.in_memory.size)
        else:
            function, more = MADE, f"{len(sizes)}, {cython.calling(type_number(row))}"
        call = f"{cython.calling(function)}(&{scope.names(name)}, {more})"
        lines.append(f"{_held(scope, name)} = {call}")
    return reserved(lines, "an array that it makes")


def keep(arrays: Mapping[str, str], known: Mapping[str, str]) -> list[str]:
    """Lines that keep what arrays hold.

    Args:
        arrays: their objects, and in what.
        known: the numbers that all cells of some objects hold.
    """
    lines = [f"{kept} = {known[x]}" for x, kept in arrays.items() if x in known]
    copied = {x: kept for x, kept in arrays.items() if x not in known}
    copies = [f"{kept} = {array}.copy()" for array, kept in copied.items()]
    return [*lines, *reserved(copies, "what arrays held before")]


def put_back(arrays: Mapping[str, str]) -> list[str]:
    """Lines that give arrays back what ``keep`` kept."""
    return [f"{array}[...] = {kept}" for array, kept in arrays.items()]


def _seen(scope: Scope, name: str, made: str, cython: Cython) -> list[str]:
    """Lines that hold an array, and give what C sees of it a name."""
    cython.calling("lx_array")
    held = _held(scope, name)
    return [f"{held} = {made}", f"lx_see(&{name}, {held})"]


def _held(scope: Scope, name: str) -> str:
    """The variable of the Python object of an array."""
    return scope.names(f"{name} held")


def reserved(lines: list[str], what: str) -> list[str]:
    """Lines that allocate, if there are any; without memory the loops run as written.

    ValueError is what NumPy says of more bytes than an address can have.
    """
    leave = f'    return "there is no memory for {what}"'
    failed = "except (MemoryError, ValueError):"
    return ["try:", *indent(lines), failed, leave] if lines else []
