"""Malformed source files: bytes changed and tokens exchanged."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from fuzz.text import corpus as corpus

PIECES = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80",
    b"\xf4\x90", b"\r", b"\r\n", b"\n", b"\t", b"\x0c", b"\x0b", b"\x1a", b"\x1b",
    b"\x7f", b" ", b"  ", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\xc2\xa0",
    b"\xe2\x80\x8b", b"\\\n", b"'''", b'"""', b"'", b'"', b"#", b"\\", b"(", b")", b"[",
    b"]", b"{", b"}", b":", b";", b"# looptx: ", b"# looptx: applied",
    b"#looptx:tile i=4", b"# type: ignore", b"-", b"0",
)  # fmt: skip
CODINGS = (
    "latin-1", "utf-8", "utf8", "ascii", "cp1252", "utf-7", "utf-16", "utf-32", "idna",
    "shift_jis", "gb18030", "iso2022_jp", "hz", "big5", "koi8-r", "cp037", "utf-8-sig",
    "rot13", "base64", "hex", "zlib", "unicode_escape", "raw_unicode_escape",
    "punycode", "undefined", "mbcs", "", "x" * 500, "../../etc", "utf_8_sig\x00",
    "u\u0308tf",
)  # fmt: skip
WORDS = (
    "async", "await", "yield", "yield from", "lambda x:", "lambda:", "match", "case",
    "_", "global n", "nonlocal i", "del A", "del i", "with A:", "try:", "finally:",
    "except:", "else:", "elif n:", "while n:", "break", "continue", "pass", "return",
    "raise", "assert", ":=", "(i := 3)", "*A", "**A", "*", "**", "@", "->", "...",
    "not", "in", "is", "if", "f'{i}'", "f'{i!r:{n}}'", "b'x'", "r'\\'", "'a' 'b'", "1j",
    "1_0", "0o7", "1e999", "10**99", "[x for x in A]", "{i: j}", "{*A}", "(yield)",
    "range(*n)", "range(n, key=3)", "range()", "range(-n)", "range(n, 0, -1)",
    "range(0, n, 0)", "range(0, n, n)", "range(2.5)", "A[i:j]", "A[..., None]",
    "A[::-1]", "A[i,]", "A[()]", "A[[0]]", "A[i][j]", "A.T", "A.x.y", "A[A[i]]",
    "A[i // 0]", "A[i % 0]", "A[-i]", "A[i * j]", "A[n - 1 - i]", "A[i / 2]", "i", "j",
    "n", "A", "self", "np.sum(A)", "print(i)", "len(A)", "min(i, n)", "abs(i)", "f(i)",
    "def g(): pass", "class K: pass", "import os", "from x import *", "x: int = 3",
    "exec", "type X = int", "def g[T](x): pass", "@looptx.kernel",
    "@looptx.kernel('tile i=4')", "# looptx: tile i=4", "# looptx: applied",
    "# looptx: nest x", "0" * 50, "\\\n", ";",
)  # fmt: skip


def damaged(rng: random.Random) -> bytes:
    """A program with bytes flipped, lost, doubled, spliced or put in."""
    data = corpus.program(rng).encode()
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        data = rng.choice(_CHANGES)(rng, data)
    return data


def exchanged(rng: random.Random) -> bytes:
    """A program with tokens exchanged for others of Python."""
    parts = re.findall(r"# looptx:[^\n]*|\w+|\s+|[^\w\s]", corpus.program(rng))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.choice([n for n, part in enumerate(parts) if not part.isspace()])
        other = rng.choice(rng.choice((WORDS, corpus.tokens())))
        match rng.randrange(5):
            case 0:
                parts[at] = ""
            case 1:
                parts[at] += " " + other
            case 2 if at + 2 < len(parts):
                parts[at], parts[at + 2] = parts[at + 2], parts[at]
            case _:
                parts[at] = other
        parts = [part for part in parts if part]
    return "".join(parts).encode("utf-8", "surrogatepass")


def _flip(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data)) if data else 0
    return (
        data[:at]
        + bytes(b ^ (1 << rng.randrange(8)) for b in data[at : at + 1])
        + data[at + 1 :]
    )


def _cut(rng: random.Random, data: bytes) -> bytes:
    start, stop = _span(rng, data)
    return data[:start] + data[stop:]


def _double(rng: random.Random, data: bytes) -> bytes:
    start, stop = _span(rng, data)
    return data[:stop] + data[start:]


def _truncate(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _put(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(PIECES) * rng.choice((1, 1, 1, 2, 40)) + data[at:]


def _splice(rng: random.Random, data: bytes) -> bytes:
    other = corpus.program(rng).encode()
    start, stop = _span(rng, other)
    at = rng.randrange(len(data) + 1)
    return data[:at] + other[start:stop] + data[at:]


def _ends(rng: random.Random, data: bytes) -> bytes:
    ends = (b"\r\n", b"\r", b"\n", b"\n\r", b"\x0c\n", b" \n", b"\t\n")
    other = rng.choice(ends)
    if rng.random() < 0.5:
        return data.replace(b"\n", other)
    return b"".join(line + rng.choice(ends) for line in data.split(b"\n"))


def _indent(rng: random.Random, data: bytes) -> bytes:
    return data.replace(
        b"    ", rng.choice((b"\t", b" ", b"        ", b" \t", b"\x0c    ", b""))
    )


def _coding(rng: random.Random, data: bytes) -> bytes:
    form = rng.choice(
        ("# -*- coding: %s -*-\n", "# coding=%s\n", "#!x\n# vim: encoding=%s\n")
    )
    head = (form % rng.choice(CODINGS)).encode()
    return rng.choice((b"", b"", b"\xef\xbb\xbf", b"\n")) + head + data


def _encoded(rng: random.Random, data: bytes) -> bytes:
    encoding = rng.choice(
        ("utf-16", "utf-16-le", "utf-32", "utf-7", "cp037", "utf-8-sig")
    )
    return data.decode("utf-8", "replace").encode(encoding, "replace")


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((1, 2, 8, 40, 200)))


_CHANGES: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    *(_flip, _flip, _cut, _cut, _double, _truncate, _put, _put, _put, _splice),
    *(_ends, _indent, _coding, _encoded),
    *(_flip, _flip, _cut, _cut, _double, _truncate, _put, _put, _put, _splice),
)
