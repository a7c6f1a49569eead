"""Lists of Python, whose elements native code has in arrays."""
