"""What names mean: scopes, imports, integers and other numbers, ranks of arrays."""
