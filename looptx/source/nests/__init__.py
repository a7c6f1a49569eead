"""Nests from their syntax trees into the model."""
