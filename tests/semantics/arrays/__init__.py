"""Arrays: their cells, their parts, and statements on them."""
