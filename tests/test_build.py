"""Ahead of time: an annotated module as an extension module that needs no looptx."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from looptx import rewriting, source
from looptx.build import BuildExt, extensions
from looptx.errors import LooptxError
from looptx.native.ahead import extension, inplace
from looptx.native.ahead.buildext import Annotated
from looptx.native.compile import compiler

needs_compiler = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)

SOURCE = '''\
"""Loops."""

from __future__ import annotations

import dataclasses
import sys


@dataclasses.dataclass
class Pair:
    a: int
    b: str = "b"


def scale(A, x: float):
    """Multiply."""
    n, m = A.shape
    # looptx: tile i=4 j=4 | parallel i
    for i in range(n):
        for j in range(m):
            A[i, j] = A[i, j] * x
    return A


def total(x: "float64[:]"):
    s = 0.0
    # looptx: split i 4
    for i in range(x.shape[0]):
        s += x[i]
    return s


def fail(x):
    where = sys._getframe().f_lineno
    # looptx: split i 4
    for i in range(x.shape[0]):
        x[i] = x[i + 1]
    return where
'''

USE = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
import loops
assert loops.__file__.endswith({suffix!r}), loops.__file__
assert loops.__doc__ == "Loops."
assert loops.scale.__doc__ == "Multiply."
assert loops.Pair(1) == loops.Pair(1, "b")
assert loops.Pair.__module__ == "loops"
for A in (np.ones((9, 7)), np.ones((9, 14))[:, ::2], np.ones((9, 7), np.float32), 2):
    try:
        assert (loops.scale(A, 3.0) == 3).all()
    except AttributeError:
        assert A == 2
assert loops.total(np.arange(10.0)) == 45.0
try:
    loops.fail(np.zeros(4))
except IndexError as error:
    import traceback
    frame = traceback.extract_tb(error.__traceback__)[-1]
    assert frame.line == "x[i] = x[i + 1]", frame
else:
    raise AssertionError
calls = []
loops._looptx_0 = lambda *values: calls.append(values)
loops.scale(np.ones((2, 2)), 3.0)
assert len(calls) == 1
for absent in ("looptx", "Cython", "islpy"):
    assert absent not in sys.modules, absent
"""


@pytest.fixture
def loops(tmp_path):
    """An annotated file."""
    path = tmp_path / "loops.py"
    path.write_text(SOURCE)
    return path


def use(folder: Path) -> None:
    """Use the built module in a fresh interpreter, away from looptx."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    program = USE.format(folder=str(folder), suffix=suffix)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 0, done.stderr


def test_the_text_is_whole():
    made = extension.extension_text(SOURCE, "loops.py")
    assert [nest.label for nest in made.nests] == ["scale.n0", "total.n0", "fail.n0"]
    assert made.openmp
    assert not made.left
    assert "looptx.native" not in made.text
    assert "import looptx" not in made.text


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The extension module of an annotated file, beside it."""
    path = tmp_path_factory.mktemp("built") / "loops.py"
    path.write_text(SOURCE)
    return inplace.build_file(path, SOURCE).library


@needs_compiler
def test_a_file_is_built_beside_itself_and_used_without_looptx(library):
    use(library.parent)
    leftovers = {path.name for path in library.parent.iterdir()}
    assert leftovers <= {"loops.py", library.name, "__pycache__"}


@needs_compiler
def test_a_call_that_runs_as_python_says_so_once(library):
    program = (
        "import warnings, numpy as np, loops\n"
        "def told(function, *given):\n"
        "    with warnings.catch_warnings(record=True) as caught:\n"
        "        warnings.simplefilter('always')\n"
        "        try:\n"
        "            function(*given)\n"
        "        except (IndexError, AttributeError):\n"
        "            pass\n"
        "    assert all(one.filename == '<string>' for one in caught)\n"
        "    return [str(one.message) for one in caught]\n"
        "assert told(loops.scale, np.ones((3, 3)), 2.0) == []\n"
        "print(*told(loops.scale, np.ones((3, 3), int), 2), sep='\\n')\n"
        "assert told(loops.scale, np.ones((3, 3), int), 2) == []\n"
        "print(*told(loops.fail, np.ones(3)), sep='\\n')\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, cwd=library.parent, capture_output=True, text=True, check=True
    )
    prefix = "looptx: {}.n0 runs as plain Python: {}"
    assert done.stdout.splitlines() == [
        prefix.format("scale", "it was not built for the types of this call"),
        prefix.format("fail", "an index would leave x, which needs x.shape[0] == 0"),
    ]


