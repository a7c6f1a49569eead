"""The verbs: one small file each, and the ways from text and Python to them."""

from looptx.directives.base import Verb as Verb
from looptx.directives.registry import LATER as LATER
from looptx.directives.registry import VERBS as VERBS
from looptx.directives.registry import directive as directive
from looptx.directives.registry import parse as parse
from looptx.directives.verbs import *  # noqa: F403
