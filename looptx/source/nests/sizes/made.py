"""Arrays that a nest makes: their extents and elements by what it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from looptx.model.expr import Const, IntExpr, Var
from looptx.model.naming import RESULT
from looptx.model.nests.made import LONGEST, Made
from looptx.model.program import Hosting
from looptx.model.records import replace
from looptx.model.shapes import extent, is_extent, named, owner
from looptx.model.trees import dotted
from looptx.source.ast_tools import follows, walked
from looptx.source.liveness import binds
from looptx.source.nests.context import Context
from looptx.source.nests.sizes.affine import Affine
from looptx.source.spelling.edits import Filled, all_made, gives
from looptx.source.spelling.lists.noted import is_within, listed, shown, used

_UNKNOWN = (
    "an array whose size is not known where the nest begins",
    "make it before the nest",
)


_PART = (
    "a list that the loops around it make or use",
    "make it right in front of the loop",
)


_WHOLE = (
    "a list that a loop in it makes, and that it uses as a whole",
    "the loop that makes it runs natively by itself",
)


_SHOWN = (
    "a list that others have, and a number of an object that may be made of it",
    "store the number in a variable before the loops",
)


def arrays_made(
    root: ast.stmt, context: Context, canonical: Mapping[str, str]
) -> tuple[dict[str, Made], dict[str, str]]:
    """The arrays that native code makes, and Python that makes the others.

    Args:
        root: the nest. context: its names, which get those that sizes are made of.
        canonical: parameter texts and what to write for them.
    """
    found: dict[str, Made] = {}
    others: dict[str, str] = {}
    bound = binds([root])
    for name, filled in all_made(root).items():
        shape = _shape(filled, context, bound, canonical)
        exchanged = name in context.exchanged
        if shape is None or not filled.element or exchanged:
            if not filled.call:
                raise context.unsupported(root, *_UNKNOWN)
            others[name] = filled.call
            if exchanged:
                # Perhaps it is the one that the function gets.
                others[name] = f"({name} := {filled.call})"
            continue
        for size in shape:
            context.use(size, frozenset())
        read = dict.fromkeys(_names(filled.element, context))
        own = [x for x in read if x in bound and x not in context.arrays]
        for given in (x for x in read if x not in own):
            context.live_in.setdefault(given)
        found[name] = Made(shape, filled.element, filled.laid, own=(*own,))
    lists = listed(context.kinds.scope.function)
    members = {x for x in context.live_in if "." in x} - context.arrays.keys()
    if members and shown(context.kinds.scope.function, context.arrays):
        # A property may say how long a list is by then.
        raise context.unsupported(root, *_SHOWN)
    for name in (one for one in context.arrays if one in lists):
        one = lists[name]
        if not (one.collected or is_within(context.kinds.scope.function, one, root)):
            raise context.unsupported(root, *_PART)
        if not one.collected and _names_it(root, one.name):
            raise context.unsupported(root, *_WHOLE)
        about = one.count, one.cells, one.old, one.array
        found[name] = Made((Const(LONGEST),), "", (), *about)
    return found, others


def _names_it(root: ast.stmt, name: str) -> bool:
    """Whether a nest uses a name: what loops do to a list is spelled otherwise."""
    return any(isinstance(x, ast.Name) and x.id == name for x in walked(root))


def with_alike(root: ast.stmt, equal: Mapping[str, str]) -> dict[str, str]:
    """Texts and what to write for them, with the extents of arrays that a nest makes.

    They are those of the arrays that they are made like. Of each its own parameter
    would make nests of many such statements too large for isl, whose operations take
    the longer the more parameters there are.

    Args:
        root: the nest. equal: what is known where it begins, of names it does not bind.
    """
    made = all_made(root)
    rebound = binds([root]) - made.keys()
    found, first = dict(equal), dict[str, str]()
    for name, filled in made.items():
        for axis, text in enumerate(map(named, filled.shape)):
            own = extent(name, axis)
            known = is_extent(text) and owner(text) not in rebound
            other = text if known else first.setdefault(text, own)
            other = _last(found, other)
            if other != own:
                found[own] = other
    return {text: _last(found, text) for text in found}


def _last(equal: Mapping[str, str], text: str) -> str:
    """What to write for a text, and for what is written for it."""
    while text in equal:
        text = equal[text]
    return text


def with_given(
    host: Hosting, root: ast.stmt, made: Mapping[str, Made], context: Context
) -> Hosting:
    """What stands around a nest that makes arrays, and may give one to the function.

    Args:
        host: without that. root: the nest. made: the arrays that it makes.
        context: its names.

    Raises:
        Unsupported: LX301 where Python has to make the array.
    """
    given = gives(root)
    if given is None:
        lists = used(context.kinds.scope.function, made)
        host = replace(host, made=made, gives={name: name for name in lists})
        behind = follows(root).splitlines()
        return replace(host, then=(*host.then, *behind), quiet=bool(behind))
    if given.array not in made:
        raise context.unsupported(root, *_UNKNOWN)
    name = given.name or given.array
    # The variable of the result must not keep the array.
    last = f"{RESULT} = None" if given.name else f"return {name}"
    return replace(host, made=made, gives={given.array: name}, then=(*host.then, last))


def _shape(
    filled: Filled,
    context: Context,
    bound: frozenset[str],
    canonical: Mapping[str, str],
) -> tuple[IntExpr, ...] | None:
    """The extents of an array; None where they are not known where the nest starts.

    Args:
        filled: the array. context, canonical: as of ``arrays_made``.
        bound: the names that the nest gives values.
    """
    affine = Affine(context.kinds, {}, bound, {}, canonical)
    sizes: list[IntExpr | None] = []
    for text in filled.shape:
        node = ast.parse(text, mode="eval").body
        size = affine.expr(node, once=True)
        if size is None and isinstance(node, ast.Name) and affine.is_free(node):
            # NumPy takes nothing but an integer there.
            size = Var(canonical.get(text, text))
        sizes.append(size)
    known = tuple(size for size in sizes if size is not None)
    return known if len(known) == len(sizes) else None


def _names(text: str, context: Context) -> Iterator[str]:
    """The names of values in what makes an array, which are all but NumPy's."""
    scope = context.kinds.scope
    tree = ast.parse(text, mode="eval")
    inner = {x.value for x in walked(tree) if isinstance(x, ast.Attribute)}
    for node in walked(tree):
        name = dotted(node)
        if not name or node in inner or scope.resolve(node):
            continue
        # What follows a name may be of its array: `A.dtype`.
        yield name.removesuffix(".dtype")
