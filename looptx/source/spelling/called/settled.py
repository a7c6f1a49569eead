"""Calls of functions that ask what they are given, as calls of what is left of these.

``distance(X[i], Y[j])`` with ``if x.ndim == 1`` in ``distance`` is a call of a function
without that condition, of its own name; so is ``first(A[:, j], step=-1)`` one without
the argument, where that is a constant.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count

from looptx.model.callees.callee import Callee, Outside, Written
from looptx.model.naming import HELD, Taken, free
from looptx.model.records import dataclass, field
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.callees.reading import Text, callee_of, is_number
from looptx.source.callees.recursion.loops import calls_itself
from looptx.source.names.imports import arguments, own_nodes
from looptx.source.names.scope import Known, Scope
from looptx.source.spelling.called.bodies import FOREIGN
from looptx.source.spelling.called.calls import Called
from looptx.source.spelling.called.folding import (
    Constant,
    Fact,
    Facts,
    Folding,
    Several,
    Single,
    bound,
    constant,
)
from looptx.source.spelling.called.names import Names
from looptx.source.spelling.called.parts import axes
from looptx.source.spelling.called.told import singles
from looptx.source.spelling.edits import Change, module
from looptx.source.spelling.lists.noted import giving
from looptx.source.spelling.whole.reading.ranks import known_ranks
from looptx.source.text.functions import functions

MOST = 50
"""So many functions are made of those that a function calls."""


def with_settled(
    tree: ast.Module,
    known: Mapping[str, str],
    given: Mapping[str, int],
    seen: Callable[[str], Known],
) -> Called:
    """A tree whose calls are of functions that ask nothing of what they are given.

    Args:
        tree: the module's. known: what its names mean.
        given: how many axes arguments have, where no text says so.
        seen: what finds functions of the user, for a function by its qualified name.
    """
    found = Called(tree)
    changes: dict[ast.AST, Change] = {}
    for one in functions(tree, "", known, known):
        scope = Scope(one.node, one.outer, seen(one.qualname))
        if not any(x.written for x in scope.callees.values()):
            continue
        ranks = known_ranks(one.node, scope, given)
        taken = Taken({*scope.identifiers, *found.names})
        names = Names(scope.imports, frozenset(scope.bindings), taken, {**ranks})
        held = {x: free(f"{HELD}{x}_number", taken) for x in singles(scope)}
        settled = Settled(names.function, held)
        for node in own_nodes(one.node):
            if isinstance(node, ast.Call) and dotted(node.func) in scope.callees:
                callee = scope.callees[dotted(node.func)]
                change = settled.change(node, callee, ranks)
                if change is not None:
                    changes[node] = change
                    own = found.ranks.setdefault(one.qualname, {})
                    own.update(_asked(node, ranks))
        if held:
            texts = {own: f"{name}.item()" for name, own in held.items()}
            changes[one.node] = giving(texts)
        found.names |= names.known
        found.callees |= names.callees
    found.tree = module(tree, changes)
    return found


def _asked(node: ast.Call, ranks: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """How many axes the arrays have that a call is given, or parts of them."""
    for one in (*node.args, *(x.value for x in node.keywords)):
        if axes(one, ranks):
            array = one.value if isinstance(one, ast.Subscript) else one
            yield dotted(array), ranks[dotted(array)]


@dataclass
class Settled:
    """Makes functions of those that are called, for what they are given.

    Attributes:
        name: what a function is called, by what the text calls it.
        held: the names of the numbers of arrays without axes, by those of these.
        running: those that call. numbers: tell the names of one from those of others.
    """

    name: Callable[[str, Callee], str]
    held: Mapping[str, str] = field(default_factory=dict)
    running: tuple[ast.AST, ...] = ()
    numbers: Iterator[int] = field(default_factory=count)
    _made: dict[object, str] = field(default_factory=dict)

    def change(
        self, call: ast.Call, callee: Callee, ranks: Mapping[str, int]
    ) -> Change | None:
        """What becomes of a call; None where that is what it is.

        Args:
            call: it. callee: the function. ranks: how many axes arrays have.
        """
        written = callee.written
        facts = written and _facts(written, call, ranks, self.held)
        if written is None or not facts or written.node in self.running:
            return None
        if not (callee.refused or any(map(_decides, facts.values()))):
            return None
        if calls_itself(written):
            return None
        key = written.node, tuple(sorted((x, repr(y)) for x, y in facts.items()))
        if key not in self._made:
            full = len(self._made) >= MOST
            made = None if full else self._function(callee, written, facts)
            if made is None:
                return None
            self._made[key] = self.name(dotted(call.func), made)
        own, order = self._made[key], _order(written)

        def change(node: ast.AST) -> ast.AST:
            assert isinstance(node, ast.Call)
            pairs = zip(order, node.args, strict=False)
            args = [
                self._number(x)
                for name, x in pairs
                if not _is_constant(facts.get(name))
            ]
            args += node.args[len(order) :]
            named = [
                ast.keyword(x.arg, self._number(x.value))
                for x in node.keywords
                if not _is_constant(facts.get(str(x.arg)))
            ]
            place = ast.copy_location(ast.Name(own, ast.Load()), node.func)
            return ast.copy_location(ast.Call(place, args, named), node)

        return change

    def _number(self, node: ast.expr) -> ast.expr:
        """An argument, or its number where it is an array without axes."""
        match node:
            case ast.Name(name) if name in self.held:
                made = ast.Name(self.held[name], ast.Load())
                return ast.copy_location(made, node)
        return node

    def _function(
        self, callee: Callee, written: Written, facts: Facts
    ) -> Callee | None:
        """What is left of a function; None where that is all.

        Args:
            callee: the function. written: the same. facts: what it is given.
        """
        body = [x for stmt in written.node.body for x in walked(stmt)]
        rest = written.node.args.vararg
        several = {rest.arg} if rest else set()
        if any(isinstance(x, FOREIGN) and not _is_all(x, several) for x in body):
            return None
        beside = _Beside(
            written.outside, Taken(x.id for x in body if isinstance(x, ast.Name))
        )
        variables = {*bound(written.node), *(x.arg for x in arguments(written.node))}
        held: dict[str, str] = {}
        inner = Settled(beside.add, held, (*self.running, written.node), self.numbers)

        def called(node: ast.Call, known: Facts) -> ast.Call:
            name = dotted(node.func)
            local = name.partition(".")[0] in variables
            one = beside.callee(name) if name and not local else None
            ranks = {x: y for x, y in known.items() if isinstance(y, int)}
            held.clear()
            held.update({x: x for x, y in known.items() if isinstance(y, Single)})
            change = inner.change(node, one, ranks) if one is not None else None
            found = change(node) if change is not None else node
            assert isinstance(found, ast.Call)
            return found

        node = copy.deepcopy(written.node)
        folding = Folding(dict(facts), called)
        lines, _ = folding.block(node.body)
        if not (folding.folded or beside.own or several):
            return None
        constants = {x: y for x, y in facts.items() if isinstance(y, Constant)}
        stored = {name for stmt in lines for name in bound(stmt)}
        if not stored.isdisjoint(several):
            return None
        for one in facts.values():
            parts = one.parts if isinstance(one, Several) else ()
            node.args.args += [ast.arg(name) for name in parts]
        node.args.vararg = None
        for name in constants.keys() & stored:
            if is_number(constants[name].node):
                place = ast.Name(name, ast.Store())
                lines.insert(0, ast.Assign([place], constants[name].node, lineno=0))
        node.body = lines or [ast.Pass()]
        _without(node.args, constants.keys())
        defaults = {x: y for x, y in written.defaults.items() if x not in constants}
        own = f"{node.name} 0 {next(self.numbers)}"
        file = callee.place.file
        return callee_of(Text(node, file, own, written.imports, beside, defaults))


@dataclass
class _Beside:
    """What the names around a function mean, with those of functions made for it.

    Attributes:
        outside: what the others mean. taken: the names that it uses.
        own: the functions that were made.
    """

    outside: Outside
    taken: Taken
    own: dict[str, Callee] = field(default_factory=dict)

    def callee(self, name: str) -> Callee | None:
        """The function of the user that a (dotted) name is, if it is one."""
        return self.own[name] if name in self.own else self.outside.callee(name)

    def number(self, name: str) -> ast.expr | None:
        """The number that a name is."""
        return self.outside.number(name)

    def add(self, name: str, callee: Callee) -> str:
        """A name for a function, by what it is called elsewhere."""
        found = self.taken.free(name.replace(".", "_"))
        self.own[found] = callee
        return found


def _facts(
    written: Written,
    call: ast.Call,
    ranks: Mapping[str, int],
    singles: Collection[str],
) -> Facts:
    """What is known of the arguments of a function; nothing for what Python refuses.

    Args:
        written: the function. call: a call of it. ranks: how many axes arrays have.
        singles: the arrays without axes.
    """
    order, given = _order(written), written.node.args
    names = {*order, *(one.arg for one in given.kwonlyargs)}
    pairs = [*zip(order, call.args, strict=False)]
    pairs += [(one.arg or "", one.value) for one in call.keywords]
    told = dict(pairs)
    listed = any(isinstance(one, ast.Starred) for one in call.args)
    other = given.kwarg or given.posonlyargs or listed
    more = call.args[len(order) :]
    if other or (more and not given.vararg) or len(told) < len(pairs):
        return {}
    if not told.keys() <= names <= {*told, *written.defaults}:
        return {}
    found: dict[str, Fact] = {}
    for name in names:
        value = told.get(name) or written.defaults[name]
        known, rank = constant(value), axes(value, ranks)
        if known is not None and known.value == known.value:
            found[name] = known
        elif rank:
            found[name] = rank
        elif isinstance(value, ast.Name) and value.id in singles:
            found[name] = Single()
    if given.vararg:
        taken = {x.id for x in ast.walk(written.node) if isinstance(x, ast.Name)}
        parts: list[str] = []
        for _ in more:
            parts.append(free(f"{given.vararg.arg}_", {*taken, *names, *parts}))
        found[given.vararg.arg] = Several((*parts,))
    return found


def _is_all(node: ast.AST, several: Collection[str]) -> bool:
    """Whether all that a function is given besides is given on.

    Args:
        node: a part of it. several: the name of that.
    """
    match node:
        case ast.Starred(ast.Name(name)):
            return name in several
    return False


def _order(written: Written) -> Sequence[str]:
    """The arguments that may be given by position."""
    return [one.arg for one in written.node.args.args]


def _is_constant(fact: Fact | None) -> bool:
    return isinstance(fact, Constant)


def _decides(fact: Fact) -> bool:
    """Whether what is given is None, a text, or an array without axes."""
    said = isinstance(fact, Constant) and isinstance(fact.value, str | None)
    return said or isinstance(fact, Single)


def _without(given: ast.arguments, names: Collection[str]) -> None:
    """Take arguments, and all defaults, from those of a function."""
    given.args = [one for one in given.args if one.arg not in names]
    given.kwonlyargs = [one for one in given.kwonlyargs if one.arg not in names]
    given.defaults, given.kw_defaults = [], [None for _ in given.kwonlyargs]
