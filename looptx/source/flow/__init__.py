"""What goes where: values that live on, and memory that is shared."""
