"""What programs run on: symbols, numbers of all kinds, memory that is watched."""
