"""Bytes to text and back: encoding, byte order mark and newlines are kept."""

from __future__ import annotations

import io
import tokenize

from looptx.errors import Malformed, Place
from looptx.model.lines import NEWLINE
from looptx.model.records import dataclass

LIMIT = 10 * 1024 * 1024
"""The largest source that is read, in characters."""

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The text of a file with its own line ends, and its encoding."""

    filename: str
    text: str
    encoding: str
    bom: bool = False

    def encode(self, text: str) -> bytes:
        """A text as the bytes of this file: same encoding, same byte order mark.

        Raises:
            Malformed: LX402, a character does not exist in the encoding.
        """
        try:
            data = text.encode(self.encoding)
        except UnicodeEncodeError as error:
            line = text.count("\n", 0, error.start) + 1
            raise Malformed(
                "LX402",
                f"the encoding {self.encoding} has no {text[error.start]!r}",
                Place(self.filename, line),
                hint="declare the file as UTF-8",
            ) from None
        except UnicodeError as error:
            raise Malformed(
                "LX402",
                f"cannot encode {self.encoding}: {error}",
                Place(self.filename, 1),
                hint="declare the file as UTF-8",
            ) from None
        return BOM + data if self.bom else data


def decode(data: bytes, filename: str) -> SourceFile:
    """Decode a source file as Python does: BOM, then coding comment, then UTF-8.

    Args:
        data: the whole file.
        filename: what errors call it.

    Raises:
        Malformed: LX304 (too large), LX402 (not text in its encoding), LX403 (encoding
            the text again would give other bytes).
    """
    if len(data) > 4 * LIMIT:
        raise too_large(filename)
    encoding = _encoding(data, filename)
    bom = data.startswith(BOM)
    text = _decoded(data[len(BOM) :] if bom else data, encoding, filename)
    file = SourceFile(filename, text, encoding, bom)
    try:
        same = file.encode(text) == data
    except Malformed:
        same = False
    if not same:
        raise Malformed(
            "LX403",
            f"decoding {encoding} and encoding it again gives other bytes",
            Place(filename, 1),
            hint="save the file as UTF-8",
        )
    return file


def _encoding(data: bytes, filename: str) -> str:
    """The encoding that a file declares, by its byte order mark or in a comment."""
    wrong, hint = "the file is UTF-16, which Python does not read", "save it as UTF-8"
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            return "utf-8" if encoding == "utf-8-sig" else encoding
        except SyntaxError as error:
            wrong, hint = str(error.msg), "save the file as UTF-8"
    raise Malformed("LX402", wrong, Place(filename, 1), hint=hint)


def _decoded(body: bytes, encoding: str, filename: str) -> str:
    """The text of a file, without its byte order mark."""
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        before = NEWLINE.split(body[: error.start].decode("latin-1"))
        line, column = len(before), len(before[-1]) + 1
        raise Malformed(
            "LX402",
            f"byte 0x{body[error.start]:02x} is not {encoding}",
            Place(filename, line, column),
            hint="save the file as UTF-8, or declare its encoding in the first line",
        ) from None
    except (LookupError, UnicodeError) as error:
        raise Malformed(
            "LX402",
            f"cannot decode {encoding}: {error}",
            Place(filename, 1),
            hint="save the file as UTF-8",
        ) from None


def too_large(filename: str) -> Malformed:
    """The error for a source beyond ``LIMIT``."""
    return Malformed(
        "LX304",
        f"the source is larger than {LIMIT >> 20} MB",
        Place(filename, 1),
        hint="move the annotated functions to a file of their own",
    )
