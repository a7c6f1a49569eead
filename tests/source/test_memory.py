"""Which arrays may share memory: every way in which a name gets one."""

from __future__ import annotations

import warnings

import pytest
from kit.nests import kernel_of
from kit.samples import some

from looptx import plan, source
from looptx.errors import LooptxError
from source import aliasing

FORMS = [line for line in aliasing.FORMS.split("\n") if line]
PAIR = ("A", "B")


def refusal(before: str, module: str = "", arrays: tuple[str, ...] = PAIR) -> str:
    """The code of the refusal of a nest that reads one array and writes the other."""
    text = aliasing.program(before, arrays, False, module)
    lines = text.split("\n")
    at = next(n for n, line in enumerate(lines) if "for i in range(1, n)" in line)
    lines.insert(at, "    # looptx: split i 4 | reorder ii i")
    read = source.read("\n".join(lines), "t.py")
    (kernel,) = (each for each in read.kernels if each.qualname == "kernel")
    try:
        plan.plan_kernel(kernel)
    except LooptxError as error:
        return error.code
    return ""


def said(before: str, arrays: tuple[str, ...]) -> frozenset[frozenset[str]]:
    """The pairs of arrays that looptx says may share memory."""
    text = aliasing.program(before, arrays, False, aliasing.MODULE)
    read = source.read(text, "t.py")
    (kernel,) = (each for each in read.kernels if each.qualname == "kernel")
    return kernel.nests[-1].aliases


@pytest.mark.parametrize("form", FORMS)
def test_a_name_that_gets_an_array_may_share_its_memory(form: str) -> None:
    given = dict(a="A", b="C", t="B", u="D", l="L", m="M", o="o")
    before = form.replace("; ", "\n").replace(" |", "\n").format(**given)
    before = aliasing.BEFORE.strip() + "\n" + before
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        actual = aliasing.sharing(before, aliasing.ARRAYS)
    assert actual <= said(before, aliasing.ARRAYS)


@pytest.mark.parametrize("part", range(some(2)))
def test_what_shares_memory_after_random_statements(part: int) -> None:
    ran = found = 0
    for seed in range(part * 50, part * 50 + 50):
        before = aliasing.body(seed)
        try:
            actual = aliasing.sharing(before, aliasing.ARRAYS)
        except (AttributeError, TypeError, ValueError, NameError, IndexError):
            continue  # Some statements want what others took away.
        ran += 1
        found += len(actual)
        assert actual <= said(before, aliasing.ARRAYS), before
    assert ran > 40 and found > 20


GLOBALS = "import numpy as np\nG = np.zeros(9)\n"
"""Further statements of a module after which G and H are one."""
SAME = [
    "H = G",
    "H, K = G, 1",
    "H = G[1:]",
    "for H in [G]: pass",
    "try:\n    H = G\nexcept Exception: pass",
    "if G.size:\n    H = G\nelse:\n    H = G.copy()",
    "def g():\n    global H\n    H = G",
    "def g(x):\n    global H\n    H = x\ng(G)",
    "def g(x):\n    global H\n    H = x\nlist(map(g, [G]))",
    "class K:\n    global H\n    H = G",
    "globals()['H'] = G",
    "globals().update(H=G)",
    "vars()['H'] = G",
    "exec('H = G')",
    "import sys\nsys.modules[__name__].H = G",
    "import sys\nsetattr(sys.modules[__name__], 'H', G)",
    "import __main__\n__main__.H = G",
    "def g():\n    import __main__ as m\n    m.H = G",
    "from __main__ import G as H",
    "with Box(G) as H: pass\nclass Box:\n    def __enter__(self): return G",
]


@pytest.mark.parametrize("module", SAME)
def test_globals_that_the_module_makes_one(module: str) -> None:
    assert refusal("", GLOBALS + module, ("G", "H")) == "LX203"
    assert refusal("", GLOBALS + "H = np.zeros(9)", ("G", "H")) == ""


@pytest.mark.parametrize(
    ("module", "head", "arrays"),
    [
        ("from d import G\nfrom d import G as H", "n", ("G", "H")),
        ("import d\nfrom d import G", "n", ("G", "d.G")),
        ("import d as e\nimport d", "n", ("e.G", "d.G")),
        ("G = [1.0]", "n, A=G", ("A", "G")),
        ("G = [1.0]", "n, *, A=G", ("A", "G")),
    ],
)
def test_imports_and_defaults(module: str, head: str, arrays: tuple[str, str]) -> None:
    written, read = arrays
    code = (
        f"{module}\ndef kernel({head}):\n"
        f"    for i in range(1, n):\n        {written}[i] = {read}[i - 1]\n"
    )
    (nest,) = kernel_of(code).nests
    assert nest.aliases == {frozenset(arrays)}


