"""How loops are executed: marks of a schedule that leave its order as it is."""
