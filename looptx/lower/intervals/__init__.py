"""The ranges of integers: known now, or computed by the entry of a nest."""