@pytest.mark.parametrize(
    ("methods", "pairs"),
    [
        ("self.a = q\n        self.b = q", True),
        ("self.a = self.b = np.zeros(9)", True),
        ("self.a = q\n        self.b = self.a[1:]", True),
        ("self.a = np.zeros(9)\n        self.b = self.a.copy()", False),
        ("self.a = q\n        self.b = r", False),
        ("self.a, self.b = self.b, self.a", False),
    ],
)
def test_what_other_methods_give_to_attributes(methods: str, pairs: bool) -> None:
    code = f"""
import numpy as np

class Model:
    def __init__(self, q, r):
        {methods}

class Special(Model):
    def kernel(self, n):
        self.check(n)
        for i in range(1, n):
            self.a[i] = self.b[i - 1]
"""
    read = source.read(code, "t.py")
    (kernel,) = (each for each in read.kernels if each.nests)
    assert bool(kernel.nests[0].aliases) == pairs


@pytest.mark.parametrize(
    ("before", "module"),
    [
        ("", ""),
        ("B = A.copy()", ""),
        ("B = np.copy(A)", "import numpy as np"),
        ("B = np.array(A)", "import numpy as np"),
        ("B = np.empty_like(A)", "import numpy as np"),
        ("B = np.ndarray(n)", "import numpy as np"),
        ("m, k = A.shape\nB = np.zeros(m)", "import numpy as np"),
        ("B = np.zeros(len(A), dtype=A.dtype)", "import numpy as np"),
        ("B = A.astype(float)", ""),
        ("B = A.astype(dtype=float)", ""),
        ("B = A.flatten()", ""),
        ("B = ones_like(A)", "from numpy import *"),
        ("B = A + C", ""),
        ("B = A @ C\nB += A", ""),
        ("B = np.where(A > 0, A, C)", "import numpy as np"),
        ("B = make(A)", "import numpy as np\ndef make(x): return np.zeros(len(x))"),
        ("B = np.zeros(n)\nB[:] = A\nB[0] = A[1]", "import numpy as np"),
        ("assert A is not C\nlog.info(A, C)", ""),
        ("x = A[0]\nC[0] = x\nC[1] = A[2]", ""),
        ("bc(A, C[0])", "def bc(u, left): u[0] = left"),
        ("bc(A, C)", "def bc(u, v): u[0] = v[0]"),
        ("C = np.zeros((2, n))\nC[0] = A\nx = C.shape", "import numpy as np"),
        ("setup(A)", "def setup(x):\n    global W\n    W = x"),
    ],
)
def test_what_is_known_to_be_apart(before: str, module: str) -> None:
    arrays = ("A", "B" if "B = " in before else "C")
    assert refusal(before, module, arrays) == ""


@pytest.mark.parametrize(
    ("before", "module"),
    [
        ("B = make(A)\nD = make(C)", "def make(x): return x"),
        ("B = make(A)\nD = make(C)", ""),
        ("B = make(n)\nD = make(n)", "def make(m): return [0.0] * m"),
        ("B = make(n)\nD = make(n)", ""),
        ("m, _ = A.shape\nB = make(m)\nD = make(m)", ""),
        ("B = make(SIZE)\nD = make(SIZE)", "SIZE = 3 * 100"),
        ("B, D = make(n)", ""),
        ("B, D = [np.zeros(n) for _ in range(2)]", "import numpy as np"),
        ("B, D = np.zeros(n), np.zeros(n)", "import numpy as np"),
        ("p, q = Box(A), Box(C)\nB, D = p.x, q.x",
         "class Box:\n    def __init__(self, x): self.x = x"),
    ],
)  # fmt: skip
def test_results_that_are_known_to_be_apart(before: str, module: str) -> None:
    assert refusal(before, module, ("B", "D")) == ""


def test_results_that_may_be_one() -> None:
    cached = "import functools\n@functools.cache\ndef make(n): return [0.0] * n"
    assert refusal("B = make(n)\nD = make(n)", cached, ("B", "D")) == "LX203"
    kept = (
        "LAST = {}\ndef make(n):\n    LAST.setdefault(n, [0.0] * n)\n    return LAST[n]"
    )
    assert refusal("B = make(n)\nD = make(n)", kept, ("B", "D")) == "LX203"


def test_a_number_that_a_function_inside_changes_is_no_integer() -> None:
    code = """
def f(A, n):
    m = 3
    def change():
        nonlocal m
        m = 2.5
    change()
    for i in range(n):
        if i < m:
            A[i] = 1
"""
    (nest,) = kernel_of(code).nests
    (statement,) = nest.statements.values()
    assert statement.loops and "m" not in nest.parameters


