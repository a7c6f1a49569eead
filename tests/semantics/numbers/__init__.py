"""Numbers: operators, functions and conversions at the edges of types."""
