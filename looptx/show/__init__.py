"""Pictures of iteration spaces: before and after a schedule, as SVG or as a page.

Everything is enumerated at small concrete sizes, without isl: the statement instances
in source order, the position of each under the schedule, and the cells it touches. So a
picture is also a second opinion on the proof.
"""
