"""The program and its schedule as frozen values; no third-party import."""
