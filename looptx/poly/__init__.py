"""The exact analysis, and the only room that knows isl (Verdoolaege, ICMS 2010)."""
