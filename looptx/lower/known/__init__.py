"""What is known of the numbers in C while it runs, and what they need no test for."""
