"""What is noted with nodes of syntax trees."""
