"""What statements read, write and do besides."""