EXCHANGED = """
def swept(A: "float64[::1]", B: "float64[:]", steps: int):
    # looptx: vectorize i 4
    for t in range(steps):
        for i in range(len(A)):
            B[i] = A[i] / 2 + t
        A, B = B, A
    return A
"""


@needs_compiler
def test_arrays_that_exchange_their_names_run_natively(tmp_path):
    path = tmp_path / "rounds.py"
    path.write_text(EXCHANGED)
    inplace.build_file(path, EXCHANGED)
    program = (
        "import numpy as np, rounds\n"
        "for steps in range(4):\n"
        "    A, B = np.arange(7.0), np.ones(7)\n"
        "    print((rounds.swept(A, B, steps) is A, A.tolist(), B.tolist()))\n"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    plain = dict[str, Any]()
    exec(EXCHANGED, plain)
    expected = list[tuple[Any, ...]]()
    for steps in range(4):
        A, B = np.arange(7.0), np.ones(7)
        which = plain["swept"](A, B, steps) is A
        expected.append((which, A.tolist(), B.tolist()))
    assert list(map(ast.literal_eval, done.stdout.splitlines())) == expected


REBOUND = """
from math import sqrt
from math import sqrt as root

import numpy as np

SCALE = 2.0


def quarter(x):
    return x / 4


def half(x, more=0):
    return quarter(x) + quarter(x) + more


def scaled(a: "float64[:]"):
    # looptx: split i 2
    for i in range(len(a)):
        a[i] = half(a[i]) + sqrt(a[i]) * SCALE + root(a[i]) + np.cbrt(a[i])
    return a.tolist()
"""

REBINDS = """
import warnings, numpy as np, rebound as m
found = []
for change in CHANGES:
    exec(change, vars(m))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found.append((m.scaled(np.arange(5.0)), len(caught)))
print(found)
"""


@pytest.fixture(scope="module")
def rebound(tmp_path_factory):
    """The folder of a built module whose function uses others."""
    path = tmp_path_factory.mktemp("rebound") / "rebound.py"
    path.write_text(REBOUND)
    inplace.build_file(path, REBOUND)
    return path.parent


@needs_compiler
@pytest.mark.parametrize(
    "change",
    [
        "half = lambda x: x * 10",
        "quarter = lambda x: x * 10",
        "sqrt = lambda x: x * 10",
        "def len(x): return 2",
        "root = lambda x: x * 10",
        "half.__defaults__ = (5,)",
        "import types; np = types.SimpleNamespace(cbrt=lambda x: x * 10)",
        "SCALE = 3.0",
    ],
)
def test_names_may_mean_something_else_later(rebound, change):
    first = "pass"
    program = f"CHANGES = {(first, change)}\n{REBINDS}"
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, cwd=rebound, capture_output=True, text=True, check=True
    )
    found = ast.literal_eval(done.stdout)
    plain = dict[str, Any]()
    exec(REBOUND, plain)
    for text, (left, told) in zip((first, change), found, strict=True):
        exec(text, plain)
        assert left == plain["scaled"](np.arange(5.0))
        assert told == (text not in (first, "SCALE = 3.0"))


@needs_compiler
def test_a_native_version_really_runs(library):
    values = {"n": "3", "m": "3", "x": "2.0", "A": "A"}
    (info, *_) = extension.extension_text(SOURCE, "loops.py").nests
    arguments = ", ".join(values[name] for name in info.live_in)
    program = (
        "import numpy as np, loops\n"
        f"def run(A): return loops._looptx_0({arguments})\n"
        "assert run(np.ones((3, 3))) == ()\n"
        "assert run(np.ones((3, 6))[:, ::2]) == ()\n"
        "assert run(np.ones((3, 3), int)) is None\n"
        "with np.errstate(over='raise'):\n"
        "    assert run(np.ones((3, 3))) is None\n"
        "with np.errstate(all='ignore'):\n"
        "    assert run(np.ones((3, 3))) == ()\n"
    )
    command = [sys.executable, "-c", program]
    subprocess.run(command, check=True, cwd=library.parent)


