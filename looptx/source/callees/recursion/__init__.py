"""Functions of the user that call themselves, as loops."""
