"""Whether it pays to make arrays of the lists that a nest is given.

To make them takes time for each element, and the loops may look at few: they end early,
or halve what is left. Where they took a small part of a call, the next ones run as
written, and then another one shows whether that is still so. To put back what is stored
takes no longer than Python does to store it.
"""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper

COUNT, SKIP, NOW, NOTE = "lx_list_size", "lx_list_skips", "lx_list_now", "lx_list_note"
"""The functions that count elements, say whether a call is left to Python, tell the
time, and note what a call took."""

COSTS = "lx_list_costs"
"""The type of what is noted of a nest."""

_SMALL = 256
"""Arrays of fewer elements take less than a microsecond."""

_PART = 32
"""So many times as long as the loops arrays take to make where it does not pay: by so
much, and more, Python's loops are slower."""

_FIRST, _MOST = 64, 1 << 20
"""So many calls run as written before another one is tried: each time four times as
many."""

_C = f"""\
#include <time.h>
typedef struct {{ int64_t calls, left, next; }} lx_list_costs;
static int64_t lx_list_size(PyObject *held, int ndim) {{
    int64_t count = 1;
    for (int axis = 0; axis < ndim; axis++) {{
        if (!PyList_CheckExact(held) && !PyTuple_CheckExact(held)) return 0;
        Py_ssize_t size = PySequence_Fast_GET_SIZE(held);
        if (!size) return 0;
        count *= size;
        held = PySequence_Fast_ITEMS(held)[0];
    }}
    return count;
}}
static int lx_list_skips(lx_list_costs *costs, int64_t count) {{
    if (count < {_SMALL} || costs->left <= 0) return 0;
    costs->left--;
    return 1;
}}
static int64_t lx_list_now(int64_t count) {{
    /* Of this thread, where there is such a clock: others may run in between. */
    struct timespec now;
    if (count < {_SMALL}) return 0;
#ifdef CLOCK_THREAD_CPUTIME_ID
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}}
static void lx_list_note(lx_list_costs *costs, int64_t count, int64_t begun,
                         int64_t run, int64_t ran) {{
    int64_t loops = ran - run, arrays = run - begun;
    /* The first call looks for NumPy. */
    if (!costs->calls++ || count < {_SMALL}) return;
    if (loops < 0 || arrays <= {_PART} * (loops + 1)) {{
        costs->next = 0;
        return;
    }}
    costs->left = costs->next = costs->next ? costs->next * 4 : {_FIRST};
    if (costs->next > {_MOST}) costs->next = {_MOST};
}}"""

HELPERS = {
    COSTS: Helper(
        _C,
        (
            f"ctypedef struct {COSTS}:\n    int64_t calls, left, next",
            f"int64_t {COUNT}(object held, int ndim) noexcept",
            f"bint {SKIP}({COSTS} *costs, int64_t count) noexcept",
            f"int64_t {NOW}(int64_t count) noexcept",
            f"void {NOTE}({COSTS} *costs, int64_t count, int64_t begun, int64_t run,"
            " int64_t ran) noexcept",
        ),
    ),
    **{name: Helper("", (), (COSTS,)) for name in (COUNT, SKIP, NOW, NOTE)},
}
