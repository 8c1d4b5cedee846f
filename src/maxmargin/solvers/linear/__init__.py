"""Algorithms of linear models: weights on columns, certified by duals of rows."""
