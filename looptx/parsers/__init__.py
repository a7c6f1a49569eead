"""What Python's and libcst's parsers ask for: a deep stack, and silence."""
