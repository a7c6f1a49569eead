"""The verbs of the language: the one list of them.

Each is a function that makes a directive, ``tile(i=32)``, and a method of the builder.
``VERBS``, by which text is read, and the public names of ``looptx`` follow from it.
"""

from looptx.directives.around.fuse_around import fuse_around as fuse_around
from looptx.directives.bind import bind as bind
from looptx.directives.builder import Adds as _Adds
from looptx.directives.builder import Collector as _Collector
from looptx.directives.facts.assume import assume as assume
from looptx.directives.facts.reassociate import reassociate as reassociate
from looptx.directives.facts.trust import trust as trust
from looptx.directives.moving.cache_read import cache_read as cache_read
from looptx.directives.moving.cache_write import cache_write as cache_write
from looptx.directives.moving.compute_at import compute_at as compute_at
from looptx.directives.moving.inlining.compute_inline import (
    compute_inline as compute_inline,
)
from looptx.directives.moving.inlining.reverse_compute_inline import (
    reverse_compute_inline as reverse_compute_inline,
)
from looptx.directives.moving.reverse_compute_at import (
    reverse_compute_at as reverse_compute_at,
)
from looptx.directives.moving.set_buffer import set_buffer as set_buffer
from looptx.directives.moving.simple_compute_at import (
    simple_compute_at as simple_compute_at,
)
from looptx.directives.nest import nest as nest
from looptx.directives.order.collapse import collapse as collapse
from looptx.directives.order.cut import cut as cut
from looptx.directives.order.distribute import distribute as distribute
from looptx.directives.order.fuse import fuse as fuse
from looptx.directives.order.pad import pad as pad
from looptx.directives.order.reorder import reorder as reorder
from looptx.directives.order.skew import skew as skew
from looptx.directives.order.split import split as split
from looptx.directives.order.sync_threads import sync_threads as sync_threads
from looptx.directives.order.tile import tile as tile
from looptx.directives.parallel import parallel as parallel
from looptx.directives.parts.rfactor import rfactor as rfactor
from looptx.directives.temp import temp as temp
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
    cut = _Adds(cut)
    collapse = _Adds(collapse)
    compute_at = _Adds(compute_at)
    reverse_compute_at = _Adds(reverse_compute_at)
    simple_compute_at = _Adds(simple_compute_at)
    fuse_around = _Adds(fuse_around)
    compute_inline = _Adds(compute_inline)
    reverse_compute_inline = _Adds(reverse_compute_inline)
    unroll = _Adds(unroll)
    vectorize = _Adds(vectorize)
    parallel = _Adds(parallel)
    bind = _Adds(bind)
    sync_threads = _Adds(sync_threads)
    temp = _Adds(temp)
    cache_read = _Adds(cache_read)
    cache_write = _Adds(cache_write)
    set_buffer = _Adds(set_buffer)
    rfactor = _Adds(rfactor)
    assume = _Adds(assume)
    trust = _Adds(trust)
    reassociate = _Adds(reassociate)
