import numpy as np

from maxmargin.vision.group import clip_boxes, group_rectangles, label_boxes

BOXES = np.array([[0, 0, 10, 10], [1, 0, 10, 10], [0, 1, 10, 10], [50, 50, 10, 10]], np.int32)


def test_nearly_equal_boxes_are_one_group():
    label, best = label_boxes(BOXES, 0.2, np.array([1.0, 3.0, 2.0, 5.0]))
    assert label[0] == label[1] == label[2] != label[3]
    assert best[label[0]] == 3.0


def test_a_box_alone_has_too_few_neighbours():
    boxes, counts, _ = group_rectangles(BOXES, min_neighbors=2)
    assert counts.tolist() == [3]
    np.testing.assert_array_equal(boxes, [[0, 0, 10, 10]])


def test_boxes_end_at_the_edge_of_the_image():
    clipped = clip_boxes(np.array([[-1, 2, 10, 10]], np.int32), (8, 9))
    left, top, width, height = clipped[0]
    assert left >= 0
    assert left + width <= 9
    assert top + height <= 8
