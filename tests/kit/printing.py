"""Hand-made planned nests, compiled and compared with CPython, for the emit tests."""

from __future__ import annotations

import ast
import copy
import importlib.util
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from looptx.emit.cython import Cython, Section, module_text, nest_function
from looptx.errors import Place
from looptx.looptree.nodes import Block, Call, For
from looptx.looptree.planned import Final, Planned
from looptx.looptree.prepare import prepare
from looptx.looptree.stored import with_buffers
from looptx.lower.nest import Typed
from looptx.model.elements import Access
from looptx.model.execution.marks import Marks
from looptx.model.expr import TRUE, Add, Cond, Const, IntExpr, Mul, Var
from looptx.model.program import (
    Loop,
    LoopNode,
    Nest,
    NestText,
    Reduction,
    Statement,
    StatementNode,
)
from looptx.model.schedule import initial
from looptx.model.types import ArrayType, ScalarType, Type
from looptx.native.compile import compiler
from looptx.native.compile.build import cythonize
from looptx.native.compile.link import includes

FLAGS = ("-O3", "-ffp-contract=off", "-fwrapv", "-fno-math-errno", "-fno-trapping-math")
IMPORTS = {"np": "numpy", "math": "math"}
PLACE = Place("case.py", 1)


@dataclass
class Case:
    """A loop nest in text, the values it reads, and how it is to be run.

    ``env`` makes the values. ``marks`` are by loop variable; ``reductions`` by loop
    variable as (scalar, op); ``body`` changes the generated loops.
    """

    name: str
    source: str
    env: Callable[[], dict[str, Any]]
    live_out: tuple[str, ...] = ()
    marks: Mapping[str, Marks] = field(default_factory=dict)
    reductions: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    wraps: tuple[str, ...] = ()
    in_bounds: Cond = TRUE
    finals: tuple[Final, ...] = ()
    body: Callable[[Block], Block] | None = None
    error: type[Exception] | None = None
    parameters: tuple[str, ...] = ()
    planned: Mapping[str, Any] = field(default_factory=dict)
    nest: Mapping[str, Any] = field(default_factory=dict)
    close: bool = False


def type_of(value: Any) -> Type:
    """As the native room classifies values."""
    if isinstance(value, np.ndarray):
        layout = "A"
        if value.flags.c_contiguous:
            layout = "C"
        elif value.flags.f_contiguous:
            layout = "F"
        return ArrayType(value.dtype.name, value.ndim, layout)
    weak = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
    if type(value) in weak:
        return ScalarType(weak[type(value)], weak=True)
    return ScalarType(value.dtype.name)


def planned(case: Case) -> Planned:
    """The nest of a case in its own order."""
    loop = ast.parse(case.source).body[0]
    assert isinstance(loop, ast.For)
    env = case.env()
    reader = _Reader(
        case, frozenset(n for n, v in env.items() if isinstance(v, np.ndarray))
    )
    root = reader.loop(loop, ())
    nest = Nest(
        name="n0",
        body=(root,),
        loops=reader.loops,
        statements=reader.statements,
        arrays=tuple(sorted(reader.arrays)),
        scalars=tuple(sorted(reader.scalars)),
        parameters=tuple(dict.fromkeys((*reader.parameters, *case.parameters))),
        live_in=tuple(env),
        live_out=case.live_out,
        aliases=case.nest.get("aliases", frozenset()),
        place=PLACE,
        text=NestText(1, 1),
    )
    taken = frozenset(n.id for n in ast.walk(loop) if isinstance(n, ast.Name))
    schedule = initial(nest, taken)
    uids = {name: number for number, name in enumerate(reader.loops)}
    body: Block = (_tree(root, uids, case.marks, reader.loops),)
    found: dict[int, list[Reduction]] = {}
    for var, pairs in case.reductions.items():
        wanted = found.setdefault(uids[var], [])
        for statement in nest.statements.values():
            own = statement.reduction
            if own and (own.target.array, own.op) in pairs:
                wanted.append(own)
    given: dict[str, Any] = {
        "buffers": (),
        "finals": case.finals,
        "in_bounds": case.in_bounds,
        "wraps": frozenset(case.wraps),
        "unchecked": frozenset(reader.unchecked),
        "reductions": {uid: tuple(rs) for uid, rs in found.items()},
    }
    given.update(case.planned)
    schedule = replace(schedule, assumes=given.pop("assumes", ()))
    nest = with_buffers(nest, given["buffers"], {})
    block = prepare(nest, case.body(body) if case.body else body)
    return Planned(nest, schedule, block, **given)


