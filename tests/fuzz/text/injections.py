"""Texts that try to get into the generated code, or to be run while they are read."""

from __future__ import annotations

import random
import re

from fuzz.text import corpus as corpus
from fuzz.text.directives import NUMBERS

CANARY = "lx_canary"
"""A folder that exists once some text has been evaluated."""

EVIL = f"__import__('os').mkdir('{CANARY}')"
NAMES = (
    "__pyx_x", "__pyx_v_i", "__pyx_t_1", "__Pyx_Raise", "PyErr_Occurred", "Py_INCREF",
    "register", "volatile", "restrict", "inline", "double", "int", "char", "signed",
    "extern", "cimport", "cdef", "cpdef", "ctypedef", "nogil", "gil", "include", "DEF",
    "IF", "NULL", "sizeof", "typeid", "prange", "cython", "object", "struct", "union",
    "enum", "api", "lx_work", "lx_box", "lx_cython", "lx_numpy", "lx_min_f64",
    "lx_canary_x", "threads", "i_", "A_", "n_out", "I", "NAN", "INFINITY", "EOF",
    "errno", "main", "_Complex", "M_PI", "print", "range", "len", "min", "abs", "numpy",
    "np", "math", "self", "_", "__class__", "uint8_t", "int64_t", "Py_ssize_t", "bint",
    "memoryview", "linux", "unix", "asm", "__asm__", "\uff49\uff4e\uff54", "é", "变量",
    "x" * 2000, "__import__", "exec", "eval", "__builtins__",
)  # fmt: skip
COMMENTS = (
    "# distutils: extra_compile_args=-fplugin=lx_canary.so",
    "# cython: boundscheck=True", "# distutils: include_dirs=lx_canary",
    "# distutils: sources=lx_canary.c", "# */ lx_canary",
    "# cython: language_level=2, lx_canary=1", '# """ lx_canary', "# \\",
    "# tag: lx_canary", "# looptx: applied lx_canary", "# looptx:",
    "# looptx: applied [sha256 0]", "#pragma omp x", "# /* lx_canary",
    "#include <lx_canary.h>", '#line 1 "lx_canary"', "# lx_canary\x0ccimport os",
    "# \x85cimport lx_canary", "# \u2028cimport lx_canary", "# \x1b]0;lx_canary\x07",
    "#\x1c\x1d",
)  # fmt: skip
STRINGS = (
    "'\"; system(\"lx_canary'", "'''\ncimport lx_canary\n'''", '"""*/ lx_canary /*"""',
    "'\\\\\\n'", '"\\x22; lx_canary(); //"', "f'{" + EVIL.replace("'", '"') + "}'",
    "b'lx_canary'", "'%s{0}'", "'\\N{BULLET}'", "'\\0lx_canary'", "'??/'", "r'\\'",
    "'lx_canary' * 10**9",
)  # fmt: skip
BODY = """\
    # looptx: tile i=4
    for i in range(n):
        A[i] = 1
"""
PLACES = (
    f"def f(A, n: {{0}}) -> None:\n{BODY}",
    f"def f(A: {{0}}, n):\n{BODY}",
    f"def f(A, n={{0}}):\n{BODY}",
    f"@{{0}}\ndef f(A, n):\n{BODY}",
    f"@looptx.kernel({{0}})\ndef f(A, n):\n{BODY}",
    f"@looptx.kernel(looptx.tile(i={{0}}))\ndef f(A, n):\n{BODY}",
    f"@looptx.kernel(looptx.{{0}}(i=4))\ndef f(A, n):\n{BODY}",
    f"@looptx.kernel('tile i=4', signature={{0}})\ndef f(A, n):\n{BODY}",
    f"def f(A, n):\n    B = {{0}}\n{BODY.replace('= 1', '= B[i]')}",
    f"def f(A, n):\n    import {{0}} as np\n{BODY.replace('= 1', '= np.sin(A[i])')}",
    f"class {{0}}:\n  def f(A, n):\n{BODY}",
    f"X = {{0}}\ndef f(A, n):\n{BODY.replace('= 1', '= X')}",
    *(
        f"def f(A, n):\n{BODY.replace(old, new)}"
        for old, new in (
            ("i=4", "i={0}"),
            ("tile i=4", "assume n > {0}"),
            ("tile i=4", "temp A{0}"),
            ("tile i=4", "tile i=4 as {0}"),
            ("tile i=4", "nest {0}"),
            ("range(n)", "range({0})"),
            ("range(n)", "range(0, n, {0})"),
            ("A[i]", "A[{0}]"),
            ("= 1", "= {0}"),
            ("= 1", "= 1 if {0} else 2"),
            ("A[i] = 1", "{0}"),
        )
    ),
)
"""Where an evaluator might evaluate what it finds."""


def source(rng: random.Random) -> bytes:
    """A program that tries to be run, or to write lines of the generated code."""
    form = rng.randrange(4)
    if form == 0:
        what = rng.choice(
            (EVIL, EVIL, f"({EVIL} or 4)", *NAMES, *STRINGS, *NUMBERS[:20])
        )
        text = "import looptx\n" + rng.choice(PLACES)
        return text.replace("{0}", what).encode("utf-8", "surrogatepass")
    text = corpus.program(rng)
    if form == 1:
        text = _renamed(rng, text)
    elif form == 2:
        text = _commented(rng, text)
    else:
        text = _told(rng, text)
    return text.encode("utf-8", "surrogatepass")


def _renamed(rng: random.Random, text: str) -> str:
    """Identifiers that mean something in C, in Cython or in what looptx writes."""

    words = sorted(
        set(re.findall(r"\b[A-Za-z]\w*\b", text)) & {*"ijkntABCDxysm", "acc", "out"}
    )
    for word in rng.sample(words, min(len(words), rng.randint(1, 3))):
        text = re.sub(rf"\b{word}\b", rng.choice(NAMES), text)
    return text


def _commented(rng: random.Random, text: str) -> str:
    """Comments and strings that would be orders in generated text."""
    lines = text.split("\n")
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(lines))
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        what = rng.choice(COMMENTS) if rng.random() < 0.7 else rng.choice(STRINGS)
        if rng.random() < 0.4:
            lines[at] += f"  {rng.choice(COMMENTS)}"
        else:
            lines.insert(at, indent + what)
    return "\n".join(lines)


def _told(rng: random.Random, text: str) -> str:
    """A directive with code in it."""
    evil = (
        EVIL,
        f"{{{EVIL}}}",
        f"`{EVIL}`",
        f"$({EVIL})",
        f"i=4\\\n{EVIL}",
        *STRINGS,
        *COMMENTS,
    )
    line = rng.choice(corpus.lines())
    words = line.split(" ")
    words.insert(rng.randint(1, len(words)), rng.choice(evil))
    glue = rng.choice((" ", " ", "=", "\\\n"))
    return corpus.with_line(rng, text, glue.join(words))
