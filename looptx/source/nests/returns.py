"""A loop that its function may end in, as one that is left with the value noted.

``return v`` becomes ``value = v``, ``end = 1`` and a ``break`` out of every loop around
it. Who runs the nest looks at ``end`` behind it, and returns.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from looptx.model.naming import END, VALUE
from looptx.model.records import dataclass, field
from looptx.source.ast_tools import walked
from looptx.source.names.must_execute import jumps
from looptx.source.nests.ends import early_end
from looptx.source.spelling.tuples.parts import is_part
from looptx.source.spelling.whole.turns.webs import called


@dataclass(frozen=True)
class Ending:
    """A nest of one statement: data decide which iterations its loop runs.

    Attributes:
        code: its loop, without ``return``; what stands in front of it then.
        texts, names: as of ``Returns``.
    """

    code: tuple[ast.stmt, ...]
    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def results(self) -> tuple[str, ...]:
        """The variables that say which ``return`` was come to, and its values."""
        return (END, *self.names) if self.texts else ()


def ending_nest(root: ast.stmt, bound: Collection[str]) -> Ending | None:
    """An outermost loop that may end early; None for one that runs to its end.

    Args:
        root: the loop. bound: the names that it binds.
    """
    early = isinstance(root, ast.For) and early_end(root) is not None
    return whole_nest(root, bound) if early or has_return(root) else None


def whole_nest(root: ast.stmt, bound: Collection[str]) -> Ending | None:
    """An outermost loop as one statement; None where its ``else`` jumps.

    Args:
        root: the loop. bound: the names that it binds.
    """
    if not isinstance(root, ast.For | ast.While) or any(jumps(root.orelse)):
        return None
    if not has_return(root):
        return Ending((root,))
    returns = Returns(bound)
    try:
        loop = returns.loop(root)
    except ValueError:
        return None
    names, texts = tuple(returns.names), tuple(returns.texts)
    return Ending((started(root), loop), texts, names)


@dataclass
class Returns:
    """Takes the ``return`` out of loops.

    Args:
        bound: the names that the nest binds.

    Attributes:
        texts: what is returned where ``END`` is 1 and more, as Python behind the nest.
        names: the variables that these read.
    """

    bound: Collection[str]
    texts: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def loop(self, node: ast.For | ast.While) -> ast.stmt:
        """An outermost loop without ``return``.

        Raises:
            ValueError: its ``else`` returns in the middle.
        """
        *first, last = node.orelse or [ast.Pass()]
        if any(map(has_return, first)) or not isinstance(last, ast.Return):
            if any(map(has_return, node.orelse)):
                raise ValueError("a `return` in the middle of an `else`")
            orelse = node.orelse
        else:
            orelse = [*first, *self._noted(last)]
        body = self._block(node.body)
        if isinstance(node, ast.While):
            return _at(node, ast.While(node.test, body, orelse))
        return _at(node, ast.For(node.target, node.iter, body, orelse))

    def _block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements of the body of a loop."""
        found: list[ast.stmt] = []
        for node in body:
            if not has_return(node):
                found.append(node)
                continue
            match node:
                case ast.Return():
                    return [*found, *self._noted(node), _at(node, ast.Break())]
                case ast.If(test, then, orelse):
                    branches = self._block(then), self._block(orelse)
                    found.append(_at(node, ast.If(test, *branches)))
                case ast.For(target, over, inner, orelse):
                    parts = self._block(inner), self._block(orelse)
                    made: ast.stmt = ast.For(target, over, *parts)
                    found += [_at(node, made), self._left(node)]
                case ast.While(test, inner, orelse):
                    parts = self._block(inner), self._block(orelse)
                    found += [_at(node, ast.While(test, *parts)), self._left(node)]
                case _:
                    found.append(node)
        return found

    def _left(self, node: ast.stmt) -> ast.stmt:
        """Behind a loop that may have come to a ``return``."""
        test = ast.Compare(_read(END), [ast.NotEq()], [ast.Constant(0)])
        return _at(node, ast.If(test, [ast.Break()], []))

    def _noted(self, node: ast.Return) -> list[ast.stmt]:
        """What a ``return`` returns, and which one it is."""
        found: list[ast.stmt] = []
        text = self._text(node.value or ast.Constant(None), found)
        self.texts.append(text)
        number = ast.Constant(len(self.texts))
        found.append(ast.Assign([ast.Name(END, ast.Store())], number))
        return [_at(node, one) for one in found]

    def _text(self, value: ast.expr, found: list[ast.stmt]) -> str:
        """What is returned, as Python behind the nest.

        Args:
            value: the expression. found: gets what keeps the values that it is made of.
        """
        if isinstance(value, ast.Tuple):
            return f"({''.join(f'{self._text(x, found)}, ' for x in value.elts)})"
        match value:
            case ast.Name(name) if name not in self.bound and not is_part(value):
                return called(value)
            case ast.Constant():
                return ast.unparse(value)
        name = f"{VALUE}{len(self.names)}"
        self.names.append(name)
        found.append(ast.Assign([ast.Name(name, ast.Store())], value))
        return name


def started(root: ast.stmt) -> ast.stmt:
    """What stands in front of a loop without ``return``."""
    target: ast.expr = ast.Name(END, ast.Store())
    return _at(root, ast.Assign([target], ast.Constant(0)))


def has_return(node: ast.AST) -> bool:
    """Whether a ``return`` is in a statement."""
    return any(isinstance(part, ast.Return) for part in walked(node))


def _read(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _at(node: ast.stmt, made: ast.stmt) -> ast.stmt:
    """A statement that stands where another does."""
    return ast.fix_missing_locations(ast.copy_location(made, node))
