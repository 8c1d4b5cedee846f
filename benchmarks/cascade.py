"""Cascades of OpenCV, ours against ``cv2`` 4 on the same threads: the same windows, and how long.

    python -m benchmarks.cascade [--images N] [--repeats N]

The agreement is of windows before grouping, counted with their repeats, and of boxes after it, over
the photographs in faces/; the time is of ``detect`` on one of 640 x 480 pixels at a factor of 1.1.
"""

from __future__ import annotations

import argparse
import lzma
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest import OURS, interleave, medians
from benchmarks.markdown import lay_out, number, times
from benchmarks.source import folder
from maxmargin.ops.threads import count_threads

CV2 = "cv2"
NAMES = [f"haarcascade_{name}" for name in ("eye", "frontalface_alt", "frontalface_alt2")]
NAMES += ["haarcascade_frontalface_default", "lbpcascade_frontalface_opencv"]
# A misspelt element of this file keeps OpenCV from loading it.
MISSPELT = b"featuhreParams", b"featureParams"


def unpack(name: str, into: Path) -> Path:
    path = into / f"{name}.xml"
    content = lzma.decompress((folder() / "faces" / f"{name}.xml.xz").read_bytes())
    path.write_bytes(content.replace(*MISSPELT))
    return path


def photographs(most: int) -> Iterator[Any]:
    """Faces of the test set of MIT and CMU, and scenes without any, in turn."""
    import cv2

    archives = [
        zipfile.ZipFile(folder() / "faces" / f"{name}.zip")
        for name in ("mit_cmu_half", "nonface_scenes")
    ]
    lists = [[n for n in a.namelist() if n.endswith(("png", "jpg"))] for a in archives]
    for k in range(most):
        archive, names = archives[k % 2], lists[k % 2]
        if k // 2 < len(names):
            yield cv2.imdecode(np.frombuffer(archive.read(names[k // 2]), np.uint8), 0)


def counted(boxes: Any) -> Counter[tuple[int, ...]]:
    return Counter(map(tuple, np.reshape(boxes, (-1, 4)).tolist()))


def agreement(ours: Any, theirs: Any, images: list[Any]) -> list[str]:
    same = total = boxes = 0
    for image in images:
        one = counted(ours.detect(image, min_neighbors=0))
        two = counted(theirs.detectMultiScale(image, minNeighbors=0))
        same, total = same + (one & two).total(), total + max(one.total(), two.total())
        boxes += counted(ours.detect(image)) == counted(theirs.detectMultiScale(image))
    return [f"{same:,} of {total:,}", f"{boxes} of {len(images)}"]


def speed(ours: Any, theirs: Any, image: Any, repeats: int) -> list[str]:
    calls = {OURS: lambda: ours.detect(image), CV2: lambda: theirs.detectMultiScale(image)}
    for call in calls.values():
        call()
    spent = medians(interleave(calls, dict.fromkeys(calls, repeats))[0])
    mean = ours.scan(image).mean_features
    milliseconds = [number(1e3 * spent[name]) for name in calls]
    return [*milliseconds, times(spent[CV2] / spent[OURS]), number(mean)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cascade", description=__doc__)
    parser.add_argument("--images", type=int, default=130)
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    import cv2

    from maxmargin.vision import Cascade

    cv2.setNumThreads(count_threads(None))
    images = list(photographs(options.images))
    astronaut = cv2.imread(str(folder() / "faces" / "astronaut.png"), cv2.IMREAD_GRAYSCALE)
    image, rows = cv2.resize(astronaut, (640, 480)), []
    with tempfile.TemporaryDirectory() as place:
        for name in NAMES:
            path = unpack(name, Path(place))
            ours, theirs = Cascade.from_opencv(path), cv2.CascadeClassifier(str(path))
            row = agreement(ours, theirs, images) + speed(ours, theirs, image, options.repeats)
            rows.append([name, *row])
    header = [
        "cascade",
        "windows alike",
        "images alike",
        "ms",
        "cv2 ms",
        "gain",
        "features a window",
    ]
    print(lay_out(header, rows))


if __name__ == "__main__":
    main()
