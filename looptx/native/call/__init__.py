"""A decorated function while it runs: types, versions, dispatch, fallback, report."""
