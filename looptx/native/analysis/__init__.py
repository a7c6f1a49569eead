"""What a function holds: its text, what its names mean, its nests and their code."""