def _tree(
    node: LoopNode | StatementNode,
    uids: Mapping[str, int],
    marks: Mapping[str, Marks],
    loops: Mapping[str, Loop],
    index: Mapping[str, IntExpr] | None = None,
) -> Any:
    index = index or {}
    if isinstance(node, StatementNode):
        return Call(node.statement, index)
    loop = node.loop
    inner = {**index, loop.id: Var(loop.var)}
    return For(
        loop.var,
        loop.start,
        loop.stop,
        loop.step,
        tuple(_tree(child, uids, marks, loops, inner) for child in node.body),
        uids[loop.id],
        marks.get(loop.id, Marks()),
    )


class _Reader:
    """A small reader of loop nests: enough for the cases, no more."""

    def __init__(self, case: Case, arrays: frozenset[str]) -> None:
        self.case = case
        self.known = arrays
        self.loops: dict[str, Loop] = {}
        self.statements: dict[str, Statement] = {}
        self.arrays: set[str] = set()
        self.scalars: set[str] = set()
        self.parameters: list[str] = []
        self.unchecked: set[str] = set()

    def loop(self, node: ast.For, outer: tuple[str, ...]) -> LoopNode:
        assert isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
        var = node.target.id
        name = var if var not in self.loops else f"{var}#2"
        args = [self.affine(arg) for arg in node.iter.args]
        start, stop = (Const(0), args[0]) if len(args) == 1 else args[:2]
        step = args[2] if len(args) == 3 else Const(1)
        assert start is not None and stop is not None and isinstance(step, Const)
        loop = Loop(name, var, start, stop, step.value, PLACE)
        self.loops[name] = loop
        body: list[LoopNode | StatementNode] = []
        for child in node.body:
            if isinstance(child, ast.For) and all(map(self.affine, child.iter.args)):  # type: ignore[attr-defined]
                body.append(self.loop(child, (*outer, name)))
            else:
                body.append(self.statement(child, (*outer, name)))
        return LoopNode(loop, tuple(body))

    def affine(self, node: ast.expr) -> IntExpr | None:
        text = ast.unparse(node)
        if text in self.case.parameters:
            return Var(text)
        if isinstance(node, ast.Constant):
            return Const(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            return Const(-node.operand.value)
        if isinstance(node, ast.Name) and text in self.loops:
            return Var(text)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            left, right = self.affine(node.left), self.affine(node.right)
            if left is None or right is None:
                return None
            if isinstance(node.op, ast.Sub):
                right = Mul((Const(-1), right))
                if isinstance(right.factors[1], Const):
                    right = Const(-right.factors[1].value)
            return Add((left, right))
        if ".shape[" in text or (text in self.case.env() and text not in self.known):
            self.parameters.append(text)
            return Var(text)
        return None

    def statement(self, node: ast.stmt, outer: tuple[str, ...]) -> StatementNode:
        accesses = []
        for part in ast.walk(node):
            if isinstance(part, ast.Subscript) and "shape" not in ast.unparse(
                part.value
            ):
                array = ast.unparse(part.value)
                inner = part.slice
                dims = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                subscripts = tuple(self.affine(dim) for dim in dims)
                written = isinstance(part.ctx, ast.Store)
                self.arrays.add(array)
                accesses.append(Access(array, subscripts, written))
                if None in subscripts:
                    self.unchecked.add(array)
            elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                self.scalars.add(part.id)
                certain = not isinstance(node, (ast.If, ast.For))
                accesses.append(Access(part.id, (), True, certain))
        name = f"S{len(self.statements)}"
        self.statements[name] = Statement(
            name,
            outer,
            TRUE,
            tuple(accesses),
            (node,),
            PLACE,
            reduction=_reduction(node, accesses),
            opaque=isinstance(node, (ast.If, ast.For)),
        )
        return StatementNode(name)


def _reduction(node: ast.stmt, accesses: Sequence[Access]) -> Reduction | None:
    signs = {ast.Add: "+", ast.Sub: "+", ast.Mult: "*", ast.BitXor: "^", ast.BitOr: "|"}
    target = next((a for a in accesses if a.write), None)
    if target is None:
        return None
    if isinstance(node, ast.AugAssign) and type(node.op) in signs:
        return Reduction(signs[type(node.op)], target, node.value)
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        name = ast.unparse(node.value.func).rpartition(".")[2]
        ops = {"min": "min", "max": "max", "minimum": "min", "maximum": "max"}
        if name in ops:
            return Reduction(ops[name], target, node.value.args[-1])
    return None


def text_of(case: Case, name: str, target: type[Cython] = Cython) -> Section:
    """The Cython functions of a case."""
    types = {key: type_of(value) for key, value in case.env().items()}
    return nest_function(Typed(planned(case), types, IMPORTS), name, target=target)


def entries(
    cases: Sequence[Case], directory: Path, name: str, target: type[Cython]
) -> dict[str, Any]:
    """The entries of cases by name, from one module; those of one text share one.

    Args:
        cases: all. directory: where the module goes. name: its name.
        target: what writes the functions.
    """
    sections = {case.name: text_of(case, ENTRY, target) for case in cases}
    names = {
        one: f"nest{at}" for at, one in enumerate(dict.fromkeys(sections.values()))
    }
    module = build([_renamed(*each) for each in names.items()], directory, name)
    return {case: getattr(module, names[one]) for case, one in sections.items()}


ENTRY = "each_entry"
"""The name of an entry that gets another one in its module."""


def _renamed(section: Section, name: str) -> Section:
    versions = frozenset(one.replace(ENTRY, name) for one in section.versions)
    text = section.text.replace(ENTRY, name)
    return replace(section, text=text, versions=versions)


def build(
    texts: Sequence[Section],
    directory: Path,
    name: str,
    openmp: bool = True,
    flags: Sequence[str] = (),
) -> Any:
    """Compile functions into a module and import it."""
    source = cythonize(module_text(texts), name, directory)
    library = directory / f"{name}.so"
    extra = [*flags, "-fopenmp"] if openmp else [*flags]
    command = [*compiler.find().argv, "-shared", "-fPIC", "-w", *FLAGS, *extra]
    command += [*includes(), str(source), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    spec = importlib.util.spec_from_file_location(name, library)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(case: Case, entry: Callable[..., Any], threads: int = 2) -> None:
    """Run a case natively and in CPython; everything must agree, bit by bit."""
    ours, theirs = case.env(), copy.deepcopy(case.env())
    failure: type[Exception] | None = None
    with np.errstate(all="ignore"):
        try:
            exec(compile(case.source, "case", "exec"), _globals(), theirs)
        except Exception as error:
            failure = type(error)
    assert failure is case.error
    if failure is not None:
        try:
            result = entry(*ours.values(), threads)
        except failure:
            return
        assert isinstance(result, str), "the original must run and raise"
        return
    result = entry(*ours.values(), threads)
    assert isinstance(result, tuple), result
    for name, value in ours.items():
        if isinstance(value, np.ndarray):
            same(value, theirs[name], case.close)
    for name, value in zip(case.live_out, result, strict=True):
        assert type(value) is type(theirs[name]), (
            name,
            type(value),
            type(theirs[name]),
        )
        same(np.asarray(value), np.asarray(theirs[name]), case.close)


def same(ours: Any, theirs: Any, close: bool) -> None:
    """Equal bits (any NaN equals any NaN), or close for reassociated sums."""
    if close:
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)
        return
    kind = ours.dtype
    assert kind == theirs.dtype
    if kind.kind in "fc":
        parts = [ours.real, theirs.real], [ours.imag, theirs.imag]
        for one, two in parts if kind.kind == "c" else parts[:1]:
            np.testing.assert_array_equal(np.isnan(one), np.isnan(two))
            good = ~np.isnan(one)
            np.testing.assert_array_equal(one[good], two[good])
            np.testing.assert_array_equal(np.signbit(one[good]), np.signbit(two[good]))
    else:
        np.testing.assert_array_equal(ours, theirs)


def _globals() -> dict[str, Any]:
    import math

    return {"np": np, "math": math}