def test_deep_and_long_modules_are_read() -> None:
    deep = "x = " + " + ".join(f"a{n}" for n in range(600))
    chain = "y = q" + ".m()" * 150
    many = "\n".join(f"v{n} = [v{n - 1}, w{n}]" for n in range(1, 300))
    assert refusal("", f"{deep}\n{chain}\n{many}", ("A", "C")) == ""


def test_an_array_copies_the_row_that_is_stored() -> None:
    text = """
def f(y, W, n):
    # looptx: split i 4
    for i in range(n):
        y[i // 2] = W[0, i]
    t = W[2, 0, 0]
"""
    (nest,) = kernel_of(text).nests
    assert not nest.aliases


VIEWS = [
    ("X = A[0]\nY = A[0]", ""),
    ("X = A[0]\nY = A", ""),
    ("Z = A[0]\nX = Z\nY = A[0]", ""),
    ("L = [A, A]\nX = L[0]\nY = L[1]", ""),
    ("X = A[None][0]\nY = A", ""),
    ("s = slice(None)\nX = A[s]\nY = A", ""),
    ("X = A[...]\nY = A", ""),
    ("X = np.expand_dims(A, 0)[0]\nY = A", "import numpy as np"),
    ("B = A.reshape(1, n, n)\nX = B[0]\nY = A", ""),
    ("q = A[0]\nX = q if n else A\nY = A[0]", ""),
    ("p = Space(a=A, b=A)\nX = p.a\nY = p.b",
     "from types import SimpleNamespace as Space"),
    ("kernel.x = A\nX = kernel.x\nY = A", ""),
    ("globals()['Q'] = A\nX = Q\nY = A", ""),
    ("d = {}\nX = d['k'] = A\nY = d['k']", ""),
    ("class o:\n    a = A\no.a += 0\nX = o.a\nY = A", ""),
    ("X = new(n)\nY = new(n)",
     "import numpy as np\ndef new(n, c={}):\n    if n not in c:\n"
     "        c[n] = np.zeros((n, n))\n    return c[n]"),
    ("X = W(A)\nY = A",
     "class W:\n    def __init__(s, a): s.arr = a\n"
     "    def __getitem__(s, k): return s.arr[k]\n"
     "    def __setitem__(s, k, v): s.arr[k] = v"),
    ("X = W(A) + 0\nY = A",
     "class W:\n    def __init__(s, a): s.arr = a\n"
     "    def __add__(s, k): return s.arr"),
    ("p = P(A)\nX = p.a\nY = A",
     "class P:\n    def __init__(self, a): self.__dict__['a'] = a"),
    ("p = P(a=A)\nX = p.a\nY = A",
     "class P:\n    def __init__(self, **k): self.__dict__.update(k)"),
    ("p = P(a=A)\nX = p.a\nY = A",
     "class P:\n    def __init__(self, **k):\n"
     "        for q, v in k.items(): setattr(self, q, v)"),
    ("L = np.empty(1, object)\nL[0] = A\nX = L[0]\nY = A", "import numpy as np"),
    ("L = np.zeros(2, 'O')\nL[0] = A\nX = L[0]\nY = A", "import numpy as np"),
    ("L = np.full(1, None, dtype=object)\nL.fill(A)\nX = L.item(0)\nY = A",
     "import numpy as np"),
    ("L = []\nh = L.append\nh(A)\nX = L[0]\nY = A", ""),
    ("p = Space()\np.put = A\nX = p.put\nY = A",
     "from types import SimpleNamespace as Space"),
    ("p = P(A)\nX = p.fill\nY = A",
     "class P:\n    def __init__(self, a): self.fill = a"),
    ("p.add = A\nX = p.add\nY = A", ""),
    ("L = []\nlist(map(L.append, [A]))\nX = L[0]\nY = A", ""),
    *(
        (f"{before}\nY = A",
         "from functools import partial\nclass P:\n"
         "    def __init__(self, a): self.a = a\n    def get(self): return self.a\n"
         "def call(what): return what()")
        for before in (
            "get = P(A).get\nX = get()",
            "p = P(A)\nget = p.get\nX = get()",
            "p = P(0)\np.a = A\nget = p.get\nX = get()",
            "L = [P(A).get]\nX = L[0]()",
            "X = partial(P(A).get)()",
            "get = P(A).get\ndef got(): return get()\nX = got()",
            "X = call(P(A).get)",
            "X = call(lambda: A)",
            "def get(): return A\nX = call(get)",
        )
    ),
    ("p = new()\nput = p.put\nput(A)\nX = p.a\nY = A", "from elsewhere import new"),
    ("K.x = A\nX = K().x\nY = A", "class K: pass"),
    ("p = P(A)\nX = p.b\nY = A",
     "class P:\n    def __init__(self, a): self.a = a\n"
     "    def __getattr__(self, name): return self.a"),
]  # fmt: skip
"""What a name gets that another has, or a part of it, by statements before a nest."""


