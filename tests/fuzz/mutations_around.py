"""Faults in what a nest takes from its surroundings, and in what refusals show."""

from __future__ import annotations

from fuzz.mutation import Mutation

AROUND = (
    Mutation(
        "start-of-a-reduction-ignored",
        "source/nests/statements/exact_reductions.py",
        "inside = set(nest.scalars) - set(nest.live_in)",
        "inside = set(nest.scalars)",
        "c = 0.3, c *= i + 2: reorder j i",
    ),
    Mutation(
        "size-made-of-sizes-unknown",
        "source/nests/sizes/facts.py",
        "if size(found) <= _LONG:",
        "if size(found) <= 0:",
        "h = m % 3 and m is used, too: parallel i, with h=5, m=4",
    ),
    Mutation(
        "alias-of-match-missed",
        "source/names/assignments.py",
        "yield Assignment(name, subject, part=True)",
        "pass",
        "match A: case B: A[i] = B[i - 1]: parallel i",
    ),
    Mutation(
        "names-of-the-module-apart",
        "source/flow/flows.py",
        "                self.heap.add(VARIABLE, (space.home(name), name), value)\n",
        "                home = space.home(name)\n"
        "                if space.outer:\n"
        "                    self.heap.add(VARIABLE, (home, name), value)\n",
        "H = G in the module, G[i] = H[i - 1]: parallel i",
    ),
    Mutation(
        "objects-keep-nothing",
        "source/flow/flows.py",
        "if is_object(place) or place in self.variables.selves:",
        "if place in self.variables.selves:",
        "L = np.empty(1, dtype=object), L[0] = A, B = L[0]: parallel i",
    ),
    Mutation(
        "methods-without-their-object",
        "source/flow/places.py",
        'return places.union(x.rpartition(".")[0] for x in places if "." in x)',
        "return places",
        "get = Held(A).get, B = get(): parallel i",
    ),
    Mutation(
        "steps-of-an-element-backwards",
        "source/names/subscripts.py",
        "for group in reversed(groups) for index in group]",
        "for group in groups for index in group]",
        "A[i][j] = A[i - 1][j + 1]: reorder j i",
    ),
    Mutation(
        "names-in-other-letters-are-others",
        "syntax/substitution.py",
        'name = unicodedata.normalize("NFKC", old.value)',
        "name = old.value",
        "i in other letters: unroll i 2",
    ),
    Mutation(
        "handlers-see-other-variables",
        "looptree/planned.py",
        "            return self.nest.rescued\n",
        "            return ()\n",
        "try: nest, except IndexError: return i: reorder j i",
    ),
    Mutation(
        "locals-become-globals",
        "source/names/locality.py",
        "return tuple(sorted(gone & frozenset(_mentioned(new)))) if gone else ()",
        "return ()",
        "u = 1 in the module, if i < 0: u = 2, return u: split i 4",
    ),
    Mutation(
        "imports-still-used-lost",
        "source/decorators.py",
        "    idle = lost - used\n",
        "    idle = lost\n",
        "from looptx import kernel, used twice",
        tier="text",
    ),
    Mutation(
        "refusals-caught-by-the-function",
        "native/diagnostics/notices.py",
        "        if self._holding:\n",
        "        if False:\n",
        "try: nest, except Exception: pass: strict=True",
        tier="native",
    ),
)

SHOWN = (
    Mutation(
        "cell-from-the-end-named-by-its-subscript",
        "poly/legality.py",
        "str(number + extent if number < 0 else number)",
        "str(number)",
        "A[i - 1] = A[i]: parallel i",
    ),
    Mutation(
        "iterations-of-a-witness-exchanged",
        "poly/legality.py",
        "tuple(numbers[parameters:split]),",
        "tuple(numbers[split:]),",
        "A[i, j] = A[i - 1, j + 1]: reorder j i",
    ),
)
