"""Lists that loops append to: lists of lists, and loops that go through what grew."""
