"""The tier of malformed texts."""
