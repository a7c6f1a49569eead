"""Arrays that are computed for reductions and products of them."""
