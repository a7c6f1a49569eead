"""Lists that loops fill and empty, as arrays with a count of what is in them."""
