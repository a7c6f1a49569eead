"""From a schedule to loops: regions, bands, the AST of isl and its check."""
