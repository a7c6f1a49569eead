"""Random ways in which names get arrays, and what CPython says of their memory."""

from __future__ import annotations

import itertools
import random
import textwrap
from typing import Any

import numpy as np

MODULE = """
import contextlib
import functools
import numpy as np

G = np.arange(20.0)
H = np.arange(20.0)

class Box:
    kept = G
    def __init__(self, x):
        self.x = x
    def get(self):
        return self.x
    def change(self, x):
        self.x = x
    @property
    def shown(self):
        return self.x
    def __enter__(self):
        return self.x
    def __exit__(self, *_):
        return False

class Crate(Box):
    def __getitem__(self, _):
        return self.x

class Failure(Exception):
    pass

def ident(x):
    return x

def double(x):
    return x * 2

def get_h():
    return H

def set_h(x):
    global H
    H = x

def put(box, x):
    box.append(x)

def fill(box, x):
    box.x = x

def pair(x, y=G):
    return [x, y]

def made():
    return np.zeros(20)

@contextlib.contextmanager
def lent(x):
    yield x
"""

BEFORE = """
B, D = np.zeros(20), np.zeros(20)
L, M = [np.zeros(20)], [np.zeros(20)]
o, p = Box(np.zeros(20)), Box(np.zeros(20))
"""

# {a}: an array; {t}, {u}: two names that get one; {l}, {m}: lists; {o}: an object.
FORMS = """
{t} = {a}
{t} = {u} = {a}
{t}: np.ndarray = {a}
{t} = {a}[1:]
{t} = {a}.T
{t} = {a}.reshape(-1)
{t} = {a}.copy()
{t} = {a} + 1
{t} = -{a}
{t} += 1
{t} = np.zeros(20)
{t} = np.asarray({a})
{t} = np.float64({a})
{t} = np.array({a})
{t}, q = {a}, 1
q, *r = 1, {a}; {t} = r[0]
q, {t} = *[1], {a}
({t}, q), r = ({a}, 1), 2
{t}, {u} = {u}, {t}
{t}, {u} = [{a}] * 2
{t}, {u} = pair({a})
{t}, {u} = (np.zeros(20) for _ in range(2))
if ({t} := {a}) is None: pass
for {t} in ({a},): pass
for q, {t} in enumerate([{a}]): pass
for {o}.x in [{a}]: pass
for {l}[0] in [{a}]: pass
with Box({a}) as {t}: pass
with lent({a}) as {t}: pass
match {a}: |    case {t}: pass
match [{a}, 1]: |    case [{t}, *_]: pass
match [1, {a}]: |    case [_, *r]: {t} = r[0]
match dict(k={a}): |    case {{"k": {t}}}: pass
match dict(k={a}): |    case {{**r}}: {t} = r["k"]
match Box({a}): |    case Box(x={t}): pass
try: raise Failure({a}) |except Failure as e: {t} = e.args[0]
{t} = (lambda: {a})()
{t} = (lambda q: q)({a})
{t} = (lambda q={a}: q)()
g = lambda q: q; {t} = g({a})
def g(q={a}): return q |{t} = g()
def g(*q, **k): return q |{t} = g({a})[0]
def g(*q, **k): return k |{t} = g(k={a})['k']
def g(): return {a} |{t} = g()
def g(): yield {a} |{t} = next(g())
def g(): |    nonlocal {t} |    {t} = {a} |g()
def g(q): |    nonlocal {t} |    {t} = q |g({a})
def g(q): |    nonlocal {t} |    {t} = q |list(map(g, [{a}]))
def g(): |    global H |    H = {a} |g()
def g(): |    def h(): return {a} |    return h |{t} = g()()
class K: x = {a} |{t} = K.x
class K: x = {a} |{t} = K().x
class K: |    def get(self): return {a} |{t} = K().get()
class K(Box): pass |{t} = K({a}).x
{t} = Box({a}).x
{t} = Box({a}).get()
{t} = Box({a}).shown
{t} = Crate({a})[0]
{t} = {o}.kept
{o}.x = {a}
{o} = Box({a})
{o}.change({a})
fill({o}, {a})
setattr({o}, "x", {a})
q = {o}; q.x = {a}
q = {o}; {t} = q.x
o, p = p, o
{t} = getattr({o}, "x")
{t} = vars({o})["x"]
{l}.append({a})
put({l}, {a})
{l}[0] = {a}
{l}[:] = [{a}]
{l} = {m}
{l} += [{a}]
{l} = [{a}] * 2
{l} = {l} + [{a}]
{l} = list(({a},))
{l} = [q for q in ({a},)]
{l} = [({t} := q) for q in ({a},)]
{l} = {m}.copy()
q = {l}; q.append({a})
q = {{}}; q["k"] = {a}; {t} = q["k"]
q = dict(k={a}); {t} = q.get("k")
q = {{}}; {t} = q.setdefault("k", {a})
{t} = {{1: q for q in ({a},)}}[1]
{t} = next(q for q in ({a},))
{t} = {a} if n > 3 else {b}
{t} = n > 3 and {a}
{t} = None or {a}
{t} = ident({a})
{t} = double({a})
{t} = made()
{t} = get_h()
set_h({a})
{t} = functools.partial(ident, {a})()
{t} = list(map(lambda q: q, [{a}]))[0]
{t} = globals()["G"]
globals()["H"] = {a}
exec("global H\\nH = q", globals(), {{"q": {a}}})
{t} = eval("A")
{t} = max([{a}], key=len)
"""
TARGETS, LISTS, OBJECTS = ("B", "D"), ("L", "M"), ("o", "p")
ARRAYS = ("A", "B", "C", "D", "G", "H", "o.x", "p.x")


def body(seed: int) -> str:
    """Some statements."""
    dice = random.Random(seed)
    forms = [line.replace("; ", "\n").split(" |") for line in FORMS.split("\n") if line]
    lines = BEFORE.strip().split("\n")
    for form in dice.choices(forms, k=dice.randint(1, 4)):
        arrays = dice.sample([*ARRAYS, "L[-1]", "M[0]"], 2)
        targets = dice.sample(TARGETS, 2)
        lists = dice.sample(LISTS, 2)
        given = dict(zip("abtulm", (*arrays, *targets, *lists), strict=True))
        lines += "\n".join(form).format(**given, o=dice.choice(OBJECTS)).split("\n")
    return "\n".join(lines)


def program(before: str, arrays: tuple[str, ...], look: bool, module: str) -> str:
    """A module with a kernel; it looks at its arrays, or has a nest over them."""
    if look:
        inside = f"return [{', '.join(arrays)}]"
    else:
        terms = " + ".join(f"{name}[i - 1]" for name in arrays[1:])
        inside = f"for i in range(1, n):\n    {arrays[0]}[i] = {terms}"
    text = textwrap.indent(f"{before}\n{inside}", "    ")
    return f"{module}\n\ndef kernel(A, C, n):\n{text}\n"


def sharing(
    before: str, arrays: tuple[str, ...], module: str = MODULE
) -> frozenset[frozenset[str]]:
    """The pairs of arrays that share memory when the statements have run."""
    space: dict[str, Any] = {"__name__": "aliasing"}
    exec(program(before, arrays, True, module), space)
    found = space["kernel"](np.arange(20.0), np.arange(20.0), 9)
    seen = dict(zip(arrays, found, strict=True))
    return frozenset(
        frozenset(pair)
        for pair in itertools.combinations(arrays, 2)
        if all(isinstance(seen[name], np.ndarray) for name in pair)
        and np.shares_memory(*(seen[name] for name in pair))
    )
