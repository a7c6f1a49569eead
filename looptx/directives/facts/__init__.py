"""Facts that the user states: assumed, trusted, or allowed."""
