"""The tiers for rewritten Python, and what all tiers count."""
