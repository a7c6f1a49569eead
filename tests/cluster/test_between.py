"""Python between nests sees arrays as the loops as written leave them, and its own."""

from __future__ import annotations

import copy
import linecache
from typing import Any

import numpy as np
import pytest

import looptx
from looptx.errors import LooptxError

pytestmark = pytest.mark.filterwarnings("ignore")

NEST = """\
    # looptx: split {0} 4 | bind {0} worker
    for {0} in range(x.shape[0]):
"""
AROUND = f"""
def f(x, y, g, held):
{NEST.format("i")}        y[i] = x[i] + 1
    {{}}
{NEST.format("j")}        x[j] = x[j] + y[j]
    {{}}
"""
TEXTS = """
y -= y.mean()
y += g(3)
y **= 2
y += x[::-1]
y += y
y += len(y)
y[1:] += g(3)
y[0], y[1] = y[1], y[0]
y = operator.iadd(y, 1)
x, y = y, x
y = y.copy()
y = np.zeros(len(x))
y = np.full_like(x, 3)
y = np.full(len(x), y)
y = np.full_like(fill_value=y, a=x)
z = np.full(shape=(2, len(x)), fill_value=x); held.append(z)
y = np.zeros(y)
y = np.ones_like(prototype=x, shape=x)
z = np.zeros_like(y); held.append(z); held.append(y)
v = x[1:]; held.append(v)
v = x[::-1]; v[:1] = 9
held[0][0][0] = 7
held.append(y); held.append(y[1:])
held.append(copy.copy(y)); held.append(copy.deepcopy(y))
held.append(pickle.loads(pickle.dumps(y)))
held.append(isinstance(y, np.ndarray)); held.append(str(y))
held.append(bytes(memoryview(y)))
y.cumsum(out=x)
np.add(x, y, out=y)
sys.exit(3)
raise KeyboardInterrupt
raise ValueError(y[0])
held.append(1); x[5] = 0; x[9] = 1; y[5 - 14 * len(held)]
n = x.shape[0]; n += 1; z = y if n > 2 else x; held.append(z)
k = 3; k += y; held.append(k)
with np.errstate(all="ignore"): y /= 0
if y[0] > 1: y[2] = 5
global_ = 0; held.append(lambda: y[2]); held.append(held[-1]())
t = (y, x); held.append(t[1])
"""
WHOLE = TEXTS.strip().split("\n")
LAST = ("", "return x[1:]", "return y, (x, y)", "return x.sum()")


def made(text: str, **scope: Any) -> Any:
    """A function of a text whose lines can be found."""
    filename = f"<between {hash(text)}>"
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    scope.setdefault("np", np)
    scope |= {x: __import__(x) for x in ("copy", "operator", "pickle", "sys")}
    exec(compile(text, filename, "exec"), scope)
    return scope["f"]


