"""Programs: loops of all kinds, names, calls, and what looptx leaves alone."""
