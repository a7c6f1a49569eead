"""A call of a kernel whose nests run as tasks."""
