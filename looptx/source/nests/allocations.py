"""Arrays that a function makes in front of a nest.

Those for one nest alone are what ``temp`` may name. Of those that are filled a nest may
overwrite all that they hold.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from looptx.model.dtypes import PYTHON
from looptx.model.expr import IntExpr, variables
from looptx.model.functions import FILLED, Function, lookup
from looptx.model.shapes import extent, is_extent, owner
from looptx.model.storage import LIKE, Allocation, Filled
from looptx.model.trees import dotted
from looptx.source.ast_tools import once, walked
from looptx.source.kinds.integers import Kinds
from looptx.source.kinds.types import dtype_name
from looptx.source.liveness import binds, reads
from looptx.source.names.calls import is_constant
from looptx.source.names.enclosing import enclosing
from looptx.source.names.subscripts import subscripts
from looptx.source.nests.context import names_of
from looptx.source.nests.sizes.affine import Affine
from looptx.source.nests.uses import LEAVING, how, looked_at, may_change, named
from looptx.source.text.parse import Parsed, end_line

_NUMBERS = frozenset(PYTHON)
_SIGNED = ("int8", "int16", "int32", "int64", "float32")


class Unsuited(Exception):
    """Why an array is no temporary, in words that follow "it"."""


def allocated(kinds: Kinds) -> frozenset[str]:
    """The names that one call of a NumPy function such as ``zeros`` binds."""
    found = set()
    for name, bindings in kinds.scope.bindings.items():
        values = [one.value for one in bindings if one.kind == "value"]
        if len(bindings) == len(values) == 1 and _maker(values[0], kinds):
            found.add(name)
    return frozenset(found)


def _maker(value: ast.expr | None, kinds: Kinds) -> Function | None:
    """What is known of ``np.zeros`` or the like, if a value is a call of that."""
    if not isinstance(value, ast.Call):
        return None
    row = lookup(kinds.scope.resolve(value.func))
    return None if row.fill is None else row


def allocations(
    parsed: Parsed,
    kinds: Kinds,
    root: ast.stmt,
    arrays: Iterable[str],
    canonical: Mapping[str, str],
) -> tuple[dict[str, Allocation], dict[str, str], tuple[Filled, ...]]:
    """The arrays of a nest that may be temporaries, and why the others may not.

    Also those that are filled in front of it, and that nothing sees until it begins.

    Args:
        parsed: the module.
        kinds: what names of the function are.
        root: the nest.
        arrays: those the nest subscripts.
        canonical: parameter texts and what to write for them.
    """
    reader = _Reader(parsed, kinds, root, canonical)
    found: dict[str, Allocation] = {}
    unsuited: dict[str, str] = {}
    for array in arrays:
        try:
            found[array] = reader.allocation(array)
        except Unsuited as why:
            unsuited[array] = str(why)
    return found, unsuited, tuple(reader.filled())


class _Reader:
    """Reads the allocations in front of one nest."""

    def __init__(
        self,
        parsed: Parsed,
        kinds: Kinds,
        root: ast.stmt,
        canonical: Mapping[str, str],
    ) -> None:
        self.parsed = parsed
        self.kinds = kinds
        self.scope = kinds.scope
        self.root = root
        self.bound = binds([root])
        self.affine = Affine(kinds, {}, self.bound, {}, canonical)
        self.canonical = canonical
        self.before = enclosing(self.scope.function, root)[-1].before
        nodes = walked(root)
        self.inside = set(nodes)
        self.elements = {
            subscripts(node)[0] for node in nodes if isinstance(node, ast.Subscript)
        }
        self.stored = set(_stored(nodes))

    def allocation(self, array: str) -> Allocation:
        """The allocation of an array. Raises: Unsuited."""
        call = self._call(array)
        stmt = self._statement(array)
        self._alone(stmt)
        self._uses(array, stmt)
        return self._read(array, call, stmt)

    def filled(self) -> Iterator[Filled]:
        """The arrays that the nest writes and that are filled for it, by one number.

        Nothing reads them until it begins. Where it raises nobody has them: no ``try``
        is around it.
        """
        guarded = ast.Try, ast.With, ast.AsyncWith, getattr(ast, "TryStar", ast.Try)
        way = enclosing(self.scope.function, self.root)
        if any(isinstance(step.around, guarded) for step in way):
            return
        for array in sorted(self.stored):
            with suppress(Unsuited):
                call, stmt = self._call(array), self._statement(array)
                between = self.before[self.before.index(stmt) + 1 :]
                if self._plain(call) and not looked_at(array, between):
                    nodes = (node for one in between for node in walked(one))
                    stored = any(
                        isinstance(x, ast.Name) and x.id == array for x in nodes
                    )
                    made: Allocation | None = None
                    owners: tuple[str, ...] = ()
                    with suppress(Unsuited):
                        read = self._read(array, call, stmt)
                        owners, made = self._owners(read), read
                    text, fill = ast.unparse(call), self._fill(call)
                    yield Filled(array, text, fill, not stored, made, owners)

    def _owners(self, made: Allocation) -> tuple[str, ...]:
        """The arguments that an array has sizes of. Raises: Unsuited."""
        sizes = {name for size in made.shape for name in variables(size)}
        texts = {*sizes, *(x for x, name in self.canonical.items() if name in sizes)}
        found = {owner(text) for text in texts if is_extent(text)}
        found -= allocated(self.kinds)
        for name in found:
            bindings = self.scope.bindings.get(name, ())
            uses = named(self.scope.function).get(name, ())
            deleted = any(isinstance(node.ctx, ast.Del) for node in uses)
            if deleted or not any(one.kind == "arg" for one in bindings):
                raise Unsuited("has a size of what may be a list")
        return tuple(sorted(found))

    def _plain(self, call: ast.Call) -> bool:
        """Whether what fills an array changes neither its type, nor raises."""
        fill = self._fill(call)
        if lookup(self.scope.resolve(call.func)).fill != FILLED:
            return bool(fill)
        explicit = [keyword.arg for keyword in call.keywords]
        if len(call.args) != 2 or explicit not in ([], ["dtype"]):
            return False
        value, element = call.args[1], self._element(call, "")
        if self._is_like(call) or isinstance(value, ast.Name):
            return False
        if element == "float64":
            return True
        small = fill.lstrip("-").isdecimal() and abs(int(fill)) < 128
        return small and bool(explicit) and element in _SIGNED

    def _read(self, array: str, call: ast.Call, stmt: ast.stmt) -> Allocation:
        """What a call makes, where that is so until the nest starts.

        Args:
            array: the name. call: what makes it. stmt: the assignment.

        Raises:
            Unsuited: it is not known.
        """
        self._unchanged(stmt)
        shape, like = self._shape(array, call)
        fill = self._fill(call)
        if not fill and array not in self.stored:
            raise Unsuited("is never given a value")
        element = self._element(call, like)
        module = ast.unparse(call.func).rpartition(".")[0]
        number = set(filter(str.isidentifier, (fill, element.removeprefix(LIKE))))
        sizes = [name for size in shape for name in variables(size)]
        known = {name for text in sizes for name in names_of(text)}
        return Allocation(
            array=array,
            shape=shape,
            fill=fill,
            element=element,
            like=self._is_like(call),
            module=module,
            reads=tuple(sorted((number - {element}) | known)),
            first_line=stmt.lineno,
            last_line=end_line(stmt),
        )

    def _call(self, array: str) -> ast.Call:
        """The one call that makes the array."""
        bindings = self.scope.bindings.get(array, [])
        if "." in array:
            raise Unsuited("is an attribute")
        if not bindings:
            raise Unsuited("is not made in the function")
        if any(one.kind == "arg" for one in bindings):
            raise Unsuited("is an argument")
        if len(bindings) > 1:
            raise Unsuited("is assigned in several places")
        if self.scope.wild:
            raise Unsuited("is seen by a call such as `locals()`")
        if array in self.scope.shared:
            raise Unsuited("is global, or used by a function inside")
        call = bindings[0].value
        if bindings[0].kind != "value" or not _maker(call, self.kinds):
            raise Unsuited("is not made by np.zeros, np.ones, np.empty or np.full")
        assert isinstance(call, ast.Call)
        return call

    def _statement(self, array: str) -> ast.stmt:
        """The statement that allocates the array, in the block of the nest."""
        for stmt in self.before:
            match stmt:
                case ast.Assign([ast.Name(name)]) if name == array:
                    return stmt
                case ast.AnnAssign(target=ast.Name(name)) if name == array:
                    return stmt
        raise Unsuited("is not allocated in front of the nest, in the same block")

    def _alone(self, stmt: ast.stmt) -> None:
        """Its lines can go away."""
        first, last = stmt.lineno, end_line(stmt)
        if first >= self.root.lineno:
            raise Unsuited("is allocated between the nests")
        function = self.scope.function
        beside = (_beside(function).get(line, ()) for line in range(first, last + 1))
        for other in (function, *(found for line in beside for found in line)):
            around = other.lineno < first and end_line(other) > last
            met = first <= other.lineno <= last or first <= end_line(other) <= last
            if other is not stmt and met and not around:
                raise Unsuited("is allocated on a line with other statements")

    def _uses(self, array: str, stmt: ast.stmt) -> None:
        """Elements in the nest are the only uses."""
        own = set(walked(stmt))
        for node in named(self.scope.function).get(array, ()):
            if node in own:
                continue
            if node not in self.inside:
                does = how(self.scope.function, node)
                raise Unsuited(f"is {does} in line {node.lineno}")
            if node not in self.elements and not self._is_size(node):
                raise Unsuited(f"is used as a whole in line {node.lineno}")

    def _is_size(self, name: ast.Name) -> bool:
        """Whether a name is read for an extent that another text says, too."""
        axes = (extent(name.id, axis) for axis in range(8))
        known = [text for text in axes if text in self.canonical]
        return any(
            isinstance(node, ast.Attribute)
            and node.value is name
            and node.attr == "shape"
            for node in walked(self.root)
        ) and bool(known)

    def _unchanged(self, stmt: ast.stmt) -> None:
        """Check that what the call reads is unchanged where the nest starts."""
        between = self.before[self.before.index(stmt) + 1 :]
        names = reads(stmt) & (binds(between) | self.bound)
        attributes = {
            node.attr
            for node in walked(stmt)
            if isinstance(node, ast.Attribute)
            and not self.scope.resolve(node)
            and node.attr not in ("shape", "dtype", "size")
        }
        calls = [n for n in walked(stmt) if isinstance(n, ast.Call)]
        plain = all(
            self.scope.resolve(call.func).startswith(("numpy.", "builtins."))
            for call in calls
        )
        others = [node for one in between for node in walked(one)]
        stores = any(
            isinstance(node, (ast.Attribute, ast.Call, *LEAVING))
            and not isinstance(getattr(node, "ctx", None), ast.Load)
            for node in others
        )
        changed = may_change(reads(stmt), others, self.scope)
        if names or not plain or changed or (attributes and stores):
            what = f"`{min(names)}` changes" if names else "its size may change"
            raise Unsuited(f"is allocated before {what}")

    def _is_like(self, call: ast.Call) -> bool:
        return lookup(self.scope.resolve(call.func)).like

    def _shape(self, array: str, call: ast.Call) -> tuple[tuple[IntExpr, ...], str]:
        """The extents, and the array whose shape (and element) is taken over."""
        keywords = {keyword.arg: keyword.value for keyword in call.keywords}
        like = self._is_like(call)
        given = keywords.get("shape") or (call.args[0] if call.args else None)
        if None in keywords or given is None or set(keywords) & {"order", "subok"}:
            raise Unsuited("is allocated in a way looptx does not read")
        source = dotted(given) if like and "shape" not in keywords else ""
        if isinstance(given, ast.Attribute) and given.attr == "shape":
            source = dotted(given.value)
        rank = self.kinds.rank(array)
        found: list[IntExpr | None]
        if source:
            if self.kinds.rank(source) != rank:
                raise Unsuited(f"has the shape of `{source}`, whose rank is not known")
            found = [
                self.affine.expr(ast.parse(extent(source, axis), mode="eval").body)
                for axis in range(rank)
            ]
        elif isinstance(given, ast.Tuple | ast.List):
            found = [self.affine.expr(part, once=True) for part in given.elts]
        else:
            number = self.kinds.is_integer(given)
            found = [self.affine.expr(given, once=True) if number else None]
        shape = tuple(extent for extent in found if extent is not None)
        if len(shape) < len(found):
            raise Unsuited("has a size that looptx cannot read")
        return shape, dotted(call.args[0]) if like and call.args else ""

    def _fill(self, call: ast.Call) -> str:
        """The text of a number that every cell holds at first."""
        fill = lookup(self.scope.resolve(call.func)).fill or ""
        if fill != FILLED:
            return fill
        keywords = {keyword.arg: keyword.value for keyword in call.keywords}
        value = keywords.get(FILLED) or (call.args[1] if len(call.args) > 1 else None)
        if value is None or not self._is_number(value):
            raise Unsuited("is filled with what may be no number")
        return ast.unparse(value)

    def _is_number(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value):
                return isinstance(value, bool | int | float | complex)
            case ast.UnaryOp(ast.USub(), operand):
                return self._is_number(operand)
            case ast.Name(name):
                notes = [b.annotation for b in self.scope.bindings.get(name, [])]
                stated = bool(notes) and set(notes) <= _NUMBERS
                return stated or self.kinds.is_integer(node)
        return is_constant(self.scope.resolve(node))

    def _element(self, call: ast.Call, like: str) -> str:
        keywords = {keyword.arg: keyword.value for keyword in call.keywords}
        maker = lookup(self.scope.resolve(call.func))
        dtype = keywords.get("dtype")
        if dtype is None and len(call.args) > maker.dtype:
            dtype = call.args[maker.dtype]
        if isinstance(dtype, ast.Attribute) and dtype.attr == "dtype":
            return f"{LIKE}{dotted(dtype.value)}" if dotted(dtype.value) else ""
        if dtype is not None:
            return dtype_name(dtype, self.scope)
        if like:
            return f"{LIKE}{like}"
        if maker.fill != FILLED:
            return "float64"
        text = self._fill(call)
        if self.scope.resolve(ast.parse(text, mode="eval").body):
            return "float64"
        try:
            kind = type(ast.literal_eval(text)).__name__
        except ValueError:
            return ""
        return PYTHON.get(kind, PYTHON["int"])


def _stored(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The arrays of which some nodes write elements."""
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            base = node.value
            while isinstance(base, ast.Subscript):
                base = base.value
            if isinstance(base, ast.Name):
                yield base.id


@once
def _beside(function: ast.AST) -> Mapping[int, Sequence[ast.stmt]]:
    """The statements in a function that begin or end in each line."""
    found: dict[int, list[ast.stmt]] = {}
    for node in walked(function):
        if isinstance(node, ast.stmt) and node is not function:
            for line in {node.lineno, end_line(node)}:
                found.setdefault(line, []).append(node)
    return found
