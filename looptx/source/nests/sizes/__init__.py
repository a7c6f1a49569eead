"""What is known of sizes and of the integers made of them."""