@pytest.mark.parametrize(("before", "module"), VIEWS)
def test_parts_and_attributes_share_memory(before: str, module: str) -> None:
    assert both(before, module, "X[i, j]", "Y[i - 1, j + 1]") == "LX203"


@pytest.mark.parametrize(
    ("before", "module"),
    [
        ("X = A + 0\nY = A", ""),
        ("X = A.copy()[0]\nY = A", ""),
        ("X = np.array(A)\nY = A", "import numpy as np"),
        ("X = make(A) + 0\nY = A", "from elsewhere import make"),
        ("X = np.full((n, n), 0.5)\nX[0] = A[0]\nY = A", "import numpy as np"),
        ("X = np.zeros((n, n), 'f8')\nX[0] = A[0]\nY = A", "import numpy as np"),
        ("X = np.zeros((n, n), A.dtype)\nX[0] = A[0]\nY = A", "import numpy as np"),
        ("X = new(n)\nY = new(n)",
         "import numpy as np\ndef new(n):\n    c = {}\n"
         "    c[n] = np.zeros((n, n))\n    return c[n]"),
    ],
)  # fmt: skip
def test_copies_share_none(before: str, module: str) -> None:
    assert both(before, module, "X[i, j]", "Y[i - 1, j + 1]") == ""


@pytest.mark.parametrize(
    ("before", "module", "code"),
    [
        ("L = [A, A]", "", "LX203"),
        ("L = P(A, A)",
         "from typing import NamedTuple\n"
         "class P(NamedTuple):\n    a: object\n    b: object", "LX203"),
        ("L = np.zeros((2, n, n))", "import numpy as np", ""),
        ("L = A", "", ""),
        ("L = np.zeros((2, n, n), float, order='C')\nL[0] = A\nL[1] = A",
         "import numpy as np", ""),
        ("L = np.zeros(2, object, order='C')\nL[0] = A\nL[1] = A",
         "import numpy as np", "LX203"),
    ],
)  # fmt: skip
def test_two_elements_of_a_list_may_be_one_array(
    before: str, module: str, code: str
) -> None:
    assert both(before, module, "L[0][i, j]", "L[1][i - 1, j + 1]") == code


def test_a_method_of_what_is_given_reaches_its_attributes() -> None:
    assert (
        both("get = A.get\nX = get()", "", "X[i, j]", "A.own[i - 1, j + 1]") == "LX203"
    )


def test_attributes_of_what_is_given_are_one_where_the_file_says_it() -> None:
    module = """
class P:
    def __init__(self, a):
        self.a = a
        self.b = a
def main(A, n):
    kernel(P(A), n)
"""
    assert both("", module, "A.a[i, j]", "A.b[i - 1, j + 1]") == "LX203"
    other = module.replace("self.b = a", "self.b = a.copy()")
    assert both("", other, "A.a[i, j]", "A.b[i - 1, j + 1]") == ""


def both(before: str, module: str, write: str, read: str) -> str:
    """The code of the refusal of a nest that writes one cell and reads another."""
    body = "".join(f"    {line}\n" for line in before.split("\n"))
    text = f"""
{module}
def kernel(A, n):
{body}
    # looptx: reorder j i
    for i in range(1, n):
        for j in range(n - 1):
            {write} = {read} + 1
"""
    (kernel,) = (k for k in source.read(text, "t.py").kernels if k.qualname == "kernel")
    try:
        plan.plan_kernel(kernel)
    except LooptxError as error:
        return error.code
    return ""


PROPERTY = """
class P:
    c = 0
    @property
    def s(self):
        {body}
        return self.c
"""


@pytest.mark.parametrize(
    ("body", "code"), [("self.c += 1", "LX203"), ("'Pure.'", ""), ("log()", "LX203")]
)
def test_a_property_may_do_more_than_give_a_value(body: str, code: str) -> None:
    module = PROPERTY.format(body=body)
    assert both("p = P()", module, "A[i, j]", "p.s + A[i, j]") == code


@pytest.mark.parametrize("read", ["v.sum()", "np.sum(v)", "max(v)"])
def test_a_row_that_is_read_as_a_whole(read: str) -> None:
    text = f"""
import numpy as np
def f(A, s, n):
    v = A[2]
    # looptx: split i 3 | reorder ii i
    for i in range(n):
        s[i] = {read}
        A[i] += 1
"""
    assert frozenset("Av") in kernel_of(text).nests[0].aliases
