"""Reading Python into the model: what a program means, asked of its ``ast``."""

from looptx.source.decorators import decorator_directives
from looptx.source.files import SourceFile, decode
from looptx.source.locality import functions, lost
from looptx.source.others import others
from looptx.source.reader import Module, read, survey

__all__ = [
    "Module",
    "SourceFile",
    "decode",
    "decorator_directives",
    "functions",
    "lost",
    "others",
    "read",
    "survey",
]
