"""Attributes that are data: what a nest may read once, before it runs.

An attribute may be anything that code computes: a property, ``__getattr__``, a
descriptor. Then its value may be another one in each iteration. It is data where the
object or its class holds the value itself, or where a property only reads what they
hold, and computes numbers of that. What types that are written in C say of their
objects is taken for data. (Python's reference, "Invoking Descriptors", says where an
attribute is looked for.)

This module uses the standard library only: as of ``runtime``, an extension that is
built ahead of time carries a copy of its text.
"""

from __future__ import annotations

import collections
import dis
import functools
import sys
import types
from collections.abc import Collection, Iterator
from typing import Any

_LOOK: Any = object.__getattribute__
_FIELD = type(vars(collections.namedtuple("_Named", "x"))["x"])
_HELD = (types.MemberDescriptorType, types.GetSetDescriptorType, _FIELD)
_CALLED = (
    types.FunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    staticmethod,
)
_PROPERTIES = (property, types.DynamicClassAttribute)
_RECORDS = ("numpy", "recarray.__getattribute__")
_NUMBERS = (bool, int, float, complex)
_NESTING = (list, tuple)
_SKIPPED = ("RESUME", "NOP", "CACHE", "PRECALL", "PUSH_NULL")
_OPERATIONS = ("COMPARE_OP", "BINARY_OP")
"""Operations on two numbers."""
_SIGNS = ("UNARY_NEGATIVE", "UNARY_NOT", "UNARY_INVERT", "TO_BOOL")
"""Operations on one; Python 3.13 makes a truth of it in front of ``not``."""
_NUMBER = object()
"""A number that a property computes."""


class Code(Exception):
    """What a nest is given for an attribute that is not data; it says why."""


def given(holder: Any, name: str, assigned: Collection[str] = ()) -> Any:
    """An attribute of an object, or a ``Code`` where more than reading it might happen.

    Args:
        holder: the object; a ``Code`` is given back.
        name: the attribute.
        assigned: the attributes that the nest assigns: no property may read them.

    Raises:
        AttributeError: there is none.
    """
    kind = type(holder)
    for one in kind.__mro__:
        if name in one.__dict__:
            break
    else:
        if kind.__getattribute__ is _LOOK and kind.__dictoffset__:
            held = holder.__dict__
            if name in held:
                return held[name]
    return _looked_up(holder, name, assigned)


def alone(own: Any, *others: Any) -> bool:
    """Whether a list is none of others, and in none of them, however deep.

    Args:
        own: the list. others: what a nest reads that may be anything.
    """
    for other in others:
        if other is own:
            return False
        deep = type(other) in _NESTING and other and type(other[0]) in _NESTING
        if deep and not alone(own, *other):
            return False
    return True


def _looked_up(holder: Any, name: str, assigned: Collection[str]) -> Any:
    """What ``given`` does where the class has the name, or has a say in all names."""
    if isinstance(holder, Code):
        return holder
    kind = type(holder)
    look = kind.__getattribute__
    if type(look) is not types.WrapperDescriptorType and not _is_record(look):
        return Code(f"what `{kind.__name__}.__getattribute__` computes")
    raw = _raw(kind, name)
    how = type(raw)
    if how in _HELD:
        return raw.__get__(holder, kind)
    if hasattr(how, "__set__") or hasattr(how, "__delete__"):
        return _computed(holder, name, raw, assigned)
    if isinstance(holder, type):
        return _of_class(holder, name)
    if name in getattr(holder, "__dict__", ()) or how in _CALLED:
        return getattr(holder, name)
    if hasattr(how, "__get__"):
        return _computed(holder, name, raw, assigned)
    if raw is None and hasattr(kind, "__getattr__"):
        return Code(f"what `{kind.__name__}.__getattr__` computes")
    if isinstance(holder, types.ModuleType) and "__getattr__" in vars(holder):
        return Code(f"what `__getattr__` of `{holder.__name__}` computes")
    return getattr(holder, name)


def _is_record(look: Any) -> bool:
    """Whether attributes are looked for as NumPy does it: fields of arrays."""
    home = str(getattr(look, "__module__", "")).partition(".")[0]
    return (home, getattr(look, "__qualname__", "")) == _RECORDS


def _raw(kind: type, name: str) -> Any:
    """What a class, or one that it is of, has by a name; None where none has."""
    for one in kind.__mro__:
        if name in one.__dict__:
            return one.__dict__[name]
    return None


