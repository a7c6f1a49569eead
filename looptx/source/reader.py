"""A module's text to kernels: every function with loop nests that looptx can read."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping, Sequence

from looptx.errors import LooptxError, Together
from looptx.model.callees.callee import Callee
from looptx.model.program import Kernel
from looptx.model.records import dataclass, field, replace
from looptx.parsers.deep import deeply
from looptx.source.ast_tools import depth
from looptx.source.callees.module import Functions
from looptx.source.callees.reading import HINT
from looptx.source.flow.flows import Flows
from looptx.source.flow.guarded import with_guarded
from looptx.source.kernels import FunctionReader, Result, too_deep
from looptx.source.names import locality
from looptx.source.names.imports import scope_imports
from looptx.source.names.scope import Function, Known
from looptx.source.spelling import respelled
from looptx.source.spelling.assigned import with_assigned
from looptx.source.spelling.called.calls import Called, with_called
from looptx.source.spelling.called.results import with_read
from looptx.source.spelling.called.settled import with_settled
from looptx.source.spelling.called.told import Told, with_told
from looptx.source.spelling.drawing.several import with_several
from looptx.source.spelling.drawing.single import (
    MEANINGS,
    drawing_callees,
    with_draws,
)
from looptx.source.spelling.indexing import with_indexing
from looptx.source.spelling.lists.generated import SUM_MEANINGS, with_generated
from looptx.source.spelling.lists.grown.anew import with_rows_anew
from looptx.source.spelling.lists.grown.comprehended import with_comprehended
from looptx.source.spelling.lists.grown.stepped import with_stepped
from looptx.source.spelling.lists.grown.transposed import with_transposed
from looptx.source.spelling.lists.positions import with_positions
from looptx.source.spelling.lists.rounds import with_rounds
from looptx.source.spelling.masked import with_masked
from looptx.source.spelling.numbers import with_numbers
from looptx.source.spelling.truths import with_truths
from looptx.source.spelling.whole.bounded import with_bounded
from looptx.source.spelling.whole.differences import with_differences
from looptx.source.spelling.whole.making import with_made
from looptx.source.spelling.whole.results import with_results
from looptx.source.spelling.whole.sized import with_sized
from looptx.source.spelling.whole.slices import with_slices
from looptx.source.spelling.whole.through import with_names
from looptx.source.spelling.whole.turns.begun import with_begun
from looptx.source.spelling.whole.turns.handed import with_handed
from looptx.source.spelling.whole.turns.renewed import with_renewed
from looptx.source.spelling.whole.turns.values import with_values
from looptx.source.spelling.whole.turns.webs import with_webs
from looptx.source.spelling.whole.views import with_slices_backwards, with_views
from looptx.source.text import directives
from looptx.source.text.functions import Found, functions, is_wanted
from looptx.source.text.parse import Parsed

DEEP, MOST_LEVELS = 1_000, 2_500
"""Levels of a function that are read on a deeper stack if this one does not do, and
that are read at all: what asks at each about all below takes ever longer."""


@dataclass(frozen=True)
class Module:
    """A module as it was read.

    Attributes:
        text: the source, exactly. filename: what errors call it.
        kernels: the functions with nests or directives, in source order.
        left_out: ``{qualname: why its nests that cannot be read are none}``.
        wrong: what is wrong with directives' places and with functions that have some.
    """

    text: str
    filename: str
    kernels: tuple[Kernel, ...]
    left_out: Mapping[str, tuple[LooptxError, ...]] = field(repr=False, compare=False)
    wrong: Together = field(repr=False, compare=False)
    parsed: Parsed = field(repr=False, compare=False)

    def definition(self, kernel: Kernel, *, whole: bool = False) -> Function:
        """The syntax tree of a kernel's function.

        Args:
            kernel: it. whole: with statements on arrays as they are written.
        """
        tree = self.parsed.whole if whole else self.parsed.tree
        for found in locality.functions(tree):
            if self.parsed.first_line(found) == kernel.first_line:
                return found
        raise KeyError(kernel.qualname)


def read(
    text: str,
    filename: str,
    imports: Mapping[str, str] | None = None,
    callees: Mapping[str, Callee] | None = None,
    axes: Mapping[str, int] | None = None,
    *,
    told: Told | None = None,
    plain: bool = False,
) -> Module:
    """Read a module, or the text of one function, without running anything.

    Args:
        text: the source; newlines may be of any kind.
        filename: what places call it.
        imports: what names mean, besides what the text's own imports say.
        callees: the functions of the user outside of the text, by their full names.
        axes: how many arguments have, where the text does not say so.
        told: what the arguments are of the function that it is of.
        plain: whether any loop may be a nest, if there are no directives in the text.

    Raises:
        LooptxError: LX303 and LX304 for the text; LX107 and LX305 for comments that
            stand on no nest; LX301, LX302 and LX305 for what annotated nests contain:
            the first of these, the others in ``also``.
    """
    module = survey(text, filename, imports, callees, axes, told=told, plain=plain)
    module.wrong.fail()
    return module


def survey(
    text: str,
    filename: str,
    imports: Mapping[str, str] | None = None,
    callees: Mapping[str, Callee] | None = None,
    axes: Mapping[str, int] | None = None,
    *,
    told: Told | None = None,
    plain: bool = False,
) -> Module:
    """Read as ``read`` does, and keep what is wrong with directives and functions.

    Args:
        text, filename, imports, callees, axes, told, plain: as for ``read``.

    Returns:
        The module, with its errors in ``wrong`` and ``left_out``.

    Raises:
        LooptxError: LX303 and LX304, for the text.
    """
    parsed = Parsed(text, filename)
    if told and plain and not directives.any_in(parsed):
        parsed.tree = with_told(parsed.tree, told)
    try:
        given = imports or {}, callees or {}, axes or {}
        return deeply(lambda: _survey(parsed, *given, plain))
    except RecursionError:
        start = parsed.place(parsed.tree.body[0])
        raise too_deep("source", start) from None


def _survey(
    parsed: Parsed,
    imports: Mapping[str, str],
    callees: Mapping[str, Callee],
    axes: Mapping[str, int],
    plain: bool,
) -> Module:
    """As ``survey``.

    Args:
        parsed: the text. imports, callees, axes, plain: as of that.
    """
    plain = plain and not directives.any_in(parsed)
    known: Mapping[str, str] = {**scope_imports(parsed.tree, {}), **imports}
    if plain:
        parsed.tree = with_transposed(parsed.tree, known)
        parsed.tree = with_comprehended(parsed.tree, known)
        parsed.tree = with_stepped(parsed.tree, known)
        parsed.tree = with_rows_anew(with_positions(parsed.tree, known), known)
        parsed.tree = with_generated(parsed.tree, known, axes)
        known = {**known, **SUM_MEANINGS}
        parsed.tree = with_rounds(parsed.tree, known, axes.keys())
        parsed.tree = with_names(with_values(parsed.tree, known, axes), known)
        known, callees = _draw(parsed, parsed, known, callees)
    parsed.whole = tree = respelled(parsed.tree, known, axes.keys(), plain=plain)
    if plain:
        called = _called(parsed, known, callees, axes)
        known, callees = {**known, **called.names}, {**callees, **called.callees}
        parsed.ranks = called.ranks
        if called.tree is not parsed.tree:
            called.tree = with_positions(called.tree, known)
            known, callees = _draw(called, parsed, known, callees)
            tree = respelled(called.tree, known, axes.keys(), plain=plain)
        own = Functions(parsed.tree, parsed.filename, known, callees)
        seen = functools.partial(_seen, own, callees)
        tree = with_read(tree, {**own.imports, **known}, axes, seen)
        tree = _with_arrays(tree, known, axes)
    parsed.tree = with_slices(tree, known, axes, plain=plain)
    own = Functions(parsed.tree, parsed.filename, known, callees)
    names = {**known, **{x: y for x, y in own.imports.items() if x not in imports}}
    placed = directives.place(parsed)
    kernels: list[Kernel] = []
    left_out: dict[str, tuple[LooptxError, ...]] = {}
    flows = functools.cache(lambda: Flows(parsed.tree, known))

    for found in functions(parsed.tree, "", names, names):
        callee = _seen(own, callees, found.qualname)
        if not plain:
            callee = _undrawn(callee)
        with placed.wrong:
            kernel, errors = _read(parsed, found, placed, flows, callee, plain)
            if kernel is not None:
                kernels.append(kernel)
            if errors:
                left_out[found.qualname] = tuple(errors)
    ordered = tuple(sorted(kernels, key=lambda kernel: kernel.first_line))
    text, filename = parsed.text, parsed.filename
    return Module(text, filename, ordered, left_out, placed.wrong, parsed)


def _with_arrays(
    tree: ast.Module, known: Mapping[str, str], axes: Mapping[str, int]
) -> ast.Module:
    """A tree with what loops do to arrays as a whole in the spelling of the model.

    Args:
        tree: the module's. known: what its names mean. axes: as of ``survey``.
    """
    tree = with_truths(tree, known, axes)
    tree = with_webs(with_differences(tree, known, axes), known, axes)
    tree = with_indexing(tree, known, axes)
    tree = with_views(with_slices_backwards(tree, known), known)
    tree = with_bounded(tree, known, axes)
    tree = with_sized(with_masked(tree, known, axes), known, axes)
    tree = with_bounded(tree, known, axes)
    tree = with_numbers(with_assigned(tree, known, axes), known, axes)
    tree = with_handed(with_renewed(tree, known, axes), known, axes)
    tree = with_begun(tree, known, axes)
    tree = with_results(with_made(tree, known, axes), known, axes)
    return with_guarded(tree, known)


def _draw(
    read: Parsed | Called,
    parsed: Parsed,
    known: Mapping[str, str],
    callees: Mapping[str, Callee],
) -> tuple[Mapping[str, str], Mapping[str, Callee]]:
    """Spell what draws random numbers in loops.

    Args:
        read: has the tree, and gets the new one. parsed: the module.
        known: what its names mean. callees: as of ``survey``.

    Returns:
        The same, with what stands for NumPy's functions.
    """
    own = Functions(parsed.tree, parsed.filename, known, callees)
    seen = functools.partial(_seen, own, callees)
    names = {**own.imports, **known}
    drawn = with_draws(with_several(read.tree, names), names, seen)
    if drawn is read.tree:
        return known, callees
    read.tree = drawn
    return {**known, **MEANINGS}, {**callees, **drawing_callees()}


def _seen(own: Functions, known: Mapping[str, Callee], name: str) -> Known:
    """What finds the functions of the user that a function calls.

    Args:
        own: those of its module. known: the others. name: its qualified name.
    """
    return functools.partial(own.seen, known, name)


def _undrawn(known: Known) -> Known:
    """What finds functions where nests with directives call them: none that draws."""

    def found(full: str) -> Callee | None:
        callee = known(full)
        if callee is None or not callee.draws or callee.refused:
            return callee
        return replace(callee, refused="draws random numbers", hint=HINT)

    return found


def _called(
    parsed: Parsed,
    known: Mapping[str, str],
    callees: Mapping[str, Callee],
    axes: Mapping[str, int],
) -> Called:
    """A module in which functions with statements on arrays stand for their calls.

    Args:
        parsed: it. known: what its names mean. callees, axes: as of ``survey``.
    """
    own = Functions(parsed.tree, parsed.filename, known, callees)
    names = {**own.imports, **known}
    seen = functools.partial(_seen, own, callees)
    settled = with_settled(parsed.tree, names, axes, seen)
    callees = {**callees, **settled.callees}
    names |= settled.names
    seen = functools.partial(_seen, own, callees)
    called = with_called(settled.tree, names, axes, seen)
    called.names = {**settled.names, **called.names}
    called.callees = {**settled.callees, **called.callees}
    for name, ranks in settled.ranks.items():
        called.ranks[name] = {**ranks, **called.ranks.get(name, {})}
    return called


def _read(
    parsed: Parsed,
    found: Found,
    placed: directives.Placed,
    flows: Callable[[], Flows],
    callee: Callable[[str], Callee | None],
    plain: bool,
) -> tuple[Kernel | None, Sequence[LooptxError]]:
    """The kernel that a function is, if it is one, and why nests were left out.

    Args:
        parsed, found, placed, flows, callee, plain: as of ``FunctionReader``.
    """

    levels = depth(found.node)
    room = deeply if levels <= DEEP else _as_it_is

    def read() -> tuple[Kernel | None, Sequence[LooptxError]]:
        given = parsed, found, placed, flows, room, callee
        reader = FunctionReader(*given, plain=plain)
        return reader.kernel(), reader.errors

    try:
        if levels > MOST_LEVELS:
            raise RecursionError
        return room(read)
    except RecursionError:
        error = too_deep("function", parsed.place(found.node))
        if is_wanted(found, placed):
            raise error from None
        return None, [error]


def _as_it_is(function: Callable[[], Result]) -> Result:
    """What a function returns on the stack that there is."""
    return function()
