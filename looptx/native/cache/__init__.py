"""The cache on disk: its location, its permissions, its entries and their eviction."""
