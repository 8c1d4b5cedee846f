"""Measurements against scikit-learn and its peers; ``python -m benchmarks.run`` makes them."""
