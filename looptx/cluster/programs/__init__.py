"""Parts of a nest as programs of their own: text, and what cells they touch."""