PLAIN = """
import looptx


@looptx.kernel
def above(a: "float64[:]", least: float):
    found = []
    for i in range(len(a)):
        if a[i] > least:
            found.append((i, a[i]))
    return found


@looptx.kernel
def halvings(n: int):
    count = 0
    while n > 1:
        n //= 2
        count += 1
    return count


@looptx.kernel("split i 4")
def doubled(a: "float64[:]"):
    for i in range(len(a)):
        a[i] *= 2
    return a.tolist()
"""


@needs_compiler
def test_functions_without_directives_are_built_as_calls_compile_them(tmp_path):
    names = ["above.n0", "halvings.n0", "doubled.n0"]
    made = extension.extension_text(PLAIN, "plain.py")
    assert [nest.label for nest in made.nests] == names
    assert not made.left
    path = tmp_path / "plain.py"
    path.write_text(PLAIN)
    inplace.build_file(path, PLAIN)
    program = (
        "import numpy as np, plain\n"
        "for n in (0, 1, 7):\n"
        "    a = np.arange(float(n))\n"
        "    print((plain.above(a, 2.5), plain.halvings(n), plain.doubled(a)))\n"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    plain = dict[str, Any]()
    exec(re.sub("@looptx.kernel.*", "", PLAIN), plain)
    texts = []
    for n in (0, 1, 7):
        a = np.arange(float(n))
        texts.append(
            str((plain["above"](a, 2.5), plain["halvings"](n), plain["doubled"](a)))
        )
    assert done.stdout.splitlines() == texts


DECORATED = """\
import looptx
from looptx import tile


@looptx.kernel("tile i=4 j=4")
def f(A):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = 1.0


LINE = 12
"""


def test_loops_that_cannot_be_read_are_told():
    unread = DECORATED.replace(
        "\n\nLINE", "    for i in range(3):\n        return A\n\n\nLINE"
    )
    (error,) = extension.extension_text(unread, "loops.py").left
    assert error.concise() == ("loops.py:11:9: LX301 `return`")
    # Of a function that nothing asks for nothing is told.
    other = unread.replace(
        '@looptx.kernel("tile i=4 j=4")\n', "# looptx: tile i=4 j=4\n"
    )
    assert not extension.extension_text(other, "loops.py").left


def test_numbers_of_objects_are_told_in_the_words_of_the_source():
    text = """import numpy as np
import looptx


class Ring:
    def __init__(self, size):
        self.cells = np.zeros(size)
        self.first = 0

    @looptx.kernel
    def drained(self, out):
        for i in range(len(out)):
            out[i] = self.cells[self.first]
"""
    with pytest.raises(LooptxError, match=r"the subscript `self\.first` is no integer"):
        extension.extension_text(text, "ring.py")


def test_decorators_are_gone_and_lines_stay():
    made = extension.extension_text(DECORATED, "d.py")
    (source,) = [
        node.value
        for node in ast.walk(
            ast.parse(made.text[made.text.index("def _looptx_start") :])
        )
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and "LINE = 12" in node.value
    ]
    assert "looptx.kernel" not in source
    assert source.splitlines()[11] == "LINE = 12"


def test_lines_stay_where_what_is_taken_away_has_several() -> None:
    """Comments above it, and lines in parentheses."""
    text = """\
# imports
import looptx
from looptx import (
    kernel,  # the decorator
    tile,
)
from looptx import (
    split,
    # nobody knows
)

A = 11


# above
@looptx.kernel(
    "split i 4",
)
# between
@kernel(split("i", 4))
@other
# at last
def f(A):
    for i in range(A.shape[0]):
        A[i] = 24
"""
    made = rewriting.undecorated(source.read(text, "d.py"))
    assert "kernel" not in made and "split" not in made
    before, after = text.splitlines(), made.splitlines()
    assert len(before) == len(after)
    for line in ("A = 11", "@other", "# at last", "def f(A):", "        A[i] = 24"):
        assert before.index(line) == after.index(line), made
    assert "# above" in after and "# between" in after


def test_types_are_tried_in_order():
    made = extension.extension_text(SOURCE, "loops.py", dtypes=("float64", "float32"))
    assert made.text.count("def _looptx_0_") == 4


REFUSED = """\
def f(A):
    # looptx: reorder j i
    for i in range(1, A.shape[0]):
        for j in range(A.shape[1] - 1):
            A[i, j] = A[i - 1, j + 1] + 1
"""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (REFUSED, "LX201"),
        ("x = 1\n", "LX107"),
        ("def f(:\n", "LX303"),
        (REFUSED.replace("reorder j i", "reoder j i"), "LX101"),
    ],
)
def test_what_is_refused(text, code):
    with pytest.raises(LooptxError) as caught:
        extension.extension_text(text, "x.py")
    assert caught.value.code == code


