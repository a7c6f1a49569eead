"""What expressions on arrays mean: which elements they show, their shape and type."""
