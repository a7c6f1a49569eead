"""The whole way of a module: from its text to its rewritten text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from looptx.cli.output import internal
from looptx.errors import LooptxError, Malformed, Place
from looptx.model.marks import may_address

if TYPE_CHECKING:
    from looptx.looptree.planned import Planned
    from looptx.model.program import Directive, Kernel
    from looptx.source import Module
    from looptx.validation import Validation

Schedules = Mapping[str, Sequence["Directive"]]
"""Directives that stand outside the source, by the qualified name of their function."""

NO_SCHEDULES: Schedules = {}


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a text.

    Attributes:
        text: the transformed text; the original if nothing changed or something failed.
        errors: all that can be said to be wrong, in source order.
        changed: whether ``text`` is another text than the original.
        functions: the qualified names of the functions with loops that were looked at.
        validated: what was compared of each function that changed, if that was wanted.
        applied: the functions with loops that were rewritten before.
        notes: what to know of those that changed, a sentence each.
    """

    text: str
    errors: tuple[LooptxError, ...] = ()
    changed: bool = False
    functions: tuple[str, ...] = ()
    validated: tuple[Validation, ...] = ()
    applied: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def transform_text(
    text: str,
    filename: str,
    to: str = "python",
    schedules: Schedules = NO_SCHEDULES,
    *,
    validate: bool = False,
    strict: bool = False,
) -> Result:
    """Transform the annotated nests of a module; never raises for what the text says.

    A file is transformed as a whole or not at all.

    Args:
        text: the source of the module, which is read and never run.
        filename: what errors call it.
        to: ``"python"`` for the rewritten module, ``"cython"`` for the text of an
            extension module with one function per annotated nest.
        schedules: directives from outside the file.
        validate: run each function and its rewritten form on symbols; a difference, or
            a function that cannot be run, is an error.
        strict: rewritten loops that never ran while they were validated are one too.
    """
    schedules = {
        name: directives
        for name, directives in schedules.items()
        if name.rpartition(".")[2] in text
    }
    if not (schedules or may_address(text)):
        return Result(text)
    try:
        return _transform(text, filename, to, schedules, validate, strict)
    except LooptxError as error:
        return Result(text, error.together)
    except (RecursionError, MemoryError):
        return Result(text, (_too_deep(Place(filename, 1)),))
    except Exception as error:
        return Result(text, (internal(error).at(Place(filename, 1)),))


def check_syntax(text: str, filename: str) -> Result:
    """The result for a text without directives: unchanged, if it is Python at all."""
    from looptx.source.text.parse import Parsed

    try:
        Parsed(text, filename)
    except LooptxError as error:
        return Result(text, (error,))
    return Result(text)


def _too_deep(place: Place) -> LooptxError:
    message = "the source is too deeply nested to be analysed"
    hint = "write the long expressions as several shorter ones"
    return Malformed("LX304", message, place, hint=hint)


def _transform(
    text: str,
    filename: str,
    to: str,
    schedules: Schedules,
    validate: bool,
    strict: bool,
) -> Result:
    from looptx import rewriting, source

    module = source.survey(text, filename)
    functions = tuple(kernel.qualname for kernel in module.kernels)
    errors = list(module.wrong.found)
    parts: list[tuple[Kernel, tuple[Planned, ...]]] = []
    for kernel in module.kernels:
        given = schedules.get(kernel.qualname, ())
        try:
            planned = plan(module, kernel, given, checks=to == "cython")
            if planned:
                parts.append((kernel, planned))
        except LooptxError as error:
            errors += error.at(kernel.place).together
        except (RecursionError, MemoryError):
            errors.append(_too_deep(kernel.place))
        except Exception as error:
            errors.append(internal(error).at(kernel.place))
    new = text
    validated: list[Validation] = []
    if parts and not errors:
        new = _cython(parts) if to == "cython" else rewriting.rewritten(module, parts)
        if validate:
            validated, errors = _validated(module, parts, new, strict)
            new = text if errors else new
    errors.sort(key=lambda error: error.place.line if error.place else 0)
    applied = tuple(
        k.qualname for k in module.kernels if any(n.applied for n in k.nests)
    )
    changed = new != text
    notes = _notes(module, parts) if changed and to == "python" else ()
    validations = tuple(validated)
    return Result(new, tuple(errors), changed, functions, validations, applied, notes)


def _notes(
    module: Module, parts: Sequence[tuple[Kernel, Sequence[Planned]]]
) -> tuple[str, ...]:
    """Of decorators that stay, and would meet loops that are transformed already."""
    from looptx import source

    return tuple(
        f"kernel {kernel.qualname}: `@{name}` may be looptx's and stays; take it away, "
        "or the rewritten loops run as plain Python (LX111)"
        for kernel, _ in parts
        for name in source.doubtful(module, kernel)
    )


def _validated(
    module: Module,
    parts: Sequence[tuple[Kernel, tuple[Planned, ...]]],
    new: str,
    strict: bool,
) -> tuple[list[Validation], list[LooptxError]]:
    """What was compared of each function, and what is wrong with the others."""
    from looptx.lower.types import annotated
    from looptx.validation import Subject, validate

    validated: list[Validation] = []
    errors: list[LooptxError] = []
    for kernel, planned in parts:
        try:
            subject = Subject(module, kernel, planned, new, annotated(kernel))
            validated.append(validate(subject, strict=strict))
        except LooptxError as error:
            errors.append(error)
        except Exception as error:
            errors.append(internal(error).at(kernel.place))
    return validated, errors


def plan(
    module: Module,
    kernel: Kernel,
    directives: Sequence[Directive] = (),
    *,
    checks: bool = True,
) -> tuple[Planned, ...]:
    """Plan the annotated nests of a function with all directives that are known of it.

    ``checks`` is as for ``plan_kernel``.

    Raises:
        LooptxError: the first thing that is wrong.
    """
    if kernel.decorated:
        from looptx import source

        directives = (*source.decorator_directives(module, kernel), *directives)
    written = (kernel.directives, kernel.nearly, *(n.directives for n in kernel.nests))
    if not directives and not any(written):
        return ()
    from looptx.lower.types import lasting
    from looptx.plan import plan_kernel

    return plan_kernel(kernel, tuple(directives), lasting(kernel), checks=checks)


def _cython(parts: Sequence[tuple[Kernel, Sequence[Planned]]]) -> str:
    """An extension module with a function for every planned nest.

    What no annotation gives a type is a float64, or an integer where it is used as one.
    """
    from looptx.emit.cython import module_text
    from looptx.lower.types import annotated
    from looptx.native.faithful import nest_text
    from looptx.native.signature import live_types

    functions = []
    for kernel, planned in parts:
        known = annotated(kernel)
        for each in planned:
            nest = each.nest
            kinds = live_types(kernel, nest, known, "float64")
            types = dict(zip(nest.live_in, kinds, strict=True))
            name = f"{kernel.qualname}_{nest.name}".replace(".<locals>", "")
            # Dots of a qualified name, and the `+` of fused nests.
            functions.append(nest_text(each, types, re.sub(r"\W", "_", name)))
    return module_text(functions)
