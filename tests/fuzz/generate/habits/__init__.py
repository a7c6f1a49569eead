"""What people write in loops besides loops and cells, as lines of text."""
