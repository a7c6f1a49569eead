"""Values that are computed where they are read, or used where they are written."""