def left(function: Any, given: list[Any], named: tuple[Any, ...] = ()) -> Any:
    """What a call gives and leaves, bit by bit, and which arrays are the caller's."""
    own: dict[int, str] = {}

    def told(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            base = value if value.base is None else value.base
            whose = own.get(id(value)), own.get(id(base))
            return type(value), value.dtype, value.shape, value.tobytes(), whose
        if isinstance(value, list | tuple):
            return type(value), [told(one) for one in value]
        return type(value), "" if callable(value) else repr(value)

    for number, one in enumerate((*given, *named)):
        own[id(one)] = f"given {number}"
        own.setdefault(id(getattr(one, "base", None)), f"base of {number}")
    try:
        result = function(*given)
        result = list(result) if hasattr(result, "__next__") else result
        found = ("returned", told(result))
    except BaseException as error:
        found = (type(error), str(error))
    return found, told(given), told(list(named))


@pytest.mark.parametrize("between", WHOLE)
def test_statements_between_nests(between: str) -> None:
    for at, last in enumerate(LAST):
        if at and WHOLE.index(between) % 3:
            continue
        function = made(AROUND.format(between, last))
        remote = looptx.kernel(function).on(2)
        for n in (0, 1, 13) if not at else (7,):

            def given(n: int = n) -> list[Any]:
                x, y = np.arange(n) + 0.5, np.zeros(n)
                return [x, y, float, [[y]]]

            assert left(remote, given()) == left(function, given())


SHARED = {
    "def f(x, y):\n    v = x[1:]\n" + NEST.format("i") + "        v[i] = y[i]\n": "zz",
    "def f(x, y):\n" + NEST.format("i") + "        y[i] = x[i] + 1\n": "ab",
    "def f(x, y):\n" + NEST.format("i") + "        G[i] = x[i] + y[i]\n": "gz",
    "def f(x, y=None):\n"
    + NEST.format("i")
    + "        G[i] = x[i] + 1\n"
    + NEST.format("j")
    + "        x[j] = x[j] * 2\n": "g",
    "def f(x, y):\n"
    + NEST.format("i")
    + "        y[i] = x[i] + 1\n    yield 1\n": "zw",
}


@pytest.mark.parametrize("text", SHARED)
def test_arrays_that_share_memory(text: str) -> None:
    text = text.replace("range(x.shape[0])", "range(x.shape[0] - 1)")

    def called(how: Any) -> Any:
        z, memory = np.arange(13.0), np.arange(14.0)
        arrays = {
            "z": z,
            "w": np.zeros(13),
            "a": memory[1:],
            "b": memory[:-1],
            "g": memory[1:],
        }
        given = [arrays[one] for one in SHARED.get(text, names)]
        return left(how(made(text, G=memory)), given, (memory,))

    names = next(v for k, v in SHARED.items() if k.split("range")[0] in text)
    assert called(lambda f: looptx.kernel(f).on(3)) == called(lambda f: f)


def test_kernels_in_kernels() -> None:
    text = "def f(x):\n" + NEST.format("i") + "        x[i] = x[i] + 1\n"
    inner = looptx.kernel(made(text))
    outer = made(text + "    h(x)\n", h=inner.on())
    given = [np.arange(9.0)]
    expected = copy.deepcopy(given)
    plain = made(text + "    h(x)\n", h=inner.py_func)
    assert left(looptx.kernel(outer).on(), given) == left(plain, expected)


def test_other_ranks_later() -> None:
    text = "def f(x, y):\n" + NEST.format("i") + "        y[i] = x[i] * 3\n"
    function = made(text)
    remote = looptx.kernel(function).on()
    for shape in ((5,), (5, 3), (2, 3, 4), (5,)):
        given = [np.ones(shape), np.zeros(shape)]
        assert left(remote, copy.deepcopy(given)) == left(function, given)


def test_shapes_and_numbers_leave_blocks_with_their_workers() -> None:
    """One home-coming is enough where nothing looks at arrays."""
    text = AROUND.format("n = len(x); n += 1; x, y = y, x", "return y")
    remote = looptx.kernel(made(text)).on(2)
    remote(np.arange(13.0), np.zeros(13), float, [])
    assert "nest by nest" not in remote.report()
    remote = looptx.kernel(made(AROUND.format("y += g(3)", ""))).on(2)
    remote(np.arange(13.0), np.zeros(13), float, [])
    assert "LX603 `y += g(3)` may use what tasks compute" in remote.report()


@pytest.mark.parametrize(
    "client",
    ["tcp://host:1", "", 2.5, [], object(), 0, -1, True, np.int64(0), 65537, 10**9],
)
def test_what_is_no_client(client: Any) -> None:
    with pytest.raises(LooptxError, match="LX102") as caught:
        looptx.kernel(made("def f(x):\n    return x\n")).on(client)
    assert "hint: " in str(caught.value)


def test_a_refusal_is_no_exception_of_a_task() -> None:
    text = (
        "def f(x):\n    # looptx: bind i worker\n    for i in range(1, x.shape[0]):\n"
    )
    remote = looptx.kernel(made(text + "        x[i] = x[i - 1]\n")).on()
    with pytest.raises(LooptxError, match="LX202"):
        remote(np.arange(5.0))
    assert "task raised" not in remote.report()
