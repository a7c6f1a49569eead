"""Vector loops, and blocks of cells in registers."""
