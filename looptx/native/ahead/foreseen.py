"""What of a module would run natively, told without running it.

The types of parameters are those of their annotations. For others the call decides, and
floats and integers are tried in turn; what a function does with a parameter tells
arrays from numbers, and positions from other numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from looptx.errors import LooptxError, Place, Unsupported
from looptx.model.naming import told
from looptx.model.records import dataclass
from looptx.model.types import Type
from looptx.native.ahead.assigned import with_assigned
from looptx.native.ahead.listed import holding, lists, numbers
from looptx.native.ahead.readings import Readings
from looptx.native.ahead.uses import unstated
from looptx.native.analysis.function import (
    ENTRY,
    NOT_NATIVE,
    Analysis,
    tops,
    transformed,
)
from looptx.native.analysis.function_text import FunctionText
from looptx.native.analysis.signature import live_types
from looptx.parsers.deep import deeply
from looptx.parsers.unwarned import parsed

if TYPE_CHECKING:
    from looptx.directives.base import Verb
    from looptx.model.callees.callee import Callee
    from looptx.model.program import Directive, Kernel, Nest
    from looptx.source import Module

_GUESSES = (
    ("float64", "float64"),
    ("float64", "int64"),
    ("int64", "int64"),
    ("int64", "float64"),
)
"""What arrays and numbers are taken to be, in turn."""

_OTHERS = {
    **dict.fromkeys(("list", "tuple"), "`np.array(...)`"),
    **dict.fromkeys(("str", "bytes"), "`np.frombuffer(..., np.uint8)`"),
}
"""Annotations of what native code does not take, with what makes arrays of it."""

NATIVE, ORDERED, PYTHON, REFUSED = "native", "in order", "python", "refused"


@dataclass(frozen=True, slots=True)
class Loops:
    """A nest, or a loop that is none.

    Attributes:
        function: the qualified name of its function.
        nest: its own; "" for what is none.
        place: of the first ``for``.
        wanted: whether the function is decorated, or the nest has directives.
        types: of what it reads, by name.
        assumed: the names among these that the call decides.
        reason: why it does not run natively or as scheduled; None where it does.
    """

    function: str
    nest: str
    place: Place
    wanted: bool = False
    types: Mapping[str, str] | None = None
    assumed: tuple[str, ...] = ()
    reason: LooptxError | None = None

    @property
    def runs(self) -> str:
        """``NATIVE``; ``ORDERED`` natively, but not as scheduled; ``PYTHON``; or
        ``REFUSED`` where a call raises."""
        if self.reason is None:
            return NATIVE
        if self.reason.code == "LX505":
            return ORDERED
        left = not self.nest or self.reason.code in (*NOT_NATIVE, "LX111")
        return PYTHON if left else REFUSED


def foreseen(
    text: str, filename: str, directives: Mapping[str, Sequence[Directive]]
) -> Iterator[Loops]:
    """All loops of a module, in source order, and then what is wrong with the others.

    Args:
        text: the module's source.
        filename: its path.
        directives: from outside the file, by qualified name.

    Raises:
        LooptxError: the file cannot be read, or a comment stands at a wrong place.
    """
    text = _expected(text, filename)
    callees = _callees(text, filename)
    outside = directives.keys()
    found = Readings.of(text, filename, outside, callees, lenient=True)
    loops: list[Loops] = []
    for module in found.modules:
        own = FunctionText(module.text, filename)
        analysis = Analysis(own, (), {}, callees, module=module)
        for kernel in module.kernels:
            if found.of_function(kernel.qualname) is module:
                given = directives.get(kernel.qualname, ())
                loops += _of(kernel, analysis, given)
        loops += (x for x in _left(module) if found.of_function(x.function) is module)
    wrong = found.whole.wrong
    lines = {one.place.line for one in wrong.found if one.place}
    left = (one for one in loops if one.nest or one.place.line not in lines)
    yield from sorted(left, key=lambda one: (one.place.line, one.place.column))
    wrong.fail()


def _expected(text: str, filename: str) -> str:
    """A module as it would be if its functions were kernels of looptx."""
    from looptx.native.ahead.files import expected

    try:
        return deeply(lambda: expected(text, parsed(text), Path(filename)))
    except (SyntaxError, ValueError, RecursionError):
        return text


def _callees(text: str, filename: str) -> dict[str, Callee]:
    """The functions of other files that a module calls, and the methods of its own.

    Nothing is to override these, or to replace what is imported.
    """
    from looptx.native.ahead.files import imported
    from looptx.source.callees.methods import methods

    def found() -> dict[str, Callee]:
        tree = parsed(text)
        return {**imported(tree, filename), **methods(tree, filename)}

    try:
        return deeply(found)
    except (SyntaxError, ValueError, RecursionError):
        return {}


def _of(
    kernel: Kernel, analysis: Analysis, outside: Sequence[Directive]
) -> Iterator[Loops]:
    """The nests of one function.

    Args:
        kernel: the function.
        analysis: of its module.
        outside: its directives from outside the file.
    """
    from looptx.attach import assign
    from looptx.source import decorator_directives

    try:
        own = decorator_directives(analysis.module, kernel) if kernel.decorated else ()
        nests = assign(kernel, (*own, *outside))
    except LooptxError as error:
        name = kernel.nests[0].name if kernel.nests else ""
        yield Loops(kernel.qualname, name, kernel.place, True, reason=error)
        return
    for nest, verbs in nests:
        if not nest.text.applied or verbs:
            analysis.take(kernel, nest, verbs)
            yield _nest(kernel, nest, verbs, analysis)
        else:
            why = transformed(nest)
            place, wanted = nest.first.place, kernel.decorated
            yield Loops(kernel.qualname, nest.name, place, wanted, reason=why)


def _nest(
    kernel: Kernel, nest: Nest, verbs: Sequence[Verb], analysis: Analysis
) -> Loops:
    """What becomes of one nest.

    Args:
        kernel: the function. nest: of it. verbs: what schedules the nest.
        analysis: of the nest.
    """
    from looptx.lower.types import from_annotation

    stated = dict(kernel.parameters)
    wanted, place = kernel.decorated or bool(verbs), nest.first.place
    held = holding(analysis.module, kernel, nest, verbs)
    listed = lists(kernel, held)
    if reason := _other(nest, {x: y for x, y in stated.items() if x not in listed}):
        return Loops(kernel.qualname, nest.name, place, wanted, reason=reason)
    known: dict[str, Type] = {
        x: y for x, text in stated.items() if text and (y := from_annotation(text))
    }
    known |= listed
    vague = stated.keys() - known.keys() | {x for x in listed if not numbers(stated[x])}
    assumed = tuple(name for name in nest.given if name in vague)
    of = analysis.module, kernel, nest, known, analysis.callees
    uses, unknown = unstated(*of)
    tried: list[tuple[dict[str, str], LooptxError | None]] = []
    undecided = unknown.intersection(nest.given)
    for guess in _GUESSES if undecided else _GUESSES[:1]:
        live: dict[str, Type] = {}
        try:
            guessed = uses.guessed(unknown, *guess)
            given = {**guessed, **known}
            live = _types(analysis.module, kernel, nest, given, held)
            code = analysis.entry(0, live, ENTRY)
            reason = _ordered(code.notes.in_order(), nest)
        except LooptxError as error:
            reason = _with_line(error, analysis.module)
        tried.append(({name: str(kind) for name, kind in live.items()}, reason))
        if reason is None:
            break
    types, reason = tried[0] if tried[-1][1] else tried[-1]
    if reason is not None and len({str(one) for _, one in tried}) == 1 < len(tried):
        # It is none whatever the call gives.
        types, assumed = {}, ()
    return Loops(kernel.qualname, nest.name, place, wanted, types, assumed, reason)


def _other(nest: Nest, stated: Mapping[str, str]) -> LooptxError | None:
    """Why a nest is none, where an annotation says that native code takes no such.

    Args:
        nest: it. stated: the annotations of parameters.
    """
    for name in nest.given:
        kind = stated.get(name, "").partition("[")[0]
        if kind in _OTHERS:
            what = f"not compiled natively: `{name}` is a value of type {kind}"
            hint = f"give an array in its place: {_OTHERS[kind]}"
            return Unsupported("LX504", what, nest.first.place, hint=hint)
    return None


def _with_line(error: LooptxError, module: Module) -> LooptxError:
    """The error in the words of the source, with its line of the file."""
    error.message = told(error.message)
    if error.place and error.place.file == module.filename and not error.source:
        error.source = module.parsed.line(error.place.line)
    return error


def _ordered(text: str, nest: Nest) -> LooptxError | None:
    """LX505, where a schedule is not carried out."""
    if not text:
        return None
    hint = "without directives it runs natively in this order, without a warning"
    return LooptxError("LX505", text, nest.first.place, hint=hint)


def _types(
    module: Module,
    kernel: Kernel,
    nest: Nest,
    known: Mapping[str, Type],
    held: Mapping[str, int],
) -> dict[str, Type]:
    """The types of what a nest reads, those of parameters known.

    Args:
        module: the file. kernel: the function. nest: of it.
        known: the types of its parameters.
        held: as of ``holding``.

    Raises:
        LooptxError: LX503.
    """
    stated = with_assigned(module, kernel, nest, known, held)
    types = live_types(kernel, nest, stated, "float64")
    return dict(zip(nest.given, types, strict=True))


def _left(module: Module) -> Iterator[Loops]:
    """The loops that are no nests: what cannot be read, and what holds none."""
    from looptx import source
    from looptx.source.text.functions import functions

    decorated = {kernel.qualname for kernel in module.kernels if kernel.decorated}
    known = {loop.place.line for kernel in module.kernels for loop in tops(kernel)}
    for name, errors in module.left_out.items():
        for error in errors:
            place = error.place or Place(module.filename, 1)
            known.add(place.line)
            yield Loops(name, "", place, name in decorated, reason=error)
    found = list(functions(module.parsed.tree, "", {}, {}))
    for error in source.beside(module.parsed, known):
        place = error.place or Place(module.filename, 1)
        names = [
            one.qualname
            for one in found
            if one.node.lineno <= place.line <= (one.node.end_lineno or place.line)
        ]
        if names:
            yield Loops(names[-1], "", place, names[-1] in decorated, reason=error)
