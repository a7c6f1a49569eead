"""The tier that runs native code."""
