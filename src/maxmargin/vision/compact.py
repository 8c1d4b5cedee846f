"""A cascade of trained stages."""

from __future__ import annotations

import numpy as np

from maxmargin.vision.cascade import Cascade
from maxmargin.vision.stage import Features
from maxmargin.vision.tree import Stage, Tree


def compact(features: Features, stages: list[Stage]) -> Cascade:
    """Make a cascade of stages, with no more features than they ask about."""
    asked = sorted({k for stage in stages for tree in stage.trees for k in tree.feature})
    place = {feature: k for k, feature in enumerate(asked)}

    def renumbered(tree: Tree) -> Tree:
        known = tuple(place[k] for k in tree.feature)
        return Tree(known, tree.left, tree.right, tree.leaves, tree.threshold, tree.codes)

    kept = [Stage(s.threshold, tuple(renumbered(tree) for tree in s.trees)) for s in stages]
    return Cascade(features[np.array(asked)], tuple(kept))
