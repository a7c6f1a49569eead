"""What is kept between processes: where it lies, how it is trusted, what goes."""
