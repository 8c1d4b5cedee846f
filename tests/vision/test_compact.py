from maxmargin.vision import HaarFeatures, Stage, Tree
from maxmargin.vision.compact import compact


def test_only_features_that_are_asked_about_are_kept():
    features = HaarFeatures((6, 6))
    trees = [Tree.stump(feature, 0.5, -1.0, 1.0) for feature in (40, 7, 40)]
    cascade = compact(features, [Stage(0.0, (trees[0],)), Stage(0.0, tuple(trees[1:]))])
    assert len(cascade.features) == 2
    asked = [tree.feature[0] for stage in cascade.stages for tree in stage.trees]
    assert asked[0] == asked[2] != asked[1]
    assert set(asked) == {0, 1}
