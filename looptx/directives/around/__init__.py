"""What moves whole nests around one."""
