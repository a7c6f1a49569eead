"""Functions as people write them, with small changes: what generators do not think of.

The functions of the corpus are changed here and there (an operator, a number, a
condition, a statement), get directives, and arguments of other types and layouts. What
they leave behind must be CPython's.
"""
