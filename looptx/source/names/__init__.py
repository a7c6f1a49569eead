"""What names mean: scopes, imports, and the ways in which names get values."""
