"""The functions of NumPy that generated text calls, written in C."""
