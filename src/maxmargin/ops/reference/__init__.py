"""NumPy twins of the compiled loops: slow, obvious, and what the contract suite believes."""
