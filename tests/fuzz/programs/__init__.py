"""Programs as immutable trees: their text, and all that are smaller."""
