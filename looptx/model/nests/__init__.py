"""What the function around a nest says of it, by what it is of."""
