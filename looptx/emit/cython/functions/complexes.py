"""Complex numbers in C: by their parts, as Python and NumPy compute with single ones.

C's own products and quotients mend infinities, and its conversions lose signs of zeros.
"""

from __future__ import annotations

from collections.abc import Iterator

from looptx.emit.cython.helpers import Helper, loud, quiet
from looptx.model.dtypes import ROWS, Dtype

_DIVIDE = """\
static inline %(z)s %(name)s(%(z)s a, %(z)s b, int scale) {
    %(t)s ar = __real__ a, ai = __imag__ a, br = __real__ b, bi = __imag__ b, r, d;
    if (fabs(br) >= fabs(bi)) {
        if (br == 0 && bi == 0) return %(made)s(ar / fabs(br), ai / fabs(br));
        r = bi / br; d = br + bi * r;
        ar = ar + ai * r; ai = ai - __real__ a * r;
    } else {
        %(t)s t = ar;
        r = br / bi; d = bi + br * r;
        ar = ar * r + ai; ai = ai * r - t;
    }
    if (scale) { d = 1 / d; return %(made)s(ar * d, ai * d); }
    return %(made)s(ar / d, ai / d);
}"""


def _of_parts(row: Dtype) -> Iterator[Helper]:
    """What is done with the numbers of a type."""
    part, z, short = row.real.c, row.c.replace("complex", "_Complex"), row.short
    one, two = f"{z} z", f"{z} a, {z} b"
    made, parted = f"lx_complex_{short}", f"lx_cdiv_{short}_"
    yield quiet(
        z,
        made,
        f"{part} re, {part} im",
        f"{z} z; __real__ z = re; __imag__ z = im; return z;",
    )
    yield quiet(part, f"lx_real_{short}", one, "return __real__ z;")
    yield quiet(part, f"lx_imag_{short}", one, "return __imag__ z;")
    body = f"return {made}(__real__ z, -__imag__ z);"
    yield quiet(z, f"lx_conjugate_{short}", one, body, made)
    size = "lx_libm_hypot" + ("f" if part == "float" else "")
    body = f"return {size}(__real__ z, __imag__ z);"
    yield quiet(part, f"lx_cabs_{short}", one, body, size)
    body = (
        f"{part} ar = __real__ a, ai = __imag__ a, br = __real__ b, bi = __imag__ b;"
        f" return {made}(ar * br - ai * bi, ar * bi + ai * br);"
    )
    yield quiet(z, f"lx_cmul_{short}", two, body, made)
    body = f"return {parted}(a, b, 1);"
    yield quiet(z, f"lx_cdiv_{short}", two, body, parted)
    (other,) = (x for x in ROWS if x.is_complex and x is not row)
    given = f"{other.c.replace('complex', '_Complex')} z"
    body = f"return {made}(__real__ z, __imag__ z);"
    yield quiet(z, f"lx_{short}", given, body, made)


_OF_PYTHON = (
    loud(
        "double",
        "lx_py_cabs_c128",
        "double _Complex z",
        "double re = fabs(__real__ z), im = fabs(__imag__ z), r;"
        " if (isinf(re) || isinf(im)) return isinf(re) ? re : im;"
        " if (re != re || im != im) return NAN;"
        " r = lx_libm_hypot(re, im); return isfinite(r) ? r : lx_raise(LX_SIZE);",
        "lx_libm_hypot",
    ),
    loud(
        "double _Complex",
        "lx_py_cdiv_c128",
        "double _Complex a, double _Complex b",
        "if (b == 0) { lx_raise(LX_ZERO_COMPLEX); return -1; }"
        " return lx_cdiv_c128_(a, b, 0);",
        "lx_cdiv_c128_",
    ),
)


def _divided(row: Dtype) -> Helper:
    """A quotient: the second part is multiplied, or divided by as Python does."""
    made, name = f"lx_complex_{row.short}", f"lx_cdiv_{row.short}_"
    words = {"z": row.c.replace("complex", "_Complex"), "t": row.real.c}
    return Helper(_DIVIDE % {**words, "made": made, "name": name}, (), (made,))


def _table() -> dict[str, Helper]:
    rows = [row for row in ROWS if row.is_complex]
    known = [*_OF_PYTHON, *(one for row in rows for one in _of_parts(row))]
    found = {one.declarations[0].split("(")[0].split()[-1]: one for one in known}
    return found | {f"lx_cdiv_{row.short}_": _divided(row) for row in rows}


HELPERS = _table()
