"""What native code means: tables of calls, run both ways."""
