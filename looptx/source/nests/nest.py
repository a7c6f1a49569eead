"""A whole nest: its loops with comments, what is live, its name and directives."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

from looptx.model.expr import variables
from looptx.model.naming import is_flat
from looptx.model.nests.entry import Entry
from looptx.model.nests.escapes import Escapes
from looptx.model.nests.kept import KeptLoop
from looptx.model.program import Directive, Hosting, Nest, NestText
from looptx.model.records import replace
from looptx.model.shapes import axis_of
from looptx.model.storage import Allocation
from looptx.source.ast_tools import walked
from looptx.source.flow.bound import (
    bound_in_order,
    left,
    outlives,
    rescued,
    surely_bound,
)
from looptx.source.flow.held import Held, held
from looptx.source.flow.memory import Memory
from looptx.source.flow.reaching import Reaching
from looptx.source.kinds.integers import Kinds
from looptx.source.liveness import binds, exposed
from looptx.source.names.enclosing import owner
from looptx.source.names.imports import arguments
from looptx.source.names.meanings import meanings
from looptx.source.names.scope import Scope
from looptx.source.nests import roots
from looptx.source.nests.allocations import allocated, allocations
from looptx.source.nests.array_swap import check_exchanged, exchanges, renamed, signs
from looptx.source.nests.builder import Builder
from looptx.source.nests.checks.names import (
    check_aliases,
    check_axes,
    check_scalars,
)
from looptx.source.nests.context import Context, names_of
from looptx.source.nests.ends import KeptWhole, ending, stopped
from looptx.source.nests.private import names_apart
from looptx.source.nests.sizes.extents import spelled
from looptx.source.nests.sizes.facts import Facts
from looptx.source.nests.sizes.made import arrays_made, with_alike, with_given
from looptx.source.nests.sizes.python_integers import python_integers, ranged
from looptx.source.nests.statements.effects import objects
from looptx.source.nests.uses import seen
from looptx.source.spelling.edits import reached
from looptx.source.spelling.lists import noted as lists
from looptx.source.spelling.lists.noted import counts, given
from looptx.source.spelling.tuples import members
from looptx.source.spelling.tuples.parts import joined, noted
from looptx.source.spelling.whole.turns import values
from looptx.source.spelling.whole.turns.handed import copies, last
from looptx.source.spelling.whole.turns.webs import originals
from looptx.source.text import comments, directives
from looptx.source.text.parse import Parsed, end_line

Root: TypeAlias = ast.For | ast.While | ast.If
"""A loop, or an ``if`` that represents several."""


def read_nest(
    parsed: Parsed,
    found: roots.Root,
    number: int,
    placed: directives.Placed,
    kinds: Kinds,
    memory: Memory,
) -> Nest:
    """Read the nest of an outermost loop, or several nests as one.

    Args:
        parsed: the module. found: the loop. number: which nest of its function it is.
        placed: the directives of the module.
        kinds: what names of the function are. memory: what its arrays share.

    Raises:
        LooptxError: LX301, LX302, LX305 for what it contains.
    """
    scope, root, whole = kinds.scope, found.loop, found.whole
    canonical = Facts.before(kinds, root)
    texts = with_alike(root, canonical.canonical())
    context, builder, kept = _built(parsed, found, kinds, texts)
    made, parts = arrays_made(root, context, texts)
    results = whole.results if whole else ()
    turns, pair = signs(context.pairs), context.exchanged
    lengths = counts(scope.function, context.arrays)
    behind = (x for x in left(root, scope) if x not in {*pair, *lengths})
    live_out = *behind, *results, *turns, *lengths
    check_axes(root, context)
    check_scalars(root, context, scope)
    initial = _initial(root, scope, context, live_out)
    live_in = dict.fromkeys((*context.live_in, *initial, *turns))
    own = [array for array in context.arrays if array not in pair]
    scalars = (n for n in bound_in_order(root) if n in context.scalars)
    local, unsuited, filled = allocations(parsed, kinds, root, own, texts)
    nest = Nest(
        name=f"n{number}",
        body=builder.body,
        loops=builder.loops,
        statements=builder.statements,
        arrays=tuple(context.arrays),
        scalars=(*scalars, *results, *turns, *context.apart.values()),
        parameters=tuple(context.parameters),
        live_in=tuple(live_in),
        live_out=live_out,
        aliases=memory.aliases(_touched(context)),
        place=parsed.place(root),
        text=_text(parsed, found, placed, kept.values(), spelled(scope)),
        allocations={
            array: replace(made, equal=canonical.equal({*live_in, *made.reads}))
            for array, made in local.items()
        },
        names=meanings(root, kinds.scope),
        escapes=_escapes(root, context, unsuited),
    )
    check_aliases(nest, root, context)
    entry = _entry(nest, root, context, canonical)
    host = replace(_hosting(nest, found, context, parts), filled=filled)
    return replace(nest, entry=entry, host=with_given(host, root, made, context))


def _touched(context: Context) -> Iterator[str]:
    """The arrays of which a nest has elements, and those whose views have these.

    Args:
        context: its names.
    """
    yield from context.arrays
    if any(map(is_flat, context.arrays)):
        found = map(axis_of, context.parameters)
        yield from (one[0] for one in found if one is not None)


def _escapes(root: Root, context: Context, unsuited: Mapping[str, str]) -> Escapes:
    """What others see of a nest.

    Args:
        root: its loop. context: its names.
        unsuited: why arrays may not be temporaries.
    """
    scope = context.kinds.scope
    known = dict.fromkeys(context.exchanged, "it is exchanged with another one")
    return Escapes(
        seen=seen(scope, root, context.arrays),
        unsuited=known | dict(unsuited),
        caught=outlives(root, scope),
        rescued=rescued(root, scope),
        shown=lists.shown(scope.function, context.arrays),
    )


def _text(
    parsed: Parsed,
    found: roots.Root,
    placed: directives.Placed,
    kept: Iterable[KeptLoop],
    sizes: Mapping[str, str],
) -> NestText:
    """Where a nest is in its file.

    Args:
        parsed, found, placed: as of ``read_nest``.
        kept: the loops that are no loops of it. sizes: how they are written.
    """
    root = found.loop
    first, last = _lines(parsed, root, found.lowest, placed)
    return NestText(
        first,
        last,
        indent=parsed.line(root.lineno)[: parsed.start(root)[1]],
        directives=_directives(parsed, root, placed),
        kept=tuple(sorted(kept, key=lambda loop: loop.place.line)),
        spelled=sizes,
        reached=reached(root),
    )


def _entry(nest: Nest, root: Root, context: Context, canonical: Facts) -> Entry:
    """What holds where a nest starts.

    Args:
        nest: without it. root: its loop. context: the names it binds.
        canonical: what is known of sizes there.
    """
    kinds, live_in = context.kinds, nest.live_in
    sizes = _sizes(context, nest.allocations)
    used = context.loop_vars.union(live_in, *map(names_of, sizes))
    given = held(kinds, root, used)
    integers = python_integers(kinds, given, sizes, context.parsed.tree)
    flow = Reaching(kinds.scope, context.parsed.tree)
    reaching = flow.at(root, {*live_in, *nest.arrays}, context.unset)
    return Entry(
        equal=with_alike(root, canonical.equal(live_in)),
        known=canonical.known(nest.parameters),
        starts=_starts(live_in, given),
        python=integers - context.scalars,
        given=_given(root, context, live_in),
        definitions=tuple(flow.definitions),
        reaching=reaching,
        ranged=ranged(kinds),
        spare=_spare(kinds, used),
        untyped=tuple(context.untyped),
    )


def _hosting(
    nest: Nest, found: roots.Root, context: Context, made: Mapping[str, str]
) -> Hosting:
    """How the function runs a nest.

    Args:
        nest: without it. found: its loop. context: the names it binds.
        made: Python that makes arrays for it.
    """
    function, pairs = context.kinds.scope.function, context.pairs
    parts = noted(function)
    return Hosting(
        parts={
            **originals(function),
            **made,
            **parts,
            **members.given(function),
            **signs(pairs),
            **copies(function, found.loop),
            **given(function),
        },
        then=(
            *joined(parts, nest.live_out),
            *members.restored(function, nest.live_out),
            *renamed(pairs),
            *last(function, nest.live_out),
            *values.restored(function, nest.live_out),
            *lists.filled(function, nest.arrays, nest.live_out),
        ),
        assigned=members.assigned(function),
        owner=owner(context.parsed.tree, function),
        returns=found.whole.texts if found.whole else (),
        collected={
            one.count: one.name
            for one in lists.listed(function).values()
            if one.collected and one.count in nest.live_in
        },
    )


def _built(
    parsed: Parsed, found: roots.Root, kinds: Kinds, canonical: Mapping[str, str]
) -> tuple[Context, Builder, dict[ast.AST, KeptLoop]]:
    """The loops and statements of a nest, and the loops that are no loops of it.

    Args:
        parsed, found, kinds: as of ``read_nest``.
        canonical: parameter texts and what to write for them.
    """
    root, whole = found.loop, found.whole
    kept = ending(root, parsed)
    if whole is not None:
        kept |= stopped(root, parsed)
    while True:
        context = _context(parsed, root, kinds, kept)
        code: tuple[ast.stmt, ...] = ()
        if whole is not None:
            code = whole.code
            context.scalars |= {*whole.results}
        check_exchanged(root, context)
        try:
            return context, Builder(context, root, canonical, kept, code), kept
        except KeptWhole as more:
            kept = {**more.loops, **kept}


def _lines(
    parsed: Parsed, root: Root, lowest: int, placed: directives.Placed
) -> tuple[int, int]:
    """The first and the last line of a nest, its own comments included."""
    header = root.lineno
    marked = min(placed.lines.get(node, header) for node in walked(root))
    first = comments.start_line(parsed, header, lowest, min(header, marked))
    return first, comments.end_line(parsed, end_line(root), parsed.depth(header))


def _spare(kinds: Kinds, used: Collection[str]) -> frozenset[str]:
    """The arguments that keep their values and are said to be integers, if not used."""
    scope = kinds.scope
    given = {one.arg for one in arguments(scope.function)} - scope.shared
    known = {name: scope.bindings.get(name, []) for name in given.difference(used)}
    return frozenset(
        name
        for name, bindings in known.items()
        if [(one.kind, one.annotation) for one in bindings] == [("arg", "int")]
    )


def _starts(
    live_in: Iterable[str], given: Mapping[str, Held]
) -> dict[str, frozenset[str]]:
    """The names that are integers before the nest, with the arrays this depends on."""
    found = {name: given[name].arrays for name in live_in}
    return {name: arrays for name, arrays in found.items() if arrays is not None}


def _given(
    root: Root, context: Context, live_in: Iterable[str]
) -> dict[str, tuple[ast.expr, ...]]:
    """All that scalars of a nest are assigned outside, if nothing else binds them."""
    scope, own = context.kinds.scope, {*walked(root)}
    found: dict[str, tuple[ast.expr, ...]] = {}
    for name in context.scalars.intersection(live_in) - scope.shared:
        bindings = scope.bindings.get(name, ())
        plain = all(one.kind == "value" for one in bindings)
        values = (one.value for one in bindings if one.value is not None)
        outside = tuple(x for x in values if own.isdisjoint(walked(x)))
        if plain and outside:
            found[name] = outside
    return found


def _sizes(context: Context, local: Mapping[str, Allocation]) -> frozenset[str]:
    """The texts of the sizes that loops over a nest and its temporaries may need."""
    shapes = (variables(size) for made in local.values() for size in made.shape)
    return frozenset(context.parameters).union(*shapes)


def _context(
    parsed: Parsed, root: Root, kinds: Kinds, opaque: Collection[ast.AST]
) -> Context:
    """The names a nest binds: variables of its loops, and scalars."""
    counters = [
        node.target
        for node in walked(root)
        if isinstance(node, ast.For) and node not in opaque
    ]
    targets = set(counters)
    loop_vars = frozenset(node.id for node in counters if isinstance(node, ast.Name))
    scalars = frozenset(
        node.id
        for node in walked(root)
        if isinstance(node, ast.Name)
        and not isinstance(node.ctx, ast.Load)
        and node not in targets
    )
    scope = kinds.scope
    pairs = exchanges(root, scope)
    scalars -= {name for pair in pairs for name in pair}
    scalars |= signs(pairs).keys()
    unset = binds(scope.function.body) - surely_bound(root, scope) - scope.shared
    unset -= scalars | loop_vars
    both = scalars & loop_vars
    if scope.wild:
        both = frozenset()
    both -= scope.shared.union(rescued(root, scope))
    return Context(
        parsed,
        kinds,
        scalars - both,
        loop_vars,
        allocated(kinds),
        objects(kinds, root),
        unset,
        apart=names_apart(both, scope.identifiers),
        pairs=pairs,
    )


def _initial(
    root: Root, scope: Scope, context: Context, live_out: tuple[str, ...]
) -> list[str]:
    """Scalars of the nest whose value from before matters."""
    read = exposed(root, scope.surely_runs)
    known = surely_bound(root, scope) | scope.shared
    return [
        name
        for name in bound_in_order(root)
        if name in context.scalars
        and name in known
        and (name in read or name in live_out)
    ]


def _directives(
    parsed: Parsed, root: Root, placed: directives.Placed
) -> tuple[Directive, ...]:
    """The directives on the loops and statements of a nest, in source order."""
    inside = [node for node in walked(root) if isinstance(node, ast.stmt)]
    return tuple(
        replace(directive, loop=parsed.place(node))
        for node in sorted(inside, key=lambda node: node.lineno)
        for directive in placed.of(node)
    )
