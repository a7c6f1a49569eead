"""The functions of the user that a nest calls: what they compute, and in place."""
