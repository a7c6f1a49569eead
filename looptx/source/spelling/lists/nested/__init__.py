"""Lists whose elements are lists that loops make, one after the other."""
