"""Where the cells of temporaries and buffers are, and how many of them there are."""
