"""What judges: enumeration of all executions, and dataflow on symbols."""
