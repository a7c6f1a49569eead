"""Versions of functions for several processors of one family; one is chosen at load.

Code that is built to be given away must run everywhere, and wide vectors do not. So a
module holds what every processor runs, and versions for those that can do more. Each is
compiled for its instructions by attributes of its functions, the same for all that is
called in it: what gets and gives vectors is inlined there, so that no convention of
passing them matters. The attributes stand in declarations of looptx's own: Cython would
write them at variables, too, which clang does not take. On other processors, and for
compilers without such attributes, the first version is all there is. (Function
multi-versioning, as gcc's and clang's ``target_clones``, whose clones share one width.)
"""

from __future__ import annotations

from collections.abc import Sequence

from looptx.emit.cython.helpers import Helper
from looptx.emit.cython.text import Cython
from looptx.lower.tree import Intrinsic
from looptx.model.records import replace

WIDEST = "lx_vector"
"""The variable of C that holds how wide the vectors are that may be used, in bytes."""

CHOOSE = "lx_choose"
"""The function that sets it: the most that the processor has, or less if asked."""


class Avx2(Cython):
    """Vectors of 32 bytes."""

    vector, machine = 32, "avx2"


class Avx512(Cython):
    """Vectors of 64 bytes, and 32 registers for them."""

    vector, registers, machine = 64, 32, "avx512"


class Portable(Cython):
    """What every processor of a family runs, with better versions."""

    better = (Avx512, Avx2)


_CHOICE = """\
#if defined(__GNUC__) && defined(__x86_64__)
#define LX_avx2 __attribute__((target("avx2")))
#ifdef LX_WITHOUT_AVX512
#define LX_avx512 LX_avx2
#else
#define LX_avx512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#endif
static int lx_vector = 16;
static int lx_choose(int most) {
    int have = 16;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) have = 32;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        have = 64;
    lx_vector = have;
    while (lx_vector > 16 && most && lx_vector > most) lx_vector /= 2;
    return lx_vector;
}
#else
#define LX_avx2
#define LX_avx512
#define lx_vector 16
static int lx_choose(int most) { (void)most; return lx_vector; }
#endif"""

HELPERS = {
    WIDEST: Helper(
        _CHOICE,
        (f"const int {WIDEST}", f"int {CHOOSE}(int most) noexcept"),
    )
}


def marked(found: Helper, function: Intrinsic) -> Helper:
    """A function, for the processors that it is meant for."""
    if not function.machine:
        return found
    *before, own = found.c.split("\n")
    lines = *before, f"LX_{function.machine} {own}"
    return replace(found, c="\n".join(lines), needs=(WIDEST, *found.needs))


def chosen(cython: Cython, calls: Sequence[tuple[type[Cython], str]]) -> list[str]:
    """The lines that call the best version that there is.

    Args:
        cython: what writes them.
        calls: the versions, the best first, the one for all processors last, and how
            each is called.
    """
    if len(calls) == 1:
        return [calls[0][1]]
    lines, word = [], "if"
    for target, call in calls[:-1]:
        lines += [f"{word} {cython.calling(WIDEST)} >= {target.vector}:", f"    {call}"]
        word = "elif"
    return [*lines, "else:", f"    {calls[-1][1]}"]
