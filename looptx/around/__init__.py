"""``fuse_around``: the plain directives that it amounts to, chosen and proven."""

from looptx.around.expansion import Expansion as Expansion
from looptx.around.expansion import expansions as expansions
