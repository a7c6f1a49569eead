"""What the expressions of a module may be: a points-to analysis by inclusion.

After Andersen ("Program analysis and specialization for the C programming language",
1994), without regard to control flow. Only what is known to be new is new; what no form
of Python is known to give may be anything. A function's result is put in terms of its
parameters, for which each call puts its arguments. A function of another module returns
new memory, or what it is given.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Mapping

from looptx.model.functions import Kind, Reach, lookup_method
from looptx.model.trees import children, dotted
from looptx.source.ast_tools import operands, walked
from looptx.source.flow.fresh import holds_objects, is_fresh, is_plain
from looptx.source.flow.heap import RETURNED, VARIABLE, Heap
from looptx.source.flow.passing import matched
from looptx.source.flow.places import (
    ANYTHING,
    GLOBALS,
    LIST,
    NEW,
    NONE,
    OBJECT,
    Places,
    bound,
    is_list,
    is_object,
    members,
    replaced,
    root,
    site,
)
from looptx.source.flow.variables import Variables
from looptx.source.kinds.integers import Kinds
from looptx.source.names.arrays import SIZES, TELLING, VIEWS
from looptx.source.names.calls import called
from looptx.source.names.namespaces import Namespace

MODULES = ("builtins.", "math.", "numpy.")
"""How names begin that stand for no data, and for functions that keep none."""

_REPEATED = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOKED_UP = ("__getattr__", "__getattribute__")
_ENTERED = ("__enter__", "__aenter__", "__iter__", "__next__", "__getitem__")


class Points:
    """The places of expressions, as far as variables and heap are known.

    Args:
        variables: of the module.
        heap: what its memory holds.
        kinds: what is known of a function's names, where that is known.

    Attributes:
        known: what expressions were; to be emptied when something changes.
    """

    def __init__(
        self,
        variables: Variables,
        heap: Heap,
        kinds: Callable[[Namespace], Kinds | None],
    ) -> None:
        self.variables = variables
        self.heap = heap
        self.kinds = kinds
        self.known: dict[ast.AST, Places] = {}
        self._makers: dict[str, Namespace] = {}
        self._operators = sorted(
            name
            for name in variables.methods
            if name.startswith("__") and name not in ("__init__", *_LOOKED_UP)
        )
        self._definitions = {
            site(space.node, OBJECT)
            for space in variables.spaces
            if isinstance(space.node, ast.expr | ast.stmt)
        }

    def of(self, node: ast.AST, space: Namespace) -> Places:
        """What an expression of a namespace may be."""
        if node not in self.known:
            self.known[node] = self._of(node, space)
        return self.known[node]

    def _of(self, node: ast.AST, space: Namespace) -> Places:
        if space.resolve(node).startswith(MODULES):
            return NONE
        match node:
            case ast.Name(name):
                return self.name(name, space) | self._exchanged(name, space)
            case ast.Attribute(value, attribute):
                if dotted(node) in self._numbers(space):
                    return NONE
                if attribute == "size" and self._is_array(value, space):
                    return NONE
                found = self.attribute(self.of(value, space), attribute)
                return found | self._exchanged(dotted(node), space)
            case ast.Subscript(value):
                if space.resolve(value) == "sys.modules":
                    return frozenset((GLOBALS,))
                return self.element(self.of(value, space))
            case ast.Call():
                return self._call(node, space)
            case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef():
                by = self.all(getattr(node, "decorator_list", ()), space)
                inside = self.variables.inside(node)
                own = self._made(node, space, OBJECT, NONE)
                return own.union(by, self.heap.get(RETURNED, inside))
            case ast.ClassDef():
                return self._class(node, space)
            case ast.Constant() | ast.JoinedStr() | ast.Slice():
                return NONE
            case ast.Yield() | ast.YieldFrom():
                return frozenset((ANYTHING,))
            case ast.IfExp(_, value, other):
                return self.of(value, space) | self.of(other, space)
            case ast.BoolOp(_, values):
                return self.all(values, space)
            case ast.Starred(value) | ast.NamedExpr(_, value) | ast.Await(value):
                return self.of(value, space)
            case ast.BinOp() | ast.UnaryOp() | ast.Compare():
                return self._computed(node, space)
        assert isinstance(node, ast.expr)
        parts = [each for each in children(node) if isinstance(each, ast.expr)]
        return self._display(node, parts, space)

    def name(self, name: str, space: Namespace) -> Places:
        """What a name may be."""
        home = space.home(name)
        if name in self._numbers(home) or name in self._numbers(space):
            return NONE
        found = self.variable(home, name)
        if home.outer is None:
            found |= self.heap.held((GLOBALS,))
        return found

    def direct(self, text: str, space: Namespace) -> Places:
        """What a (dotted) name may be where nothing was exchanged."""
        first, *attributes = text.split(".")
        return functools.reduce(self.attribute, attributes, self.name(first, space))

    def _exchanged(self, text: str, space: Namespace) -> Places:
        """What the names may be that a (dotted) name is exchanged with."""
        others = self.variables.exchanged
        if not others or not text:
            return NONE
        group = others.get(self.variables.key(text, space), {})
        return NONE.union(*(self.direct(*where) for where in group.values()))

    def variable(self, home: Namespace, name: str) -> Places:
        """What a variable may be."""
        own = self.variables.own(home, name)
        known = self.heap.get(VARIABLE, (home, name))
        return frozenset((*known, own) if own else known)

    def attribute(self, base: Places, name: str) -> Places:
        """What an attribute of something may be."""
        if name in SIZES & TELLING:
            return NONE
        if name in VIEWS or name == "__dict__":
            return base
        found = self.heap.meant(members(base, name))
        if lookup_method(name).keeps:
            # A method that is kept fills what it is of, whoever calls it.
            return found.union(filter(is_object, base))
        found |= self.heap.held(base)
        found |= self._by_protocol(base, _LOOKED_UP)
        computed = (
            self._result(
                method, {self.variables.parameter(method, method.receiver): base}
            )
            for method in self.variables.methods.get(name, ())
            if method.receiver and method.decorators
        )
        return found.union(*computed)

    def element(self, base: Places) -> Places:
        """What an element or a slice of something may be.

        It may be a view of an array; a list is not what is in it.
        """
        views = (place for place in base if not is_list(place))
        held = self.heap.held(base) | self._by_protocol(base, ("__getitem__",))
        return held.union(views)

    def part(self, node: ast.expr, whole: Places, target: str = "") -> Places:
        """What something is that is taken out of an expression, as loops do.

        The parts of what is made for the purpose are different arrays.
        """
        found = self.heap.deep(whole) | self._by_protocol(whole, _ENTERED)
        own = {site(node, mark) for mark in (NEW, OBJECT, LIST)}
        return frozenset(f"{p}#{target}" if target and p in own else p for p in found)

    def given(self, call: ast.Call, callee: Namespace) -> dict[str, list[ast.expr]]:
        """What a call gives to each parameter of a function, by its place."""
        found = matched(call, callee, 1 if callee.receiver else 0)
        if isinstance(call.func, ast.Attribute) and callee.receiver:
            found[callee.receiver] = [call.func.value]
        parameter = functools.partial(self.variables.parameter, callee)
        return {parameter(name): values for name, values in found.items()}

    def all(self, nodes: Iterable[ast.AST], space: Namespace) -> Places:
        """What any of some expressions may be."""
        return NONE.union(*(self.of(node, space) for node in nodes))

    def callees(
        self, call: ast.Call, space: Namespace
    ) -> tuple[list[Namespace], list[Namespace], bool]:
        """The functions, and the classes, of the module that a call may be of.

        The flag tells whether it can be of no other.
        """
        name = space.resolve(call.func)
        if name and not name.startswith("?"):
            return [], [], False
        found, definite = self.variables.definitions(call.func, space)
        if isinstance(call.func, ast.Attribute):
            found = self.variables.methods.get(call.func.attr, [])
        functions = [each for each in found if each.is_call]
        return functions, [each for each in found if not each.is_call], definite

    def arguments(self, call: ast.Call, space: Namespace) -> Places:
        """What a call is given, all together."""
        given = (*call.args, *(keyword.value for keyword in call.keywords))
        return self.heap.deep(self.all(given, space))

    def _call(self, node: ast.Call, space: Namespace) -> Places:
        name = space.resolve(node.func)
        functions, classes, definite = self.callees(node, space)
        row = called(node, space)
        if Reach.CODE in row.reach:
            return frozenset((ANYTHING,))
        if Reach.NAMESPACE in row.reach and not node.args:
            return frozenset((GLOBALS,))
        if is_fresh(node, space) and not functions:
            return NONE if is_plain(node, space) else self._copied(node, space)
        found = NONE.union(
            *(self._result(f, self._bound(node, f, space)) for f in functions)
        )
        for one in classes:
            self._instance(node, one, space)
        if not definite:
            found |= self.arguments(node, space)
            if not name or name.startswith("?"):
                found |= self._of_function(node.func, space)
        array = name.startswith("numpy.") or row.kind is Kind.ARRAY
        array = array and not holds_objects(node, space)
        held = NONE if array or definite else self.arguments(node, space)
        made = self._made(node, space, NEW if array else OBJECT, held)
        return (found - self._definitions) | made

    def _of_function(self, node: ast.expr, space: Namespace) -> Places:
        """What an unknown function may return without being given it."""
        if isinstance(node, ast.Attribute):
            return self.heap.deep(self.of(node.value, space))
        own = NONE
        if isinstance(node, ast.Name):
            own = frozenset((self.variables.own(space.home(node.id), node.id),))
        return self.heap.deep(bound(self.heap.actual(self.of(node, space)))) - own

    def _bound(
        self, call: ast.Call, callee: Namespace, space: Namespace
    ) -> dict[str, Places]:
        given = self.given(call, callee)
        return {name: self.all(values, space) for name, values in given.items()}

    def _result(self, function: Namespace, given: Mapping[str, Places]) -> Places:
        """What a call of a function returns, given the places of its parameters."""
        return self._adapted(self.heap.get(RETURNED, function), function, given)

    def _adapted(
        self, places: Iterable[str], inside: Namespace, given: Mapping[str, Places]
    ) -> Places:
        """Places in a function or class as they are for one call of it.

        Every call makes new memory of its own, of which only what it holds is told.
        """
        whole = frozenset(places)
        own = {place for place in whole if self._is_made(place, inside)}
        reached = (p for p in self.heap.deep(own) if not self._is_made(p, inside))
        found: set[str] = set()
        for place in (*(whole - own), *reached):
            actual = replaced(place, given)
            found |= {place} if actual is None else actual
        return self.heap.meant(found)

    def _is_made(self, place: str, inside: Namespace) -> bool:
        """Whether a function or class makes memory by itself, for nobody to keep."""
        return self._is_of(place, inside) and all(
            self._is_of(keeper, inside) for keeper in self.heap.keepers(place)
        )

    def _is_of(self, place: str, inside: Namespace) -> bool:
        maker = self._makers.get(root(place))
        return maker is not None and inside in maker.around()

    def _instance(self, call: ast.Call, made: Namespace, space: Namespace) -> None:
        """Give a new object what its class has, and what its methods store in it."""
        variables, new = self.variables, site(call, OBJECT)
        itself = variables.itself(made)
        given = {itself: frozenset((new,))}
        start = next(
            (f for f in variables.methods.get("__init__", ()) if f.outer is made), None
        )
        if start:
            given = {**self._bound(call, start, space), **given}
        if not start or made.decorators or made.bases:
            for place in self.arguments(call, space):
                self.heap.put(new, (place,))
        self.heap.put(new, self._adapted(self.heap.held((itself,)), made, given))
        assert isinstance(made.node, ast.stmt)
        own = site(made.node, OBJECT)
        self.heap.put(new, self.heap.held((own,)))
        for name, held in self.heap.attributes(own).items():
            self.heap.give(new, name, held)
        for name, held in self.heap.attributes(itself).items():
            self.heap.give(new, name, self._adapted(held, made, given))
        for one in variables.relatives(made):
            for name in variables.members(one):
                self.heap.give(new, name, self.variable(one, name))

    def _class(self, node: ast.ClassDef, space: Namespace) -> Places:
        made, inside = site(node, OBJECT), self.variables.inside(node)
        for name in self.variables.members(inside):
            self.heap.give(made, name, self.variable(inside, name))
        more = self.all([*node.bases, *node.decorator_list], space)
        return more | self._made(node, space, OBJECT, NONE)

    def _display(
        self, node: ast.expr, inside: Iterable[ast.expr], space: Namespace
    ) -> Places:
        """A list or the like. What a comprehension makes is made for each element."""
        held = self.all(inside, space)
        if isinstance(node, _REPEATED):
            parts = (part for one in inside for part in walked(one))
            made = {part for part in parts if isinstance(part, ast.expr)}
            held -= {site(part, mark) for part in made for mark in (NEW, OBJECT, LIST)}
        return self._made(node, space, LIST, held)

    def _computed(self, node: ast.expr, space: Namespace) -> Places:
        """The result of operators: new, but for what is in the lists among them.

        Classes of the module may give them another meaning.
        """
        found = self.all(operands(node), space)
        if not found:
            return NONE
        lists = list(filter(is_list, found))
        made = self._made(node, space, LIST if lists else NEW, self.heap.held(lists))
        return made | self._by_protocol(found, self._operators)

    def _copied(self, node: ast.Call, space: Namespace) -> Places:
        """The result of a fresh call: what is in a list is in its copy, too."""
        held = NONE
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if method in ("copy", "item", "tolist"):
            assert isinstance(node.func, ast.Attribute)
            held = self.heap.held(self.of(node.func.value, space))
        made = self._made(node, space, LIST if held else NEW, held)
        return made | held if method == "item" else made

    def _made(
        self, node: ast.expr | ast.stmt, space: Namespace, mark: str, held: Places
    ) -> Places:
        """New memory, and what it holds."""
        made = site(node, mark)
        self._makers[made] = space
        self.heap.put(made, held)
        return frozenset((made,))

    def _by_protocol(self, base: Places, names: Iterable[str]) -> Places:
        """What methods of the module give that Python calls by itself."""
        return NONE.union(
            *(
                self._result(f, {self.variables.parameter(f, f.receiver): base})
                for name in names
                for f in self.variables.methods.get(name, ())
            )
        )

    def _is_array(self, node: ast.expr, space: Namespace) -> bool:
        kinds = self.kinds(space)
        return kinds is not None and dotted(node) in kinds.arrays

    def _numbers(self, space: Namespace) -> frozenset[str]:
        kinds = self.kinds(space)
        return kinds.integers if kinds else NONE
