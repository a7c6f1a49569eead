"""Host functions: the original with calls woven in, everything else kept."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
import traceback
import types
from pathlib import Path

import pytest

from looptx.errors import Unsupported
from looptx.native import chain, data, runtime
from looptx.native.analysis.function_text import function_text
from looptx.native.call.rebuild import rebuild
from looptx.native.chain import Chain
from looptx.native.runtime import Places, Site


class Callee:
    """A function as a ``runtime.Callee``."""

    def __init__(self, call):
        self.call = call

    def __call__(self, *values):
        return self.call(*values)

    def unready(self):
        return None


def woven(function, call, live_in, live_out, source=None):
    """``function`` with its first loop handed to ``call``."""
    source = source or function_text(function)
    tree = ast.parse(source.text)
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For)]
    line, column = min(map(Places(source.text).of, loops))
    sites = [Site(line, "_looptx_0", live_in, live_out, column=column)]
    return rebuild(function, source, sites, {"_looptx_0": Callee(call)})


def total(values, start=0, *, scale=1):
    """Sum, scaled."""
    # a comment
    for value in values:
        start += value * scale
    return start


def test_the_call_takes_the_place_of_the_loop():
    seen = []

    def native(*args):
        seen.append(args)
        return (7,)

    built = woven(total, native, ("values", "start", "scale"), ("start",))
    assert built([1, 2], scale=3) == 7
    assert seen == [([1, 2], 0, 3)]


def test_none_runs_the_loop_as_written():
    built = woven(total, lambda *args: None, ("values",), ("start",))
    assert built([1, 2], 10) == 13


def test_signature_and_names_stay():
    built = woven(total, lambda *args: None, (), ())
    assert inspect.signature(built) == inspect.signature(total)
    assert (built.__name__, built.__doc__) == ("total", "Sum, scaled.")
    assert built.__qualname__ == total.__qualname__
    assert built.__globals__ is total.__globals__
    assert not any(name.startswith("_looptx") for name in globals())


def test_lines_stay():
    built = woven(total, lambda *args: None, (), ())
    with pytest.raises(TypeError) as caught:
        built(["x"], 1)
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert frame.filename == __file__
    assert frame.line == "start += value * scale"


def test_what_is_not_there_is_left_to_the_loop():
    def f(n):
        if n > 100:
            h = 1.0
        for i in range(n):
            if i > 100:
                print(h)
        return "done"

    def never(*args):
        raise AssertionError(args)

    assert woven(f, never, ("n", "h"), ())(3) == "done"


def test_closures_are_shared():
    count = 0

    def f(n):
        nonlocal count
        for i in range(n):
            count += i
        return count

    built = woven(f, lambda *args: None, ("n",), ())
    assert built(4) == 6
    assert f(4) == 12 == count


class Base:
    def scale(self):
        return 2


class Solver(Base):
    __hidden = 5

    def scale(self):
        for _ in range(3):
            pass
        return super().scale() * self.__hidden


def test_methods_keep_super_and_private_names():
    built = woven(Solver.scale, lambda *args: (), ("self.__hidden",), ())
    assert built(Solver()) == 10


def test_functions_in_methods_keep_private_names():
    class Outer:
        __hidden = 3

        class Inner:
            __hidden = 4

            def make(self):
                def total(n):
                    s = 0
                    for i in range(n):
                        s += i * self.__hidden
                    return s

                return total

    total = Outer.Inner().make()
    assert woven(total, lambda *a: None, ("n",), ())(4) == 24
    hidden = woven(total, lambda n, k: (n * k,), ("n", "self.__hidden"), ("s",))
    assert hidden(4) == 16


def test_a_nested_function_reads_the_outer_scope():
    def outer(k):
        def inner(n):
            s = 0
            for i in range(n):
                s += i * k
            return s

        return inner

    assert woven(outer(2), lambda *a: None, ("n", "k", "s"), ("s",))(4) == 12
    assert woven(outer(2), lambda n, k, s: (n * k,), ("n", "k", "s"), ("s",))(4) == 8


def test_generators_stay_generators():
    def f(n):
        for i in range(n):
            pass
        yield i

    assert list(woven(f, lambda n: (8,), ("n",), ("i",))(3)) == [8]


def test_comments_above_belong_to_the_text():
    # looptx: nest here
    # and more
    def f(n):
        for _ in range(n):
            pass

    text = function_text(f).own.splitlines()
    assert text[0] == "if True:"
    assert text[1].strip() == "# looptx: nest here"


def test_the_else_of_a_loop_goes_with_it():
    def f(n):
        for _ in range(n):
            pass
        else:
            return "else"

    assert woven(f, lambda *args: (), ("n",), ())(1) is None


@pytest.mark.parametrize("make", ["lambda n: n", "exec"])
def test_no_source(make):
    if make == "exec":
        space: dict[str, types.FunctionType] = {}
        exec("def f(n):\n    return n\n", space)
        function = space["f"]
    else:
        function = eval(make)
    with pytest.raises(Unsupported) as caught:
        function_text(function)
    assert caught.value.code == "LX306"


def test_a_file_that_changed(tmp_path):
    path = tmp_path / "changing.py"
    path.write_text("def f(n):\n    for i in range(n):\n        pass\n")
    space: dict[str, types.FunctionType] = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    path.write_text("def f(m):\n    for i in range(m):\n        pass\n")
    with pytest.raises(Unsupported, match="not the one it was made from"):
        woven(space["f"], lambda *args: (), (), ())


def test_threads(monkeypatch):
    monkeypatch.setattr(runtime._threads, "limit", 0)
    monkeypatch.setenv("LOOPTX_NUM_THREADS", "3")
    assert runtime.threads() == 3
    monkeypatch.setattr(runtime._threads, "limit", 0)
    monkeypatch.setenv("LOOPTX_NUM_THREADS", "none")
    monkeypatch.setenv("OMP_NUM_THREADS", "5,2")
    assert runtime.threads() == 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_runs_on_one_thread():
    program = (
        "import os, warnings\n"
        "warnings.simplefilter('error')\n"
        "from looptx.native import runtime\n"
        "assert runtime.threads() == 4\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    assert runtime.threads() == 1\n"
        "    try:\n"
        "        runtime.tell_forked()\n"
        "    except RuntimeWarning:\n"
        "        runtime.tell_forked()\n"
        "        os._exit(0)\n"
        "    os._exit(1)\n"
        "runtime.tell_forked()\n"
        "assert os.waitpid(pid, 0)[1] == 0\n"
        "assert runtime.threads() == 4\n"
    )
    environment = {
        **os.environ,
        "LOOPTX_NUM_THREADS": "4",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


@pytest.mark.parametrize("module", (data, runtime, chain))
def test_the_runtime_needs_nothing_of_looptx(module):
    tree = ast.parse(inspect.getsource(module))
    names = {
        (node.module or "").partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    names |= {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert names <= set(sys.stdlib_module_names)


def test_a_chain_tries_its_entries_in_order():
    one, two = runtime.threads, runtime.team
    first = Chain((lambda a, threads: NotImplemented, lambda a, threads: (a,)), one)
    assert first(1) == (1,)
    assert Chain((lambda threads: NotImplemented,), two)() is None
    assert Chain((lambda threads: "A and B overlap",), two)() is None
