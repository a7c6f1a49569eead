"""What runs tasks: this process, or a cluster."""
