"""What directives mean: a second interpreter of them, by enumeration.

It shares nothing with looptx but the pages.
"""
