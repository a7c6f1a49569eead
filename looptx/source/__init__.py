"""Reading Python into the model, and writing edits back without touching the rest.

Everything is done with the standard library: ``ast`` for what the program means,
``tokenize`` for comments, and edits of whole lines of the original text, so that what
is not edited is byte-identical by construction.
"""

from looptx.source.decorators import decorator_directives, strip_decorator
from looptx.source.edits import Edit, rewrite
from looptx.source.files import SourceFile, decode
from looptx.source.hosting import host
from looptx.source.locality import functions, lost
from looptx.source.others import others
from looptx.source.reader import Module, read, survey

__all__ = [
    "Edit",
    "Module",
    "SourceFile",
    "decode",
    "decorator_directives",
    "functions",
    "host",
    "lost",
    "others",
    "read",
    "rewrite",
    "strip_decorator",
    "survey",
]
