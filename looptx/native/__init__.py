"""From proven loops to a callable: build, cache, load, guard, dispatch."""
