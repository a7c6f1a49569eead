"""The verbs of the language: the one list of them.

Each is a function that makes a directive, ``tile(i=32)``, and a method of the builder.
``VERBS``, by which text is read, and the public names of ``looptx`` follow from it.
"""

from looptx.directives.assume import assume as assume
from looptx.directives.builder import Adds as _Adds
from looptx.directives.builder import Collector as _Collector
from looptx.directives.collapse import collapse as collapse
from looptx.directives.distribute import distribute as distribute
from looptx.directives.fuse import fuse as fuse
from looptx.directives.nest import nest as nest
from looptx.directives.pad import pad as pad
from looptx.directives.parallel import parallel as parallel
from looptx.directives.reassociate import reassociate as reassociate
from looptx.directives.reorder import reorder as reorder
from looptx.directives.skew import skew as skew
from looptx.directives.split import split as split
from looptx.directives.temp import temp as temp
from looptx.directives.tile import tile as tile
from looptx.directives.trust import trust as trust
from looptx.directives.unroll import unroll as unroll
from looptx.directives.vectorize import vectorize as vectorize


class Builder(_Collector):
    """A function and the directives for it; every method returns a longer builder."""

    nest = _Adds(nest)
    split = _Adds(split)
    tile = _Adds(tile)
    reorder = _Adds(reorder)
    skew = _Adds(skew)
    pad = _Adds(pad)
    fuse = _Adds(fuse)
    distribute = _Adds(distribute)
    collapse = _Adds(collapse)
    unroll = _Adds(unroll)
    vectorize = _Adds(vectorize)
    parallel = _Adds(parallel)
    temp = _Adds(temp)
    assume = _Adds(assume)
    trust = _Adds(trust)
    reassociate = _Adds(reassociate)
