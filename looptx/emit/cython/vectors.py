"""Vectors in C: the extension of GCC and Clang, which makes them numbers.

A vector type is declared to Cython as a numeric one, so that arithmetic prints as it
is. Such a vector may stand wherever its elements may, and beside any other type.
"""

from __future__ import annotations

import re

from looptx.emit.cython.helpers import Helper, quiet
from looptx.lower.tree import Intrinsic
from looptx.lower.types import c_vector
from looptx.model.dtypes import DTYPES, ROWS

_NAME = re.compile(r"lx_([a-z]+\d+)x(\d+)\Z")
_BY_SHORT = {row.short: row for row in ROWS}
_QUIET = '#pragma GCC diagnostic ignored "-Wpsabi"'
"""How vectors are passed changes with the machine; these functions are all inlined."""


def vector(name: str) -> Helper | None:
    """The vector type of that name, if it is one."""
    found = _NAME.match(name)
    row = _BY_SHORT.get(found[1]) if found else None
    if found is None or row is None:
        return None
    size = row.size * int(found[2])
    marks = f"vector_size({size}), aligned({row.size}), may_alias"
    c = f"{_QUIET}\ntypedef {row.c} {name} __attribute__(({marks}));"
    return Helper(c, (f"ctypedef {row.c} {name}",))


def operation(name: str, function: Intrinsic) -> Helper:
    """A function of vectors."""
    lanes, element = function.lanes, DTYPES[function.dtype].c
    kind = c_vector(function.dtype, lanes)
    every = range(lanes)
    match function.operation:
        case "splat":
            body = f"return ({kind}){{ {', '.join('x' for _ in every)} }};"
            return quiet(kind, name, f"{element} x", body, kind)
        case "lanes":
            given = ", ".join(f"{element} x{k}" for k in every)
            body = f"return ({kind}){{ {', '.join(f'x{k}' for k in every)} }};"
            return quiet(kind, name, given, body, kind)
        case "lane":
            return quiet(element, name, f"{kind} x, int k", "return x[k];", kind)
        case "reverse":
            backwards = ", ".join(f"x[{k}]" for k in reversed(every))
            body = f"return ({kind}){{ {backwards} }};"
            return quiet(kind, name, f"{kind} x", body, kind)
    source = _BY_SHORT[function.operation.removeprefix("from_")]
    given = c_vector(source.name, lanes)
    body = f"return __builtin_convertvector(x, {kind});"
    return quiet(kind, name, f"{given} x", body, kind, given)
