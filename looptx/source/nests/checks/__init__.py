"""What makes a loop no nest."""
