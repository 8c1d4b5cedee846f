"""Cascades in OpenCV's XML: both formats read, the newer one written.

The newer, of ``opencv_traincascade``, lists features apart; the older, of ``opencv_haartraining``,
writes each feature where a node asks about it. A file is parsed without document types and
entities, within bounds on its size, depth and number of elements, and whatever it says is checked
before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar
from xml.parsers import expat

import numpy as np

from maxmargin.inputs.atomic import write_atomically
from maxmargin.inputs.opening import read_ordinary
from maxmargin.vision.haar import HaarFeatures
from maxmargin.vision.lbp import LBPFeatures
from maxmargin.vision.tree import Stage, Tree

Features = HaarFeatures | LBPFeatures
T = TypeVar("T")

MOST_BYTES = 1 << 25
_MOST_ELEMENTS = 1 << 20
_DEEPEST = 32


class CascadeFileError(ValueError):
    """Raised for a file that is not a cascade of OpenCV, or is damaged."""


class _FaultError(Exception):
    """What is wrong, to be said with the name of the file."""


class _Element:
    """An element with its children in order, and its text."""

    __slots__ = ("attributes", "children", "name", "words")

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        self.name, self.attributes = name, attributes
        self.children: list[_Element] = []
        self.words: list[str] = []

    def find(self, name: str) -> _Element:
        """Return the child of a name."""
        child = self.get(name)
        if child is None:
            raise _FaultError(f"<{self.name}> has no <{name}>")
        return child

    def get(self, name: str) -> _Element | None:
        """Return the child of a name, if there is one."""
        return next((child for child in self.children if child.name == name), None)

    def text(self) -> str:
        """Return the text of the element."""
        return "".join(self.words).strip()

    def numbers(self, kind: Callable[[str], T], count: int | None = None) -> list[T]:
        """Read a known count of its numbers."""
        words = self.text().split()
        if count is not None and len(words) != count:
            raise _FaultError(f"<{self.name}> has {len(words)} numbers where {count} belong")
        try:
            return [kind(word) for word in words]
        except (ValueError, OverflowError):
            raise _FaultError(f"<{self.name}> has something that is no number") from None

    def number(self, kind: Callable[[str], T]) -> T:
        """Read its only number."""
        return self.numbers(kind, 1)[0]


def _whole(word: str) -> int:
    """Read a whole number of at most 32 bits."""
    number = int(word) if len(word) < 12 else 1 << 40
    if abs(number) > 1 << 32:
        raise ValueError(word)
    return number


def read_opencv(path: Path, max_bytes: int = MOST_BYTES) -> tuple[Features, tuple[Stage, ...]]:
    """Read features and stages from a file."""
    try:
        root = _parse(read_ordinary(path, max_bytes))
        cascade = _cascade_of(root)
        stages = cascade.find("stages")
        if stages.children and stages.children[0].get("trees"):
            return _read_old(cascade)
        return _read_new(cascade)
    except OSError as error:
        raise CascadeFileError(f"Cannot read {str(path)!r}: {_reason(error)}.") from None
    except (_FaultError, ValueError) as fault:
        raise CascadeFileError(
            f"{str(path)!r} is no cascade of OpenCV: {str(fault).rstrip('.')}."
        ) from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


# from bytes to elements


def _parse(content: bytes) -> _Element:
    """Parse XML, without anything that could refer to something else."""
    top = _Element("", {})
    open_ones, count = [top], 0
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > _MOST_ELEMENTS or len(open_ones) > _DEEPEST:
            raise _FaultError("it has too many elements, or too many within each other")
        element = _Element(name, attributes)
        open_ones[-1].children.append(element)
        open_ones.append(element)

    def add(text: str) -> None:
        open_ones[-1].words.append(text)

    def refuse(*_: Any) -> Any:
        raise _FaultError("it has a document type or entities, which a cascade does not need")

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: open_ones.pop()
    parser.CharacterDataHandler = add
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise _FaultError(f"it is not complete XML (line {error.lineno}: {what})") from None
    except LookupError:
        raise _FaultError("its encoding is not known") from None
    return top


def _cascade_of(root: _Element) -> _Element:
    storage = root.children[0]
    if storage.name != "opencv_storage" or not storage.children:
        raise _FaultError(f"its first element is <{storage.name}> and not a full <opencv_storage>")
    return storage.children[0]


# the newer format


def _read_new(cascade: _Element) -> tuple[Features, tuple[Stage, ...]]:
    kind = cascade.find("stageType").text()
    if kind != "BOOST":
        raise _FaultError(f"its stages are of the type {kind[:20]!r} and not 'BOOST'")
    window = cascade.find("width").number(_whole), cascade.find("height").number(_whole)
    readers: dict[str, Callable[..., Features]] = {"HAAR": _haar_features, "LBP": _lbp_features}
    family = cascade.find("featureType").text()
    if family not in readers:
        raise _FaultError(
            f"its features are of the type {family[:20]!r}; 'HAAR' and 'LBP' are known"
        )
    features = readers[family](window, cascade.find("features").children)
    stages = [_new_stage(stage, family == "LBP") for stage in cascade.find("stages").children]
    _check_questions(features, stages)
    return features, tuple(stages)


def _haar_features(window: tuple[int, int], elements: list[_Element]) -> HaarFeatures:
    return _haar(window, [_haar_feature(element) for element in elements])


def _haar(window: tuple[int, int], parts: list[tuple[Any, Any, bool]]) -> HaarFeatures:
    rectangles = np.array([part[0] for part in parts], dtype=np.int64).reshape(-1, 3, 4)
    if (abs(rectangles) > 1 << 14).any():
        raise _FaultError("it has a rectangle far outside of any window")
    return HaarFeatures.from_rectangles(
        window, rectangles, [part[1] for part in parts], [part[2] for part in parts]
    )


def _haar_feature(element: _Element) -> tuple[Any, Any, bool]:
    """Read two or three rectangles with their weights, and whether they are tilted."""
    rectangles = [each.numbers(str, 5) for each in element.find("rects").children]
    if not 1 <= len(rectangles) <= 3:
        raise _FaultError(f"a feature has {len(rectangles)} rectangles; two or three are known")
    try:
        sides = [[_whole(word) for word in words[:4]] for words in rectangles]
        weights = [float(words[4]) for words in rectangles]
    except ValueError:
        raise _FaultError("a rectangle has something that is no number") from None
    missing = 3 - len(rectangles)
    tilted = element.get("tilted")
    turned = tilted is not None and tilted.number(_whole) != 0
    return sides + [[0] * 4] * missing, weights + [0.0] * missing, turned


def _lbp_features(window: tuple[int, int], elements: list[_Element]) -> LBPFeatures:
    cells = np.array([each.find("rect").numbers(_whole, 4) for each in elements], dtype=np.int64)
    if (abs(cells) > 1 << 14).any():
        raise _FaultError("it has a rectangle far outside of any window")
    return LBPFeatures.from_cells(window, cells)


def _new_stage(element: _Element, lbp: bool) -> Stage:
    trees = [_new_tree(tree, lbp) for tree in element.find("weakClassifiers").children]
    return Stage(element.find("stageThreshold").number(float), tuple(trees))


def _new_tree(element: _Element, lbp: bool) -> Tree:
    """Read nodes: left, right, feature and a threshold, or eight words of 32 bits."""
    each = 11 if lbp else 4
    words = element.find("internalNodes").numbers(str)
    if len(words) % each:
        raise _FaultError(f"a tree has {len(words)} numbers, which are not {each} for each node")
    nodes = [words[k : k + each] for k in range(0, len(words), each)]
    try:
        left, right, feature = ([_whole(node[k]) for node in nodes] for k in range(3))
        codes = [_joined([_whole(word) for word in node[3:]]) for node in nodes] if lbp else []
        threshold = [] if lbp else [float(node[3]) for node in nodes]
    except ValueError:
        raise _FaultError("a tree has something that is no number") from None
    leaves = element.find("leafValues").numbers(float)
    ways = tuple(feature), tuple(left), tuple(right)
    return Tree(*ways, tuple(leaves), tuple(threshold), tuple(codes))


def _joined(words: Iterable[int]) -> int:
    """Make one number of eight words, the lowest first."""
    return sum((word & 0xFFFFFFFF) << (32 * k) for k, word in enumerate(words))


def _check_questions(features: Features, stages: list[Stage]) -> None:
    asked = [k for stage in stages for tree in stage.trees for k in tree.feature]
    if not asked:
        raise _FaultError("it has no stages")
    if not 0 <= min(asked) <= max(asked) < len(features):
        raise _FaultError(f"a tree asks about a feature that is none of its {len(features)}")


# the older format


def _read_old(cascade: _Element) -> tuple[Features, tuple[Stage, ...]]:
    width, height = cascade.find("size").numbers(_whole, 2)
    parts: list[tuple[Any, Any, bool]] = []
    stages = cascade.find("stages").children
    read = tuple(_old_stage(stage, k, parts) for k, stage in enumerate(stages))
    return _haar((width, height), parts), read


def _old_stage(element: _Element, number: int, parts: list[Any]) -> Stage:
    for name, usual in (("parent", number - 1), ("next", -1)):
        link = element.get(name)
        if link is not None and link.number(_whole) != usual:
            raise _FaultError(f"stage {number} does not follow the one before it, but is in a tree")
    trees = [_old_tree(tree, parts) for tree in element.find("trees").children]
    return Stage(element.find("stage_threshold").number(float), tuple(trees))


def _old_tree(element: _Element, parts: list[Any]) -> Tree:
    """Read nodes, each with its feature, and number the leaves as they come."""
    feature: list[int] = []
    threshold: list[float] = []
    leaves: list[float] = []
    ways: dict[str, list[int]] = {"left": [], "right": []}
    for node in element.children:
        feature.append(len(parts))
        parts.append(_haar_feature(node.find("feature")))
        threshold.append(node.find("threshold").number(float))
        for side, way in ways.items():
            value = node.get(f"{side}_val")
            if value is None:
                way.append(node.find(f"{side}_node").number(_whole))
            else:
                way.append(-len(leaves))
                leaves.append(value.number(float))
    left, right = tuple(ways["left"]), tuple(ways["right"])
    return Tree(tuple(feature), left, right, tuple(leaves), tuple(threshold))


# writing


def write_opencv(path: Path, features: Features, stages: tuple[Stage, ...]) -> None:
    """Write the newer format, all of it or nothing."""
    write_atomically(path, "\n".join(_lines(features, stages)) + "\n")


def _lines(features: Features, stages: tuple[Stage, ...]) -> Iterable[str]:
    width, height = features.window
    most = max(len(stage.trees) for stage in stages)
    categories = 256 if isinstance(features, LBPFeatures) else 0
    yield '<?xml version="1.0"?>'
    yield "<opencv_storage>"
    yield '<cascade type_id="opencv-cascade-classifier">'
    yield f"<stageType>BOOST</stageType>\n<featureType>{features.family}</featureType>"
    yield f"<height>{height}</height>\n<width>{width}</width>"
    yield f"<stageParams><maxWeakCount>{most}</maxWeakCount></stageParams>"
    yield f"<featureParams><maxCatCount>{categories}</maxCatCount></featureParams>"
    yield f"<stageNum>{len(stages)}</stageNum>\n<stages>"
    for stage in stages:
        yield f"<_>\n<maxWeakCount>{len(stage.trees)}</maxWeakCount>"
        yield f"<stageThreshold>{_written(stage.threshold)}</stageThreshold>\n<weakClassifiers>"
        yield from (_written_tree(tree) for tree in stage.trees)
        yield "</weakClassifiers></_>"
    yield "</stages>\n<features>"
    yield from _written_features(features)
    yield "</features>\n</cascade>\n</opencv_storage>"


def _written(number: float) -> str:
    """Write a float32 in as few digits as bring it back."""
    return np.format_float_scientific(np.float32(number), trim="0")


def _written_tree(tree: Tree) -> str:
    nodes = []
    for k, ways in enumerate(zip(tree.left, tree.right, tree.feature, strict=True)):
        question = _signed_words(tree.codes[k]) if tree.codes else [_written(tree.threshold[k])]
        nodes.append(" ".join(map(str, [*ways, *question])))
    leaves = " ".join(map(_written, tree.leaves))
    return (
        f"<_><internalNodes>{' '.join(nodes)}</internalNodes><leafValues>{leaves}</leafValues></_>"
    )


def _signed_words(codes: int) -> list[int]:
    words = [codes >> (32 * k) & 0xFFFFFFFF for k in range(8)]
    return [word - (1 << 32) if word >> 31 else word for word in words]


def _written_features(features: Features) -> Iterable[str]:
    if isinstance(features, LBPFeatures):
        for cell in features.cells.tolist():
            yield f"<_><rect>{' '.join(map(str, cell))}</rect></_>"
        return
    for rectangles, weights, tilted in zip(
        features.rectangles.tolist(), features.weights, features.tilted, strict=True
    ):
        rects = "".join(
            f"<_>{' '.join(map(str, sides))} {_written(weight)}</_>"
            for sides, weight in zip(rectangles, weights, strict=True)
            if weight != 0
        )
        yield f"<_><rects>{rects}</rects><tilted>{int(tilted)}</tilted></_>"
