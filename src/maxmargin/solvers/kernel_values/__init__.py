"""Where the kernel values of a fit lie: in memory, row by row in a cache, or nowhere."""
