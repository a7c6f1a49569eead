"""What is read: the bytes of a file as text and syntax tree, and its directives."""
