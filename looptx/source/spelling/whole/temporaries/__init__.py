"""Arrays that a statement on arrays fills first: sums along axes, products, joined."""
