"""Random programs and directives, and what finds fault with looptx's answers."""
