"""Calls with arrays of dask's: nothing is computed before their results are."""
