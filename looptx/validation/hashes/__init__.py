"""Values that are hashes of expressions, for runs that are too long for symbols."""
