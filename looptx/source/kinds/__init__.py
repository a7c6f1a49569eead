"""What names hold: integers and other numbers, arrays and their ranks, dtypes."""
