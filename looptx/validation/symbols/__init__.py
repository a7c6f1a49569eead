"""Values that are expressions: arithmetic on symbols, arrays of them, functions."""
