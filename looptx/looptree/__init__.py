"""The loop program between the analysis and the printers, and passes over it."""
