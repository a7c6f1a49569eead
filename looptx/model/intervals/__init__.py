"""Intervals of integers: arithmetic that bounds a result by the bounds of its operands.

``constant`` has bounds that are numbers, ``symbolic`` such as are known where a nest is
entered. Both are domains of the abstract interpretation of expressions
(``model.expr.measure.interpreted``); what is known of a variable is their user's.
(Moore, *Interval Analysis*, 1966; Cousot, Cousot, POPL 1977.)
"""
