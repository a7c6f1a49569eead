"""The verbs: one small file each, and the ways from text and Python to them."""

from looptx.directives.assume import assume
from looptx.directives.base import Verb
from looptx.directives.builder import Builder, schedule
from looptx.directives.collapse import collapse
from looptx.directives.fuse import fuse
from looptx.directives.nest import nest
from looptx.directives.pad import pad
from looptx.directives.parallel import parallel
from looptx.directives.reassociate import reassociate
from looptx.directives.registry import LATER, VERBS, directive, parse
from looptx.directives.reorder import reorder
from looptx.directives.skew import skew
from looptx.directives.split import split
from looptx.directives.temp import temp
from looptx.directives.tile import tile
from looptx.directives.trust import trust
from looptx.directives.unroll import unroll
from looptx.directives.vectorize import vectorize

__all__ = [
    "LATER",
    "VERBS",
    "Builder",
    "Verb",
    "assume",
    "collapse",
    "directive",
    "fuse",
    "nest",
    "pad",
    "parallel",
    "parse",
    "reassociate",
    "reorder",
    "schedule",
    "skew",
    "split",
    "temp",
    "tile",
    "trust",
    "unroll",
    "vectorize",
]