def _of_class(holder: type, name: str) -> Any:
    """An attribute of a class, or a ``Code``."""
    raw = _raw(holder, name)
    how = type(raw)
    known = how in (*_HELD, *_CALLED, property) or how.__module__ == "enum"
    if hasattr(how, "__get__") and not known:
        return Code(f"what `{how.__name__}.__get__` computes")
    if raw is None and hasattr(type(holder), "__getattr__"):
        return Code(f"what `{type(holder).__name__}.__getattr__` computes")
    return getattr(holder, name)


def _computed(holder: Any, name: str, raw: Any, assigned: Collection[str]) -> Any:
    """What a descriptor gives for an attribute, or a ``Code``.

    Args:
        holder, name, assigned: as of ``given``. raw: the descriptor.
    """
    kind, how = type(holder), type(raw)
    if not isinstance(raw, _PROPERTIES):
        return Code(f"what `{how.__name__}.__get__` computes")
    getter = raw.fget
    if how in _PROPERTIES or how.__module__ == "enum":
        steps = isinstance(getter, types.FunctionType) and _steps(getter.__code__)
        if steps and _only_reads(steps, holder, getter, assigned):
            return getattr(holder, name)
    return Code(f"a property of `{kind.__name__}` that may differ in each iteration")


def _only_reads(
    steps: tuple[tuple[str, Any], ...],
    holder: Any,
    getter: Any,
    assigned: Collection[str],
) -> bool:
    """Whether a property only reads data, and computes numbers of it.

    Args:
        steps: what it does. holder: of what object. getter: its function.
        assigned: as of ``given``.
    """
    stack: list[Any] = []
    for step, value in steps:
        if step == "holder":
            stack.append(holder)
        elif step == "value":
            stack.append(value)
        elif step == "attribute":
            found = given(stack.pop(), value, assigned)
            if value in assigned or isinstance(found, Code):
                return False
            stack.append(found)
        elif step == "item":
            index, pair = stack.pop(), stack.pop()
            if type(pair) is not tuple or type(index) is not int:
                return False
            stack.append(pair[index])
        elif step == "len":
            size = getter.__globals__.get("len", len)
            kind = type(stack[-1])
            if size is not len or kind.__module__ not in ("builtins", "numpy"):
                return False
            stack.append(len(stack.pop()))
        else:
            if not all(_is_number(stack.pop()) for _ in range(value)):
                return False
            stack.append(_NUMBER)
    return len(stack) == 1


def _is_number(value: Any) -> bool:
    if value is _NUMBER or type(value) in _NUMBERS:
        return True
    kinds = type(value).__mro__
    return any((k.__module__, k.__name__) == ("numpy", "generic") for k in kinds)


@functools.lru_cache(maxsize=1024)
def _steps(code: types.CodeType) -> tuple[tuple[str, Any], ...]:
    """What a getter does, one step after the other; nothing where it may do more."""
    found = tuple(_read(code))
    return () if ("more", None) in found else found


def _read(code: types.CodeType) -> Iterator[tuple[str, Any]]:
    """The steps of a getter; ``more`` is any that is not known."""
    lens = 0
    if code.co_argcount != 1:
        yield "more", None
    for one in dis.get_instructions(code):
        name, arg, value = one.opname, one.arg or 0, one.argval
        if name in _SKIPPED:
            continue
        if name.startswith("LOAD_FAST") and value == code.co_varnames[0]:
            yield "holder", None
        elif name in ("LOAD_CONST", "LOAD_SMALL_INT"):
            yield "value", value
        elif name == "LOAD_GLOBAL" and value == "len":
            lens += 1
        elif name == "CALL" and arg == 1 and lens:
            lens -= 1
            yield "len", None
        elif name == "LOAD_ATTR" and not (sys.version_info >= (3, 12) and arg & 1):
            yield "attribute", value
        elif name == "BINARY_SUBSCR" or (name, one.argrepr) == ("BINARY_OP", "[]"):
            yield "item", None
        elif name in _OPERATIONS:
            yield "number", 2
        elif name in _SIGNS:
            yield "number", 1
        elif name == "RETURN_CONST":
            yield "value", value
            return
        elif name == "RETURN_VALUE":
            return
        else:
            yield "more", None
