"""Directive text to clauses; see ``grammar`` (the words) and ``files`` (where from)."""
