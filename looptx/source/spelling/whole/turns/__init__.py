"""Names that loops give to several arrays in turn, and what each of them is called."""
