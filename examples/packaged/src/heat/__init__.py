"""Heat flow in a plate: a package whose loops looptx compiles when it is built."""

from heat.plate import diffuse, energy

__all__ = ["diffuse", "energy"]
