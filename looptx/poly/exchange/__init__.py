"""What a nest that moves exchanges with its loop, and how much that is."""
