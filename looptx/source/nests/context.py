"""The facts about a nest that its readers share, and their errors."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from looptx.errors import LooptxError, Unsupported
from looptx.model.expr import Cond, IntExpr, variables
from looptx.model.records import dataclass, field, replace
from looptx.model.trees import children, dotted
from looptx.source.kinds.integers import Kinds
from looptx.source.names.calls import sees_variables
from looptx.source.spelling.whole.turns.webs import originals
from looptx.source.text.parse import Parsed


@dataclass
class Context:
    """What is known of a nest while its statements are read.

    Attributes:
        scalars: names the nest binds, other than its loop variables.
        loop_vars: variables of its loops.
        apart: other names for those that loops in opaque statements bind, too.
        private: variables of the statement alone that is read.
        local: arrays that the function allocates.
        objects: scalars that may hold any object.
        unset: names of the function that may have no value where the nest starts.
        arrays: (dotted) names subscripted in the nest.
        live_in: names read from outside, in order of first use.
        parameters: parameter texts in order of first use.
        untyped: arguments in conditions that nothing says are integers.
    """

    parsed: Parsed
    kinds: Kinds
    scalars: frozenset[str]
    loop_vars: frozenset[str]
    local: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()
    unset: frozenset[str] = frozenset()
    arrays: dict[str, None] = field(default_factory=dict)
    live_in: dict[str, None] = field(default_factory=dict)
    parameters: dict[str, None] = field(default_factory=dict)
    untyped: dict[str, None] = field(default_factory=dict)
    apart: Mapping[str, str] = field(default_factory=dict)
    pairs: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    private: frozenset[str] = frozenset()

    @property
    def exchanged(self) -> frozenset[str]:
        """The arrays that are exchanged."""
        return frozenset(name for pair in self.pairs for name in pair)

    def within(self, private: frozenset[str]) -> Context:
        """The same for a statement that has some loop variables for itself."""
        return replace(
            self,
            scalars=self.scalars | private,
            loop_vars=self.loop_vars - private,
            private=private,
        )

    def unsupported(
        self, node: ast.expr | ast.stmt, message: str, hint: str, code: str = "LX301"
    ) -> LooptxError:
        """The error for a construct that the nest cannot contain.

        Args:
            node: the construct. message, hint: what the user reads. code: of the error.

        Returns:
            The error, at the construct.
        """
        names = originals(self.kinds.scope.function)
        message, hint = (
            re.sub(r"\w+", lambda found: names.get(found[0], found[0]), text)
            for text in (message, hint)
        )
        source = self.parsed.line(node.lineno)
        return Unsupported(
            code, message, self.parsed.place(node), hint=hint, source=source
        )

    def check_loop(self, node: ast.For) -> None:
        """A loop in a nest is over ``range``.

        Raises:
            Unsupported: LX301.
        """
        if not self.kinds.scope.is_range_loop(node):
            raise self.unsupported(
                node,
                "a `for` that is not `for NAME in range(...)`",
                "loop over indices with `range`",
            )

    def check_call(self, call: ast.Call) -> None:
        """No call in a nest sees variables by name or changes a shape.

        Raises:
            Unsupported: LX302.
        """
        name, text = self.kinds.scope.resolve(call.func), ast.unparse(call.func)
        wild = sees_variables(name)
        if wild or text.rpartition(".")[2] == "resize":
            what = "sees variables by name" if wild else "changes a shape"
            hint = "call it before or after the nest"
            raise self.unsupported(call, f"`{text}`, which {what}", hint, "LX302")

    def use(self, expr: IntExpr, loops: frozenset[str]) -> None:
        """Note the parameters of an expression, and the names inside their texts."""
        for text in sorted(variables(expr) - loops):
            self.use_text(text)

    def use_cond(self, cond: Cond, loops: Mapping[str, str]) -> None:
        """Note the parameters of a condition, in loops whose ids are known by name."""
        for text in sorted(variables(cond) - set(loops.values())):
            self.use_text(text)

    def use_text(self, text: str) -> None:
        """Note a parameter."""
        if text not in self.parameters:
            self.parameters[text] = None
            for name in names_of(text):
                self.live_in.setdefault(name)


def names_of(text: str) -> Iterator[str]:
    """The names that must be known to evaluate a parameter text."""

    def visit(node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            yield from visit(node.value)
        elif isinstance(node, ast.Name | ast.Attribute) and dotted(node):
            yield dotted(node)
        elif isinstance(node, ast.Call):
            for arg in node.args:
                yield from visit(arg)
        else:
            for child in children(node):
                yield from visit(child)

    return visit(ast.parse(text, mode="eval").body)
