"""Reading Python into the model: what a program means, asked of its ``ast``."""

from looptx.source.decorators import decorator_directives, decorator_option, doubtful
from looptx.source.names.locality import functions, lost
from looptx.source.reader import Module, read, survey
from looptx.source.text.encoding import SourceFile, decode
from looptx.source.text.other_calls import unknown
from looptx.source.text.other_loops import beside, others

__all__ = [
    "Module",
    "SourceFile",
    "beside",
    "decode",
    "decorator_directives",
    "decorator_option",
    "doubtful",
    "functions",
    "lost",
    "others",
    "read",
    "survey",
    "unknown",
]
