"""Several nests made one: how their loops meet, and where each stands."""
