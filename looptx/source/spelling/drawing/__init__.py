"""Random numbers of NumPy in loops, by what they are drawn from."""
