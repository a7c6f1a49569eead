"""The statements of a nest whose temporaries are kept in buffers."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence

from looptx.model.elements import Access, Element, Inlined
from looptx.model.expr import TRUE, Var
from looptx.model.program import Nest, Statement
from looptx.model.records import replace
from looptx.model.storage import Allocation, Buffer, Store
from looptx.model.types import Type

_KEEPING = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_PLAIN = ("float64", "complex128")
_ROUNDED = ("float32", "complex64")


def plain(nest: Nest, buffer: Buffer, types: Mapping[str, Type]) -> bool:
    """Whether a variable can hold a buffer in Python: it then has NumPy's own type.

    Every value is converted where it is assigned; what is added to a NumPy float64 (or
    complex128) gives one again, as long as all other numbers are no wider. Storing in
    an array of integers is no conversion that their type knows.
    """
    own = buffer.allocation
    if own is None or buffer.extents:
        return False
    if _only_loaded(nest, buffer.name):
        return True
    if not _module(nest, own):
        return False
    dtype = own.dtype(types)
    users = {statement for statement, _ in buffer.places}
    known = dtype in _PLAIN or (own.made and dtype in _ROUNDED)
    return known and all(
        _assigns_plainly(nest.statements[name], buffer.name, dtype, types)
        for name in users
    )


def _only_loaded(nest: Nest, buffer: str) -> bool:
    """Whether a buffer only gets copies of cells: their type stays what it is."""
    copies = {
        x.copy.load
        for x in nest.statements.values()
        if x.copy and x.copy.buffer == buffer
    }
    return copies == {True}


def _assigns_plainly(
    statement: Statement, array: str, dtype: str, types: Mapping[str, Type]
) -> bool:
    if all(access.array != array or not access.write for access in statement.accesses):
        return not statement.opaque
    own = {element.node for element in statement.elements if element.array == array}
    match statement.code:
        case (ast.Assign([ast.Name(name)], _),):
            return name == array
        case (ast.Assign([target], _),):
            return target in own
        case (ast.AugAssign(target, op, value),):
            wide = dtype.startswith("float") and _may_be_complex(value, types)
            return target in own and isinstance(op, _KEEPING) and not wide
    return False


def _may_be_complex(value: ast.expr, types: Mapping[str, Type]) -> bool:
    """Whether a number in an expression is known to be complex."""
    for node in ast.walk(value):
        if isinstance(node, ast.Constant) and isinstance(node.value, complex):
            return True
        if isinstance(node, ast.Name | ast.Attribute):
            kind = types.get(ast.unparse(node))
            if kind is not None and kind.dtype.startswith("complex"):
                return True
    return False


def with_buffers(
    nest: Nest, buffers: Sequence[Buffer], types: Mapping[str, Type]
) -> Nest:
    """The nest with statements that use buffers, and those that fill them."""
    if not buffers:
        return nest
    simple = {b.name for b in buffers if plain(nest, b, types)}
    statements = {
        name: _rewritten(nest, statement, buffers, simple, types)
        for name, statement in nest.statements.items()
    }
    for buffer in buffers:
        for store in buffer.stores:
            simply = buffer.name in simple
            statements[store.name] = _store(nest, buffer, store, simply, types)
    return replace(nest, statements=statements)


def _rewritten(
    nest: Nest,
    statement: Statement,
    buffers: Sequence[Buffer],
    simple: set[str],
    types: Mapping[str, Type],
) -> Statement:
    nodes: dict[int, ast.AST] = {}
    accesses = list(statement.accesses)
    reduction = statement.reduction
    places: list[str] = []
    elements: list[Element] = []
    cells = {buffer.name: buffer.names(statement.name) for buffer in buffers}
    for found in cells.values():
        for own in found.values():
            places += own
    for element in statement.elements:
        if element.array not in cells:
            continue
        own = cells[element.array][element.subscripts]
        elements.append(replace(element, places=own))
        nodes[id(element.node)] = _node(element.node, element.array, own)

    def moved(access: Access) -> Access:
        own = cells.get(access.array, {}).get(access.subscripts)
        if own is None or not access.subscripts:
            return access
        return replace(access, subscripts=tuple(map(Var, own)))

    # What is in `nodes` is taken instead of a copy.
    memo: dict[int, object] = dict(nodes)
    code = copy.deepcopy(statement.code, memo)
    elements += (
        replace(x, node=copy.deepcopy(x.node, memo))
        for x in statement.elements
        if x.array not in cells
    )
    if reduction is not None:
        target, operand = (
            moved(reduction.target),
            copy.deepcopy(reduction.operand, memo),
        )
        reduction = replace(reduction, target=target, operand=operand)
    return replace(
        statement,
        accesses=tuple(map(moved, accesses)),
        code=code,
        reduction=reduction,
        elements=tuple(elements),
        places=(*statement.places, *places),
        expanded={
            name: found[()]
            for name, found in cells.items()
            if () in found and all(one.array != name for one in elements)
        },
        converted=_converted(nest, statement, simple, types),
        inlined=tuple(
            Inlined(x.node, copy.deepcopy(x.value, memo)) for x in statement.inlined
        ),
    )


def _node(old: ast.Subscript, array: str, places: Sequence[str]) -> ast.Subscript:
    """The element in the code; a coordinate is a name that is no identifier."""
    names: list[ast.expr] = [ast.Name(place, ast.Load()) for place in places]
    index = names[0] if len(names) == 1 else ast.Tuple(names, ast.Load())
    new = ast.Subscript(ast.Name(array, ast.Load()), index, old.ctx)
    return ast.fix_missing_locations(ast.copy_location(new, old))


def _module(nest: Nest, own: Allocation) -> str:
    """What stands for NumPy where a buffer is allocated."""
    return nest.names.numpy if own.made else own.module


def _converted(
    nest: Nest, statement: Statement, simple: set[str], types: Mapping[str, Type]
) -> str:
    """The type in ``T = np.float64(value)``, for an assignment to a plain buffer."""
    match statement.code:
        case (ast.Assign([target], _),):
            dtypes: tuple[str, ...] = (*_PLAIN, *_ROUNDED)
        case (ast.AugAssign(target),):
            dtypes = _ROUNDED
        case _:
            return ""
    for element in statement.elements:
        if element.node is target and element.array in simple:
            own = nest.allocations[element.array]
            dtype = own.dtype(types)
            return f"{_module(nest, own)}.{dtype}" if dtype in dtypes else ""
    return ""


def _store(
    nest: Nest, buffer: Buffer, store: Store, plain: bool, types: Mapping[str, Type]
) -> Statement:
    """The statement that begins a life, ``T[:] = 0``, or fills a row, ``T[i % 2] = 0``.

    Args:
        nest: that it is put into. buffer: that it fills. store: what it does.
        plain: whether a variable holds the buffer in Python.
        types: what is known of the names the nest reads.
    """
    own = buffer.allocation
    assert own is not None
    value = own.fill
    if plain:
        value = f"{value}.0" if value in ("0", "1") else value
        text = f"{own.array} = {own.module}.{own.dtype(types)}({value})"
    else:
        text = f"{own.array}[{':' if buffer.extents else '()'}] = {value}"
    return Statement(
        name=store.name,
        loops=(),
        guard=TRUE,
        accesses=(Access(own.array, (), True),),
        code=tuple(ast.parse(text).body),
        place=nest.place,
        places=tuple(filter(None, store.places)),
        store=store,
    )
