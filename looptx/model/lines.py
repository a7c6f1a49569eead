"""Lines of text as Python counts them, whatever system wrote them."""

from __future__ import annotations

import re

NEWLINE = re.compile(r"\r\n|\r|\n")
"""What ends a line."""
