"""What a function is given, and which sizes it is given."""
