"""The generator: bodies, surroundings, forms and directives of random programs."""
