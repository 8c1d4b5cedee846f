"""How many objects a detector finds, against how often it is wrong.

A box finds an object if they share enough: area of both over area of either at least ``overlap``.
An object is found once, by the box of the highest score; every other box is a false positive.

The curve is made as Viola and Jones (2001) made theirs: the threshold of the last stage is raised
step by step, until nothing is found; then the last stage is left out, and the one before it is the
last. Windows are grouped anew every time, since fewer of them make fewer boxes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.evaluation.interval import Interval, clopper_pearson
from maxmargin.inputs.parameters import ParameterError, check_number
from maxmargin.ops.threads import side_by_side
from maxmargin.vision import Cascade, group_rectangles
from maxmargin.vision.scan import Scan

Boxes = NDArray[np.float64]

_OWNER = "evaluate_detector"


@dataclass(frozen=True, eq=False)
class DetectorEvaluation:
    """The evaluation of a detector on images with known objects.

    Parameters
    ----------
    objects, images : int
        Their numbers.
    detected, false_positives : ndarray of int of shape (points,)
        Points of the curve, from few false positives to many.
    stages, thresholds : ndarray of shape (points,)
        Number of stages used, and the threshold of the last.
    found, wrong : int
        Of the unchanged detector.
    windows : int
        Number of windows scanned.
    passed : ndarray of int64 of shape (stages + 1,)
        Windows evaluated, and those that passed each stage.
    mean_features : float
        Features evaluated for each window, on average.
    """

    objects: int
    images: int
    detected: NDArray[np.int64]
    false_positives: NDArray[np.int64]
    stages: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    found: int
    wrong: int
    windows: int
    passed: NDArray[np.int64]
    mean_features: float

    @property
    def detection(self) -> Interval:
        """Share of the objects that the unchanged detector finds, with its exact interval."""
        return clopper_pearson(self.found, self.objects)

    @property
    def pass_rates(self) -> NDArray[np.float64]:
        """Share of the windows that came to each stage and pass it."""
        return self.passed[1:] / np.maximum(self.passed[:-1], 1)

    def detection_at(self, false_positives: float) -> Interval:
        """Return the largest detection rate with at most this many false positives in all images.

        Parameters
        ----------
        false_positives : float

        Returns
        -------
        detection : Interval
            Exact for a point chosen in advance; one chosen on these images is flattered a little.
        """
        allowed = self.detected[self.false_positives <= false_positives]
        return clopper_pearson(int(allowed.max(initial=0)), self.objects)

    def cascade_at(self, false_positives: float, cascade: Cascade) -> Cascade:
        """Return the cascade with the largest detection rate at this many false positives or fewer.

        Parameters
        ----------
        false_positives : float
            In all images.
        cascade : Cascade
            The one that was judged.

        Returns
        -------
        cascade : Cascade
        """
        allowed = self.false_positives <= false_positives
        if not allowed.any():
            raise ValueError(
                f"No point of the curve has at most {false_positives} false positives; the least "
                f"is {self.false_positives.min()}."
            )
        best = int(np.where(allowed, self.detected, -1).argmax())
        return cascade.stricter(self.thresholds[best], int(self.stages[best]))


def evaluate_detector(
    cascade: Cascade,
    images: Sequence[Any],
    truth: Sequence[ArrayLike],
    *,
    overlap: float = 0.5,
    scale_factor: float = 1.1,
    min_neighbors: int = 3,
    min_size: tuple[int, int] | None = None,
    fewest_stages: int | None = None,
    points: int = 25,
    n_jobs: int | None = None,
) -> DetectorEvaluation:
    """Evaluate a detector on images with known objects.

    Parameters
    ----------
    cascade : Cascade
    images : sequence of images
        As ``Cascade.detect`` takes them.
    truth : sequence of array-like of shape (objects, 4)
        For each image, x, y, width and height of its objects; empty if there are none.
    overlap : float, default=0.5
        Least intersection over union with which a box finds an object.
    scale_factor, min_neighbors, min_size
        As in ``Cascade.detect``.
    fewest_stages : int, default=None
        Smallest number of stages used for the curve; None means three fewer than there are.
    points : int, default=25
        Thresholds tried of each last stage.
    n_jobs : int, default=None
        Threads, over images.

    Returns
    -------
    evaluation : DetectorEvaluation

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.evaluation import evaluate_detector
    >>> from maxmargin.vision import Cascade, HaarFeatures, Stage, Tree
    >>> edge = HaarFeatures((8, 8), kinds="edge_x")[-1]
    >>> cascade = Cascade(edge, [Stage(0.5, [Tree.stump(0, 1.2, 0.0, 1.0)])])
    >>> image = np.zeros((60, 60))
    >>> image[10:42, 10:26] = 255
    >>> print(evaluate_detector(cascade, [image], [[[18, 18, 16, 16]]]).detection)
    1.000 (95 % interval 0.025 to 1.000, Clopper-Pearson)
    """
    _check(overlap, points, min_neighbors)
    known, stages = _checked(images, truth), len(cascade.stages)
    fewest = _fewest(fewest_stages, stages)
    parts = [Cascade(cascade.features, cascade.stages[:k]) for k in range(fewest, stages + 1)]

    def scan(image: Any) -> list[Scan]:
        return [part.scan(image, scale_factor, min_size, n_jobs=1) for part in parts]

    scans = side_by_side(scan, images, n_jobs)
    judge, whole = _Judge(known, overlap, min_neighbors), [each[-1] for each in scans]
    curve = sorted(_curve(judge, scans, fewest, points))
    false, detected, used, limits = (np.array(column) for column in zip(*curve, strict=True))
    wrong, found, *_ = judge.point(whole, stages, -np.inf)
    return DetectorEvaluation(
        objects=sum(len(boxes) for boxes in known),
        images=len(known),
        detected=detected,
        false_positives=false,
        stages=used,
        thresholds=limits,
        found=found,
        wrong=wrong,
        **_statistics(cascade, whole),
    )


def _statistics(cascade: Cascade, scans: list[Scan]) -> dict[str, Any]:
    """Count windows, how far they came, and what they cost."""
    windows = sum(each.windows for each in scans)
    passed = np.sum([each.passed for each in scans], axis=0)
    trees = np.array([len(stage.trees) for stage in cascade.stages])
    mean = float(passed[:-1] @ trees / max(windows, 1))
    return {"windows": windows, "passed": passed, "mean_features": mean}


def _check(overlap: float, points: int, min_neighbors: int) -> None:
    check_number(_OWNER, "overlap", overlap, 0.0, above=True)
    if overlap > 1:
        raise ParameterError(
            f"The 'overlap' parameter of {_OWNER} must be at most 1. Got {overlap!r} instead."
        )
    check_number(_OWNER, "points", points, 1, whole=True)
    check_number(_OWNER, "min_neighbors", min_neighbors, 0, whole=True)


def _fewest(asked: int | None, stages: int) -> int:
    if asked is None:
        return max(1, stages - 3)
    check_number(_OWNER, "fewest_stages", asked, 1, whole=True)
    if asked > stages:
        raise ParameterError(
            f"The 'fewest_stages' parameter of {_OWNER} is {asked}, and there are {stages} stages."
        )
    return asked


def _checked(images: Sequence[Any], truth: Sequence[ArrayLike]) -> list[Boxes]:
    if len(images) != len(truth):
        raise ParameterError(
            f"There are {len(images)} images and {len(truth)} lists of boxes; give one for each."
        )
    known = [_rows(k, boxes) for k, boxes in enumerate(truth)]
    for k, boxes in enumerate(known):
        if not (np.isfinite(boxes).all() and (boxes[:, 2:] > 0).all()):
            raise ParameterError(f"Image {k} has a box without width or height, or that is NaN.")
    if not any(len(boxes) for boxes in known):
        raise ParameterError("There are no objects in these images, so no share can be found.")
    return known


def _rows(k: int, boxes: ArrayLike) -> Boxes:
    sentence = f"The boxes of image {k} must be rows of four numbers: x, y, width and height."
    try:
        rows = np.asarray(boxes, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(sentence) from None
    if rows.size == 0:
        return np.empty((0, 4))
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise ParameterError(sentence)
    return rows


def _curve(
    judge: _Judge, scans: list[list[Scan]], fewest: int, points: int
) -> Iterator[tuple[int, int, int, float]]:
    """Raise the threshold of each last stage, from as it is to where nothing is left."""
    for k in range(len(scans[0])):
        part = [each[k] for each in scans]
        scores = np.concatenate([each.scores for each in part])
        steps = np.linspace(0.0, 1.0, points + 1)[1:]
        limits = np.quantile(scores, steps) if len(scores) else []
        for limit in [-np.inf, *np.unique(limits)]:
            yield judge.point(part, fewest + k, float(limit))


@dataclass(frozen=True, eq=False)
class _Judge:
    """Who counts boxes that are right."""

    truth: list[Boxes]
    overlap: float
    min_neighbors: int

    def point(self, scans: list[Scan], stages: int, limit: float) -> tuple[int, int, int, float]:
        """Count false positives and objects found with a threshold."""
        found = wrong = 0
        for scan, known in zip(scans, self.truth, strict=True):
            kept = scan.scores >= limit
            boxes, scores = scan.boxes[kept], scan.scores[kept]
            if self.min_neighbors:
                boxes, _, scores = group_rectangles(boxes, self.min_neighbors, scores=scores)
            right = self.matched(boxes[np.argsort(-scores, kind="stable")], known)
            found, wrong = found + right, wrong + len(boxes) - right
        return wrong, found, stages, limit

    def matched(self, boxes: NDArray[Any], known: Boxes) -> int:
        """Count the objects found, each by one box, the best first."""
        shared = overlaps(boxes, known)
        right = 0
        for row in range(len(boxes)):
            if len(known) and shared[row].max() >= self.overlap:
                shared[:, shared[row].argmax()] = -1.0
                right += 1
        return right


def overlaps(boxes: ArrayLike, others: ArrayLike) -> NDArray[np.float64]:
    """Return intersection over union of every box with every other.

    Parameters
    ----------
    boxes : array-like of shape (n, 4)
        x, y, width and height.
    others : array-like of shape (m, 4)

    Returns
    -------
    shares : ndarray of shape (n, m)

    Examples
    --------
    >>> from maxmargin.evaluation.detector import overlaps
    >>> overlaps([[0, 0, 2, 2]], [[0, 0, 2, 2], [1, 0, 2, 2], [5, 5, 1, 1]]).round(3)
    array([[1.   , 0.333, 0.   ]])
    """
    a = np.asarray(boxes, dtype=np.float64).reshape(-1, 1, 4)
    b = np.asarray(others, dtype=np.float64).reshape(1, -1, 4)
    low = np.maximum(a[..., :2], b[..., :2])
    high = np.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:])
    both = np.prod(np.maximum(high - low, 0.0), axis=-1)
    either = np.prod(a[..., 2:], axis=-1) + np.prod(b[..., 2:], axis=-1) - both
    return both / either
