"""NumPy's own inner loop of two numbers, as it reduces many to one."""

from __future__ import annotations

from looptx.emit.cython.functions.reductions.few import FEW


def by_loop(name: str, cell: str, *parts: str, few: str = "") -> str:
    """What NumPy's loop makes of all elements.

    Args:
        name: of the function. cell: the type of an element.
        parts: the first result, the first element and the count of those to take in,
            and what is done at last.
        few: the function for few elements, if there is one.
    """
    start, first, count, last = parts
    called = f"if (m > 0) {name}_slot.loop(p, &m, s, {name}_slot.data);"
    if few:
        alone = f"r = {few}(r, a + ({first}), m, step);"
        called = f"if ({is_few(name, 'm')}) {alone}\n    else {called}"
    return (
        # A C compiler has NaN of another sign for what it computes itself, as 0 / 0.
        f"    volatile {cell} start = {start};\n    {cell} r = start;\n"
        f"    char *p[] = {{ (char *)&r, (char *)(a + ({first})), (char *)&r }};\n"
        f"    Py_ssize_t s[] = {{ 0, step * (Py_ssize_t)sizeof *a, 0 }}, m = {count};\n"
        f"    {called}\n"
        f"    {last}"
    )


def is_few(name: str, count: str) -> str:
    """The condition for few elements. ``name``: of the function; ``count``: of them."""
    return f"{count} > 0 && {count} < {FEW} && !{name}_slot.apart"
