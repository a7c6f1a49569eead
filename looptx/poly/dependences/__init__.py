"""Which statement instances depend on each other, and what orders keep that."""
