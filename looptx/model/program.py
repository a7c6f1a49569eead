"""What a function says: kernels, nests, loops, statements and the cells they touch."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from looptx.errors import Place
from looptx.model.callees.callee import Callee
from looptx.model.elements import Access, Element, Inlined, View
from looptx.model.expr import TRUE, ZERO, Compare, Cond, IntExpr, Var
from looptx.model.nests.entry import Entry
from looptx.model.nests.escapes import Escapes
from looptx.model.nests.kept import KeptLoop
from looptx.model.nests.made import Made
from looptx.model.nests.names import Names
from looptx.model.records import dataclass, field
from looptx.model.shapes import is_extent
from looptx.model.storage import Allocation, Copy, Filled, Start, Store

ANYTHING = "anything else"
"""Stands for an array that all statements read where one may write anything."""

OUTPUT = "the output"
"""Stands for what is printed."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """A statement that is ``target = target op ...``.

    ``op`` is one of ``+ * min max & | ^``. ``target`` is the written access. The value
    that is combined is ``operand`` (``s -= x`` has op ``+`` and operand ``-(x)``).
    """

    op: str
    target: Access
    operand: ast.expr


@dataclass(frozen=True, slots=True)
class Statement:
    """One schedulable unit: an assignment, or a construct kept whole (*opaque*).

    Opaque is an ``if`` or a loop that data decide, with all it holds in ``code``. How
    it is written is no matter of the model: the source has it, at its ``place``.

    Attributes:
        loops: ids of the enclosing loops, outermost first.
        guard: the affine conditions under which it runs.
        elements: of arrays that may be temporaries.
        places: the names in the code that stand for coordinates in buffers (a call
            gives their values). expanded: those of scalars, by name.
        store: what it does for the storage of the nest; None for those of the source.
        copy: the cell that it copies. start: the reduction that it begins.
        added: whether it is none of the source's, and written as its code says.
        continued: whether it is an ``if`` that holds what a ``continue`` would skip.
        renamed: what stands in its code for scalars. converted: the type of its value.
        effects: the text of what may use ``ANYTHING``, or be seen in the ``OUTPUT``.
        leaves: whether that is an exception, which Python's own loops can raise.
        spelt: its text, where the source says it in the header of a loop.
        views: the rows in its code that have names in the source, by these.
        elementwise: whether it is one element of a statement on arrays.
        agrees: where the loops in it that are over elements mean what the source says.
        raises: whether it may raise for the values that it computes with.
        inlined: the reads that became expressions. values: what names in these mean,
            of ``places``, as functions of the loops.
    """

    name: str
    loops: tuple[str, ...]
    guard: Cond
    accesses: tuple[Access, ...]
    code: tuple[ast.stmt, ...]
    place: Place
    reduction: Reduction | None = None
    opaque: bool = False
    elements: tuple[Element, ...] = ()
    places: tuple[str, ...] = ()
    effects: str = ""
    leaves: bool = False
    expanded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    converted: str = ""
    store: Store | None = None
    copy: Copy | None = None
    inlined: tuple[Inlined, ...] = ()
    values: Mapping[str, IntExpr] = field(default_factory=dict)
    start: Start | None = None
    added: bool = False
    continued: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict)
    spelt: str = ""
    views: Mapping[str, View] = field(default_factory=dict)
    raises: bool = False
    elementwise: bool = False
    agrees: Cond = TRUE

    @property
    def own_index(self) -> dict[str, IntExpr]:
        """Its loops and coordinates, each as itself: where it is in the source."""
        return {name: Var(name) for name in (*self.loops, *self.places)}

    @property
    def written(self) -> str:
        """The statement on one line or several, laid out in the usual way."""
        return "\n".join(map(ast.unparse, self.code))


@dataclass(frozen=True, slots=True)
class Loop:
    """``for var in range(start, stop, step)``; ``id`` is unique (``j``, ``j#2``).

    Bounds are over the ids of outer loops and parameters. ``guard`` holds the affine
    conditions of the ``if`` statements around the loop, inside its own outer loop.
    """

    id: str
    var: str
    start: IntExpr
    stop: IntExpr
    step: int
    place: Place
    guard: Cond = TRUE
    agrees: Cond = TRUE


@dataclass(frozen=True, slots=True)
class LoopNode:
    """A loop and what it contains, in textual order."""

    loop: Loop
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class StatementNode:
    """A statement, by name."""

    statement: str


Node: TypeAlias = LoopNode | StatementNode


@dataclass(frozen=True, slots=True)
class Directive:
    """The text of one directive and its place; ``language`` parses it.

    Attributes:
        source: the line of its place.
        loop: the place of the loop that it is written on, if it is written on one.
    """

    text: str
    place: Place
    source: str = ""
    loop: Place | None = None


@dataclass(frozen=True, slots=True)
class NestText:
    """Where a nest is in its file, and what stands there.

    Attributes:
        first_line, last_line: its lines, with its own comments. indent: of its ``for``.
        directives: those standing on it, in order.
        applied: true when a ``# looptx: applied`` line marks it as transformed.
        hoisted, sunk: lines between several nests that run before the first, and last.
        kept: the inner loops that are parts of opaque statements, in source order.
        spelled: how the source writes a size, as ``{"x.shape[0]": "len(x)"}``.
        reached: the line of its last statement, where the source has several for it.
    """

    first_line: int
    last_line: int
    indent: str = ""
    directives: tuple[Directive, ...] = ()
    applied: bool = False
    hoisted: tuple[tuple[int, int], ...] = ()
    sunk: tuple[tuple[int, int], ...] = ()
    kept: tuple[KeptLoop, ...] = ()
    spelled: Mapping[str, str] = field(default_factory=dict)
    reached: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """What directives say of a nest besides the order.

    Attributes:
        subnests: what is named inside, as ``{name: loop id}``, or the node of a single
            statement; of several nests each.
        elsewhere: by variable, the first other nest of the function that has its loop.
        scratch: the arguments at which nobody looks afterwards.
        told: what directives bring about, one line each.
        inexact: whether other functions may stand for those that it calls.
    """

    subnests: Mapping[str, str | StatementNode] = field(default_factory=dict)
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    scratch: frozenset[str] = frozenset()
    told: tuple[str, ...] = ()
    inexact: bool = False


@dataclass(frozen=True, slots=True)
class Hosting:
    """How the function runs a nest that is native code: what it gives, and does then.

    Attributes:
        parts: names in ``live_in`` that stand for other Python. then: Python behind it.
        assigned: the attributes that this assigns. owner: the class around.
        returns: what the function returns there, as Python, where ``END`` is 1, 2 and
            so on.
        inside: the nests in it, which run where it does not.
        tried: whether nobody expects it to run natively, as a ``while`` around others.
        made: the arrays in ``live_in`` that the nest makes itself.
        gives: those among them that the function gets, and by which name.
        quiet: whether nobody misses anything where Python runs it.
        filled: the arrays that are filled for it, where no directive is about it.
        collected: the lists of others that it appends to, by the names in ``live_in``
            of what it counts in them.
    """

    parts: Mapping[str, str] = field(default_factory=dict)
    then: tuple[str, ...] = ()
    assigned: tuple[str, ...] = ()
    owner: str = ""
    returns: tuple[str, ...] = ()
    inside: tuple[Nest, ...] = ()
    tried: bool = False
    made: Mapping[str, Made] = field(default_factory=dict)
    gives: Mapping[str, str] = field(default_factory=dict)
    quiet: bool = False
    filled: tuple[Filled, ...] = ()
    collected: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Nest:
    """An outermost ``for`` over ``range`` and what is in it, or several to be fused.

    Attributes:
        name: ``n0``, ``n1`` ... in source order, or what a ``nest`` directive says;
            ``a+b`` for several.
        body: the loops and statements as written: one loop, or several in order.
        loops, statements: by id or name, in source order.
        arrays: dotted names it subscripts. scalars: other names it assigns.
        parameters: integer texts in bounds, guards and affine subscripts; invariant.
        live_in: dotted names of everything read from outside (arrays, scalars, the
            names inside parameter texts), in order of first use.
        live_out: scalars and loop variables assigned here that may be read after.
        aliases: pairs of arrays that may share memory, different arguments aside; one
            name alone is that of a list, of which two elements may be one array.
        place: of its ``for``. text: the lines around that.
        allocations: the arrays that may be temporaries.
        names: what they mean. entry: what holds where it starts.
        escapes: what others see of it. asked: what directives say of it.
        host: how the function runs it.
    """

    name: str
    body: tuple[Node, ...]
    loops: Mapping[str, Loop]
    statements: Mapping[str, Statement]
    arrays: tuple[str, ...]
    scalars: tuple[str, ...]
    parameters: tuple[str, ...]
    live_in: tuple[str, ...]
    live_out: tuple[str, ...]
    aliases: frozenset[frozenset[str]]
    place: Place
    text: NestText
    allocations: Mapping[str, Allocation] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    entry: Entry = field(default_factory=Entry)
    escapes: Escapes = field(default_factory=Escapes)
    asked: Asked = field(default_factory=Asked)
    host: Hosting = field(default_factory=Hosting)

    @property
    def sizes(self) -> tuple[str, ...]:
        """The texts that are never negative."""
        tests = (one for one in self.entry.known if isinstance(one, Compare))
        positive = (x.left for x in tests if (x.op, x.right) == (">=", ZERO))
        said = (left.name for left in positive if isinstance(left, Var))
        extents = filter(is_extent, (*self.parameters, *self.entry.equal.values()))
        equal = (other for text, other in self.entry.equal.items() if is_extent(text))
        return tuple(dict.fromkeys((*extents, *equal, *said)))

    @property
    def first(self) -> Loop:
        """The outermost loop that starts first."""
        return next(node.loop for node in self.body if isinstance(node, LoopNode))

    @property
    def written(self) -> frozenset[str]:
        """The arrays it writes into, as its caller has to expect it."""
        return self.asked.scratch.union(
            access.array
            for statement in self.statements.values()
            for access in statement.accesses
            if access.write and access.array in self.arrays
        )

    @property
    def given(self) -> tuple[str, ...]:
        """What its caller gives it, in order: the others in ``live_in`` it makes."""
        return tuple(name for name in self.live_in if name not in self.host.made)

    def private(self, name: str) -> bool:
        """Whether nobody else sees what the nest writes into an array or scalar."""
        known = name in self.allocations or name in self.scalars
        return known and name not in self.live_out

    def others(self, array: str) -> frozenset[str]:
        """The other names under which ``array`` may be touched."""
        return frozenset().union(*(x for x in self.aliases if array in x)) - {array}

    def walk(self) -> Iterator[tuple[Node, tuple[Loop, ...]]]:
        """Every node with its enclosing loops, in textual order."""
        left = [(node, tuple[Loop, ...]()) for node in reversed(self.body)]
        while left:
            node, outer = left.pop()
            yield node, outer
            if isinstance(node, LoopNode):
                left += [(x, (*outer, node.loop)) for x in reversed(node.body)]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function or method that contains nests.

    Attributes:
        qualname: ``f`` or ``Class.f``.
        parameters: (name, annotation text or "") of each argument.
        nests: all outermost ``for``-over-``range`` nests looptx can read; nests without
            directives that contain unsupported Python are left out.
        directives: those above the ``def``.
        names: every identifier in the function (generated names avoid them).
        imports: what names mean, e.g. ``{"np": "numpy", "sqrt": "math.sqrt"}``.
        types: annotation text of locals whose type the source makes plain
            (``C -> like:A`` for ``zeros_like(A)``, ``float64[:, :]`` for ``zeros``).
        first_line, last_line: the lines of the whole definition, decorators included.
        vague: the names that may hold something else than their annotation says.
        callees: the functions of the user that it calls, by what calls name.
        join: reads several of the nests, and what is between them, as one.
        decorators: which of its decorators are ``looptx.kernel``, from 0.
        around: what names mean where it is defined, as ``imports``.
        nearly: comments above its loops or its ``def`` that may be misspelt directives.
    """

    qualname: str
    parameters: tuple[tuple[str, str], ...]
    nests: tuple[Nest, ...]
    directives: tuple[Directive, ...]
    names: frozenset[str]
    imports: Mapping[str, str]
    types: Mapping[str, str]
    place: Place
    first_line: int
    last_line: int
    decorators: tuple[int, ...] = ()
    around: Mapping[str, str] = field(default_factory=dict, repr=False)
    nearly: tuple[Directive, ...] = ()
    vague: frozenset[str] = frozenset()
    callees: Mapping[str, Callee] = field(default_factory=dict, repr=False)
    join: Callable[[Sequence[Nest]], Nest] | None = field(
        default=None, compare=False, repr=False
    )

    @property
    def decorated(self) -> bool:
        """Whether ``looptx.kernel`` is among the decorators."""
        return bool(self.decorators)
