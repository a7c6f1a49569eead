"""Concrete syntax: the only room that imports libcst, and only where text is written.

What a program *means* is asked of its ``ast``, in ``source``. Here is how it is
written: comments, layout, parentheses. One function at a time is parsed, transformed
and put back in its lines, so that the rest of a file is byte-identical by construction.
"""
