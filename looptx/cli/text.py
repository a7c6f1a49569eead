"""The whole way of a module: from its text to its rewritten text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from looptx.cli.output import internal
from looptx.errors import LooptxError, Malformed, Place
from looptx.model.marks import may_address
from looptx.model.records import dataclass
from looptx.parsers.deep import deeply

if TYPE_CHECKING:
    from looptx.looptree.planned import Planned
    from looptx.model.program import Directive, Kernel
    from looptx.source import Module
    from looptx.validation import Validation

    Parts: TypeAlias = Sequence[tuple[Kernel, tuple[Planned, ...]]]

Schedules = Mapping[str, Sequence["Directive"]]
"""Directives from outside the source, by the qualified name of their function."""

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

    Returns:
        The new text, or the old one and all errors.
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
        with _told(errors, kernel.place):
            planned = plan(module, kernel, given, checks=to == "cython")
            if planned:
                parts.append((kernel, planned))
    new = text
    validated: list[Validation] = []
    if parts and not errors:
        write = _cython if to == "cython" else partial(rewriting.rewritten, module)
        new = _written(write, parts, errors) or text
        if validate and not errors:
            validated, errors = _validated(module, parts, new, strict)
            new = text if errors else new
    errors.sort(key=lambda error: error.place.line if error.place else 0)
    applied = tuple(
        k.qualname for k in module.kernels if any(n.text.applied for n in k.nests)
    )
    changed = new != text
    notes = _notes(module, parts) if changed and to == "python" else ()
    validations = tuple(validated)
    return Result(new, tuple(errors), changed, functions, validations, applied, notes)


@contextmanager
def _told(errors: list[LooptxError], place: Place) -> Iterator[None]:
    """Collect what is raised meanwhile as an error, at this place if it has none."""
    try:
        yield
    except LooptxError as error:
        errors += error.at(place).together
    except (RecursionError, MemoryError):
        errors.append(_too_deep(place))
    except Exception as error:
        errors.append(internal(error).at(place))


def _written(
    write: Callable[[Parts], str], parts: Parts, errors: list[LooptxError]
) -> str:
    """The generated text of all functions, empty when that fails, and the errors."""
    try:
        return deeply(lambda: write(parts))
    except LooptxError as error:
        errors += error.together
    except Exception:
        # Which function it is about is seen when each is written alone.
        for part in parts:
            with _told(errors, part[0].place):
                deeply(partial(write, [part]))
        if not errors:
            raise
    return ""


def _notes(module: Module, parts: Parts) -> tuple[str, ...]:
    """What is to be known of the decorators of functions that are rewritten.

    Some stay, and would meet loops that are transformed already; of those that go,
    some ask for what only native code can do.

    Raises:
        LooptxError: LX102.
    """
    from looptx import source
    from looptx.native.ahead import levels

    stay = [
        f"kernel {kernel.qualname}: `@{name}` may be looptx's and stays; take it away, "
        "or the rewritten loops run as plain Python (LX111)"
        for kernel, _ in parts
        for name in source.doubtful(module, kernel)
    ]
    lost = [one for kernel, _ in parts for one in levels.lost(module, kernel)]
    return *stay, *(f"{one.concise()}; {one.hint}" for one in lost)


def _validated(
    module: Module,
    parts: Parts,
    new: str,
    strict: bool,
) -> tuple[list[Validation], list[LooptxError]]:
    """The validation of each function, and the errors of the others."""
    from looptx.lower.types import annotated
    from looptx.validation import Subject, validate

    validated: list[Validation] = []
    errors: list[LooptxError] = []
    for kernel, planned in parts:
        with _told(errors, kernel.place):
            subject = Subject(module, kernel, planned, new, annotated(kernel))
            validated.append(deeply(partial(validate, subject, strict=strict)))
    return validated, errors


def plan(
    module: Module,
    kernel: Kernel,
    directives: Sequence[Directive] = (),
    *,
    checks: bool = True,
) -> tuple[Planned, ...]:
    """Plan the annotated nests of a function with all directives that are known of it.

    Args:
        module: the module of the function.
        kernel: the function.
        directives: from outside the source.
        checks: as for ``plan_kernel``.

    Raises:
        LooptxError: the first thing that is wrong.
    """
    if kernel.decorated:
        from looptx import source

        directives = (*source.decorator_directives(module, kernel), *directives)
    written = (
        kernel.directives,
        kernel.nearly,
        *(n.text.directives for n in kernel.nests),
    )
    if not directives and not any(written):
        return ()
    from looptx.lower.types import lasting
    from looptx.plan import plan_kernel

    given = kernel, tuple(directives), lasting(kernel)
    return deeply(lambda: plan_kernel(*given, checks=checks))


def _cython(parts: Parts) -> str:
    """An extension module with a function for every planned nest.

    What no annotation gives a type is a float64, or an integer where it is used as one.
    """
    from looptx.emit.cython import module_text
    from looptx.lower.types import annotated
    from looptx.native.analysis.exception_order import nest_code
    from looptx.native.analysis.signature import live_types

    functions = []
    for kernel, planned in parts:
        known = annotated(kernel)
        for each in planned:
            nest = each.nest
            kinds = live_types(kernel, nest, known, "float64")
            types = dict(zip(nest.given, kinds, strict=True))
            name = f"{kernel.qualname}_{nest.name}".replace(".<locals>", "")
            # Dots of a qualified name, and the `+` of fused nests.
            code = nest_code(each, types, re.sub(r"\W", "_", name))
            functions.append(code.section)
    return module_text(functions)
