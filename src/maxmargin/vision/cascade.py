"""A cascade: stages one after another, of which each rejects windows that the next need not see."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.parameters import check_number
from maxmargin.vision.group import clip_boxes, group_rectangles
from maxmargin.vision.haar import HaarFeatures
from maxmargin.vision.image import grey_image
from maxmargin.vision.lbp import LBPFeatures
from maxmargin.vision.opencv import MOST_BYTES, read_opencv, write_opencv
from maxmargin.vision.scan import Scan, scan
from maxmargin.vision.tree import Stage, Tree

Boxes = NDArray[np.int32]

# OpenCV lowers thresholds by so much: sums of float32 leaves reach them only up to rounding.
_SLACK = np.float32(1e-5)


class Nodes(NamedTuple):
    """The trees of all stages as arrays, in the order in which compiled loops take them."""

    feature: NDArray[np.uint32]
    threshold: NDArray[np.float32]
    subset: NDArray[np.uint8]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    leaf: NDArray[np.float64]
    tree_nodes: NDArray[np.uint32]
    stage_trees: NDArray[np.uint32]
    stage_threshold: NDArray[np.float64]


@dataclass(frozen=True)
class Cascade:
    """A detector of objects of one kind.

    Parameters
    ----------
    features : HaarFeatures or LBPFeatures
        The features that the trees use; their window is that of the cascade.
    stages : tuple of Stage

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.vision import Cascade, HaarFeatures, Stage, Tree
    >>> edge = HaarFeatures((8, 8), kinds="edge_x")[-1]
    >>> cascade = Cascade(edge, [Stage(0.5, [Tree.stump(0, 1.2, 0.0, 1.0)])])
    >>> image = np.zeros((60, 60))
    >>> image[10:42, 10:26] = 255
    >>> cascade.detect(image)
    array([[19, 18, 16, 16]], dtype=int32)
    """

    features: HaarFeatures | LBPFeatures
    stages: tuple[Stage, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "stages", tuple(self.stages))
        self.__restored__()

    def __restored__(self) -> None:
        """Raise for trees that use features that do not exist."""
        if not self.stages:
            raise ValueError("A cascade needs at least one stage.")
        for tree in self._trees():
            if not all(0 <= k < len(self.features) for k in tree.feature):
                asked, have = tree.feature, len(self.features)
                raise ValueError(f"A tree asks about the features {asked}; there are {have}.")
            if bool(tree.codes) != isinstance(self.features, LBPFeatures):
                raise ValueError("Trees of Haar features need thresholds, of LBP features codes.")

    def _trees(self) -> list[Tree]:
        return [tree for stage in self.stages for tree in stage.trees]

    def __repr__(self) -> str:
        trees, (width, height) = len(self._trees()), self.window
        kind = f"{self.features.family} cascade of {width} x {height} pixels"
        return f"<{kind}: {len(self.stages)} stages, {trees} trees>"

    @property
    def window(self) -> tuple[int, int]:
        """Width and height of the smallest object."""
        return self.features.window

    def stricter(self, threshold: float, stages: int | None = None) -> Cascade:
        """Raise what the last stage asks for, and leave later stages out.

        Parameters
        ----------
        threshold : float
            Of the last stage; one below its own changes nothing.
        stages : int, default=None
            How many to keep; None keeps all.

        Returns
        -------
        cascade : Cascade
        """
        kept = len(self.stages) if stages is None else stages
        if not 1 <= kept <= len(self.stages):
            raise ValueError(f"A cascade of {len(self.stages)} stages has no first {kept} to keep.")
        *first, last = self.stages[:kept]
        raised = Stage(max(float(threshold), last.threshold), last.trees)
        return Cascade(self.features, (*first, raised))

    # files

    @classmethod
    def from_opencv(cls, path: str | Path, *, max_bytes: int = MOST_BYTES) -> Cascade:
        """Read a cascade of OpenCV: Haar or LBP, in its newer format or the older one.

        Parameters
        ----------
        path : str or Path
            An XML file.
        max_bytes : int, default=32 MiB
            The longest file that is read: it takes some thirty times as much memory.

        Returns
        -------
        cascade : Cascade

        Raises
        ------
        CascadeFileError
            If the file is not a cascade; the message names it.
        """
        return cls(*read_opencv(Path(path), max_bytes))

    def to_opencv(self, path: str | Path) -> None:
        """Write a file that ``cv2.CascadeClassifier`` loads, to the same detections.

        Parameters
        ----------
        path : str or Path
            A file of that name is replaced once the new one is complete.
        """
        write_opencv(Path(path), self.features, self.stages)

    # detection

    def detect(
        self,
        image: Any,
        scale_factor: float = 1.1,
        min_neighbors: int = 3,
        min_size: tuple[int, int] | None = None,
        max_size: tuple[int, int] | None = None,
        *,
        return_scores: bool = False,
        order: str = "rgb",
        n_jobs: int | None = None,
    ) -> Any:
        """Find objects of all sizes.

        Parameters
        ----------
        image : array-like of shape (height, width[, channels]) or PIL image
            As ``grey_image`` takes it. In one smaller than the window nothing is found.
        scale_factor : float, default=1.1
            By how much the window grows from scale to scale.
        min_neighbors : int, default=3
            Nearly equal boxes are merged if there are more than this many of them.
            With 0 all windows that pass are returned unmerged.
        min_size, max_size : (int, int), default=None
            Smallest and largest width and height of an object; None for no bound.
        return_scores : bool, default=False
            Whether to give scores too.
        order : {"rgb", "bgr"}, default="rgb"
            Which way round colours stand in an array.
        n_jobs : int, default=None
            Threads; what is found does not depend on their number.

        Returns
        -------
        boxes : ndarray of int32 of shape (objects, 4)
            x, y, width and height.
        scores : ndarray of float64 of shape (objects,)
            The sum of the last stage, the largest of the boxes that became one.
        """
        check_number("detect", "min_neighbors", min_neighbors, 0, whole=True)
        grey, sizes = grey_image(image, order), (min_size, max_size)
        found = self.scan(grey, scale_factor, *sizes, n_jobs=n_jobs)
        boxes, scores = found.boxes, found.scores
        if min_neighbors:
            boxes, _, scores = group_rectangles(boxes, min_neighbors, scores=scores)
        boxes = clip_boxes(boxes, grey.shape)
        return (boxes, scores) if return_scores else boxes

    def scan(
        self,
        image: Any,
        scale_factor: float = 1.1,
        min_size: tuple[int, int] | None = None,
        max_size: tuple[int, int] | None = None,
        *,
        order: str = "rgb",
        n_jobs: int | None = None,
    ) -> Scan:
        """Find all windows that pass, and count how far the others come.

        Parameters
        ----------
        image, scale_factor, min_size, max_size, order, n_jobs
            As in ``detect``.

        Returns
        -------
        scan : Scan
            With ``boxes``, ``scores``, ``windows``, ``passed`` and ``mean_features``.
        """
        check_number("detect", "scale_factor", scale_factor, 1, above=True)
        grey = grey_image(image, order)
        return scan(self, grey, float(scale_factor), min_size, max_size, n_jobs)

    @cached_property
    def nodes(self) -> Nodes:
        """The trees as arrays."""
        trees, sizes = self._trees(), [len(stage.trees) for stage in self.stages]
        counts = [len(tree.feature) for tree in trees]
        lbp = isinstance(self.features, LBPFeatures)
        asked = [tree.threshold if not lbp else (0.0,) * len(tree.codes) for tree in trees]
        subsets = [_bits(codes) for tree in trees for codes in tree.codes]
        least = np.array([stage.threshold for stage in self.stages], np.float32) - _SLACK
        return Nodes(
            feature=np.concatenate([tree.feature for tree in trees]).astype(np.uint32),
            threshold=np.concatenate(asked).astype(np.float32),
            subset=np.array(subsets, dtype=np.uint8).reshape(-1, 256),
            left=np.concatenate([tree.left for tree in trees]).astype(np.int32),
            right=np.concatenate([tree.right for tree in trees]).astype(np.int32),
            leaf=np.concatenate([tree.leaves for tree in trees]).astype(np.float64),
            tree_nodes=np.cumsum([0, *counts]).astype(np.uint32),
            stage_trees=np.cumsum([0, *sizes]).astype(np.uint32),
            stage_threshold=least.astype(np.float64),
        )


def _bits(codes: int) -> list[int]:
    """Return for each code whether it is in a set."""
    return [codes >> code & 1 for code in range(256)]