def test_modules_are_named_by_their_packages(tmp_path):
    package = tmp_path / "src" / "pkg" / "sub"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package.parent / "__init__.py").write_text("")
    assert extension.module_name(package / "k.py") == "pkg.sub.k"
    assert extension.module_name(tmp_path / "src" / "k.py") == "k"
    for name in ("__init__.py", "my-file.py"):
        with pytest.raises(LooptxError) as caught:
            extension.module_name(package / name)
        assert caught.value.code == "LX502"


def test_extensions_take_files_lists_and_patterns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("a", SOURCE), ("b", SOURCE), ("c", "x = 1\n")):
        Path(f"{name}.py").write_text(text)
    names = [one.name for one in extensions("a.py", [Path("b.py")], native=True)]
    assert names == ["a", "b"]
    found = extensions("*.py")
    assert [one.name for one in found] == ["a", "b"]
    assert all(isinstance(one, Annotated) for one in found)
    with pytest.raises(LooptxError) as caught:
        extensions("missing.py")
    assert caught.value.code == "LX401"


def setup(folder: Path, *arguments: str, **variables: str):
    """Run a setup.py that builds loops.py."""
    (folder / "setup.py").write_text(
        "from setuptools import setup\n"
        "from looptx.build import BuildExt, extensions\n"
        "setup(name='x', py_modules=['loops'], ext_modules=extensions('loops.py'),\n"
        "      cmdclass={'build_ext': BuildExt})\n"
    )
    root = str(Path(__file__).parents[1])
    return subprocess.run(
        [sys.executable, "setup.py", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": root, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@needs_compiler
def test_setuptools_builds_it(loops):
    done = setup(loops.parent, "build_ext", "--inplace")
    assert done.returncode == 0, done.stderr
    assert "-march=native" not in done.stdout
    assert ("-fopenmp" in done.stdout) == bool(compiler.openmp(compiler.find()))
    use(loops.parent)


@needs_compiler
def test_setuptools_shows_a_refusal_without_a_traceback(loops):
    loops.write_text(REFUSED)
    done = setup(loops.parent, "build_ext", "--inplace")
    assert done.returncode == 1
    assert "loops.py:2:15: LX201" in done.stderr
    assert "Traceback" not in done.stderr


def test_importing_the_face_is_light():
    program = "import sys, looptx.build; print(*sys.modules)"
    root = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not {"islpy", "Cython", "numpy", "black"} & set(done.stdout.split())


def test_the_command_class_is_setuptools_own():
    from setuptools.command.build_ext import build_ext

    assert issubclass(BuildExt, build_ext)


QUICK = """\
import math

import looptx

@looptx.kernel(%s)
def f(x: "float64[::1]", y: "float64[::1]"):
    for i in range(y.shape[0]):
        y[i] = math.exp(x[i]) - math.tanh(x[i]) * math.sin(x[i])

@looptx.kernel
def g(x: "float64[::1]", y: "float64[::1]"):
    for i in range(y.shape[0]):
        y[i] = math.exp(x[i])
"""

CHECK = """\
import math
import numpy as np
import loops
assert loops.__file__.endswith(".so")
x = np.linspace(-40, 40, 10007)
y, z = np.zeros_like(x), np.zeros_like(x)
loops.f(x, y)
loops.g(x, z)
right = [math.exp(v) - math.tanh(v) * math.sin(v) for v in x]
assert np.allclose(y, right, rtol=1e-14, atol=1e-15)
assert list(z) == [math.exp(v) for v in x]
y[:1] = np.nan
loops.f(np.full(1, 1e9), y[:1])
print(y[0], (y[1:] != right[1:]).any())
"""


@needs_compiler
@pytest.mark.parametrize("compiler_", ["gcc", "clang"])
def test_functions_of_fastmath_are_those_of_built_files(tmp_path, compiler_):
    if not shutil.which(compiler_):
        pytest.skip(f"needs {compiler_}")
    text = QUICK % '"vectorize i", fastmath="functions"'
    (tmp_path / "loops.py").write_text(text)
    done = setup(tmp_path, "build_ext", "--inplace", CC=compiler_)
    assert done.returncode == 0, done.stderr
    assert "LX507" not in done.stderr + done.stdout
    (tmp_path / "check.py").write_text(CHECK)
    run = [sys.executable, "check.py"]
    ran = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert ran.stdout == "inf True\n", ran.stderr


@pytest.mark.parametrize(
    ("level", "said"),
    [
        ('"functions"', ""),
        ("()", ""),
        ('"contract"', 'f is built without fastmath="contract"'),
        (
            '["reassociate", "functions", "contract"]',
            'f is built without fastmath="contract, reassociate"',
        ),
        ("LEVEL", "`LEVEL` cannot be read without running the file"),
        ("{[]}", "`{[]}` cannot be read without running the file"),
    ],
)
def test_levels_that_are_not_for_built_files_are_told(level, said):
    made = extension.extension_text(QUICK % f"fastmath={level}", "loops.py")
    told = [one for one in made.ordered if one.code == "LX507"]
    assert [one.message for one in told] == [said] * bool(said)
    assert all(str(one.place) == "loops.py:5:25" for one in told)
    assert ("lx_quick_exp" in made.text) == ("functions" in level)


@pytest.mark.parametrize("level", ['"fast"', '{"a": 1}'])
def test_what_is_no_level_is_refused(level):
    with pytest.raises(LooptxError) as caught:
        extension.extension_text(QUICK % f"fastmath={level}", "loops.py")
    assert caught.value.code == "LX102" and "loops.py:5" in str(caught.value)


LISTS = """
import looptx


@looptx.kernel
def product(x: list[float], y: "list[float]") -> float:
    s = 0.0
    for a, b in zip(x, y, strict=False):
        s += a * b
    return s


@looptx.kernel
def areas(points: list[tuple[float, float]], k: int) -> list[list[float]]:
    return [[x * y + i for i in range(k)] for x, y in points]


@looptx.kernel
def sieve(n: int):
    prime = [True] * (n + 1)
    for p in range(2, n + 1):
        if prime[p]:
            for q in range(p * p, n + 1, p):
                prime[q] = False
    return prime


@looptx.kernel
def best(weights: "int64[:]", room: int):
    most = [0] * (room + 1)
    for i in range(len(weights)):
        for c in range(room, weights[i] - 1, -1):
            most[c] = max(most[c], most[c - weights[i]] + weights[i])
    return most


@looptx.kernel
def turned(x: list, n: int):
    for i in range(n // 2):
        x[i], x[n - 1 - i] = x[n - 1 - i], x[i]
    return x
"""


@needs_compiler
def test_lists_are_taken_where_annotations_or_assignments_say_so(tmp_path):
    path = tmp_path / "listed.py"
    path.write_text(LISTS)
    inplace.build_file(path, LISTS)
    calls = (
        "product([1.0, 2.5], [0.5, 3.0])",
        "areas([(1.0, 2.0), (0.5, 3.0)], 3)",
        "sieve(0), sieve(30)",
        "best(np.array([2, 3, 4]), 6), best(np.array([2]), 1)",
        "turned([1.0, 2.0, 3.0], 3)",
    )
    others = (
        "product([], []), product([1, 2], [3, 4.5]), product((1.0,), (2.0,))",
        "areas([], 2), areas([[1.0, 2.0]], 1), areas([(1, 2)], 2)",
        "turned([1, 'a', None], 3), turned([], 0), turned([2**70, 1], 2)",
    )
    lines = [f"print(repr([{call}]))" for call in calls]
    lines.append("warnings.simplefilter('ignore')")
    lines += [f"print(repr([{call}]))" for call in others]
    quiet = "\n".join(lines)
    program = f"import warnings\nimport numpy as np\nfrom listed import *\n{quiet}"
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    plain = {"np": np}
    exec(LISTS.replace("@looptx.kernel", ""), plain)
    texts = [repr(eval(f"[{call}]", plain)) for call in (*calls, *others)]
    assert done.stdout.splitlines() == texts
