"""What tasks do, in whatever process they run."""
