"""The types of the scalars that a nest assigns: found, and told apart as it runs."""
