"""Boosting: stumps, AdaBoost, boosting of any loss, bagging, and their theory as numbers."""

__all__: list[str] = []
