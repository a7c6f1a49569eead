"""What scalars are given, as the statements and expressions that native code knows."""
