"""Cascades of faces: how fast they are trained, and how good they are.

    python -m benchmarks.faces speed [--rounds N] [--windows N]
    python -m benchmarks.faces cbcl
    python -m benchmarks.faces cascade [--budget MINUTES] [--resume FILE] [--out XML]
    python -m benchmarks.faces long [--portraits FOLDER] [--scenes FOLDER] [--out XML] ...
    python -m benchmarks.faces roc XML [--lower SUM] [--neighbors N] [--pictures FOLDER]
    python -m benchmarks.faces ship XML THRESHOLD OUT

speed: AdaBoost over all 162,336 Haar features of 24 x 24 pixels, on as many faces as other windows;
beside it scikit-learn's AdaBoost of stumps on a few of the same columns, by feature, window and
round. cbcl: one stage of 200 features on the windows of 19 x 19 pixels of MIT's CBCL, beside an RBF
machine on their pixels. cascade: a detector trained on the web faces of Caltech and scenes without
faces, judged on half of the test set of MIT and CMU, which it never saw. long: some short stages
of patterns and a long one behind them, on the web faces, or on crops and scenes of your own: so the
cascade that ships was made. Its crops are square, with the eyes 0.375 of a side apart, and the
middle between eyes and mouth at 0.5 of the width and 0.51 of the height. roc: the curve of a
cascade, from a threshold so much lower than its own.
"""

from __future__ import annotations

import argparse
import io
import resource
import zipfile
from pathlib import Path
from time import perf_counter
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from benchmarks.markdown import lay_out, number, times
from benchmarks.source import folder
from maxmargin import SVC, plots
from maxmargin.evaluation import DetectorEvaluation, evaluate_detector
from maxmargin.evaluation.delong import delong_interval
from maxmargin.ops.clock import Clock
from maxmargin.ops.threads import Workers, count_threads
from maxmargin.vision import (
    Cascade,
    HaarFeatures,
    LastStage,
    Stage,
    Variation,
    grey_image,
    train_cascade,
)
from maxmargin.vision.backgrounds import Backgrounds
from maxmargin.vision.mining import Miner
from maxmargin.vision.search import FeatureSearch
from maxmargin.vision.stage import Examples, StageGoal, rounds_of

# Viola and Jones (2001), table 2, on all 130 images with 507 faces.
PUBLISHED = {10: 0.761, 31: 0.884, 50: 0.914, 65: 0.920, 78: 0.921, 95: 0.929, 167: 0.939}
# Of the cascade of short stages that "cascade" trains, on the 65 images here.
SHORT_STAGES = {5: 0.757, 16: 0.812, 25: 0.828, 32: 0.845, 39: 0.845, 48: 0.848, 84: 0.880}
# Of that of "long --stages 4 --copies 1 --detection 0.995 --passes 2" on the web faces.
LONG_STAGE = {5: 0.796, 16: 0.874, 25: 0.900, 32: 0.900, 39: 0.909, 48: 0.909, 84: 0.922}
MARGIN = 3  # pixels of 36 cut off around a face, which leaves more of it for the window
EVERY = 4  # of all Haar features one in so many is searched by the full cascade
NEIGHBORS = 2  # more windows than so many must agree; chosen on faces pasted into scenes
NOTICE = (
    "Frontal faces. Part of maxmargin, under its licence (MIT). Trained on 1,134 official "
    "portraits of members of the United States Congress (works of the government are in the "
    "public domain; for 111 the collection names no source) and on freely licensed scenes; none "
    "of these pictures is in it."
)
# The points of the long stages' curves; those of the others were found with 60 of each last stage.
POINTS = 400
SKLEARN_COLUMNS, SKLEARN_ROUNDS = 200, 5


# data


def faces() -> Any:
    whole = np.load(folder() / "faces" / "caltech_webfaces_36x36.npz")["X"]
    return whole[:, MARGIN:-MARGIN, MARGIN:-MARGIN]


def _pictures(archive: str, suffix: str) -> dict[str, Any]:
    from PIL import Image

    with zipfile.ZipFile(folder() / "faces" / archive) as files:
        names = sorted(name for name in files.namelist() if name.endswith(suffix))
        return {
            Path(name).stem: grey_image(Image.open(io.BytesIO(files.read(name))).convert("L"))
            for name in names
        }


def scenes() -> list[Any]:
    return list(_pictures("nonface_scenes.zip", ".jpg").values())


def test_set() -> tuple[list[Any], list[Any]]:
    """Photographs, and their boxes cut as the faces of the training set are."""
    pictures = _pictures("mit_cmu_half.zip", ".png")
    boxes: dict[str, list[Any]] = {name: [] for name in pictures}
    with zipfile.ZipFile(folder() / "faces" / "mit_cmu_half.zip") as files:
        lines = files.read("ground_truth_bboxes.txt").decode().splitlines()
    for name, *corners in (line.split() for line in lines):
        left, top, right, bottom = map(float, corners)
        width, height, cut = right - left, bottom - top, MARGIN / 36
        inner = width * (1 - 2 * cut), height * (1 - 2 * cut)
        boxes[Path(name).stem].append((left + cut * width, top + cut * height, *inner))
    return list(pictures.values()), [np.reshape(boxes[name], (-1, 4)) for name in pictures]


# parts


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def speed(options: argparse.Namespace) -> None:
    half = options.windows // 2
    features = HaarFeatures()
    with Workers() as workers:
        miner = Miner(Backgrounds(scenes(), (24, 24)), features, 0, workers)
        others = miner.mine(None, half, 0, Clock()).windows
        objects = Variation(mirror=False).windows(list(faces()[:half]), (24, 24), 0)
        training = Examples(features, objects, others)
        begun = perf_counter()
        search = FeatureSearch(features, training.windows, workers)
        sorting = perf_counter() - begun
        goal = StageGoal(1.0, 1e-9, options.rounds)
        booster = rounds_of(search, training, Examples(features, objects, others), goal)
        for _ in range(options.rounds):
            booster.round()
        whole = perf_counter() - begun
    pairs = len(features) * len(training.windows)
    ours = whole / options.rounds / pairs
    columns = np.random.default_rng(0).choice(len(features), SKLEARN_COLUMNS, replace=False)
    theirs = scikit_learn(features[np.sort(columns)].values(training.windows), training.label)
    head = ["", "seconds", "ns a feature, window and round"]
    told = f"{options.rounds} of {len(features):,} features, {len(training.windows):,} windows"
    rows = [
        [told, number(whole), number(1e9 * ours)],
        ["of that to evaluate and sort", number(sorting), ""],
        [f"scikit-learn, {SKLEARN_COLUMNS} columns", "", number(1e9 * theirs)],
    ]
    print(lay_out(head, rows))
    print(
        f"{times(theirs / ours)} on {count_threads(None)} threads; peak {peak_megabytes():.0f} MB"
    )


def scikit_learn(X: Any, y: Any) -> float:
    """Seconds for each feature, window and round; its trees know no threads."""
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=SKLEARN_ROUNDS)
    begun = perf_counter()
    model.fit(X, y)
    return (perf_counter() - begun) / len(model.estimators_) / X.size


def cbcl(options: argparse.Namespace) -> None:
    data = np.load(folder() / "faces" / "cbcl_19x19.npz")
    train = [data["train_face"], data["train_nonface"]]
    test = [data["test_face"], data["test_nonface"]]
    features = HaarFeatures((19, 19))
    training, checked = Examples(features, *train), Examples(features, *test)
    begun = perf_counter()
    with Workers() as workers:
        search = FeatureSearch(features, training.windows, workers)
        booster = rounds_of(search, training, checked, StageGoal(1.0, 1e-9, options.rounds))
        for _ in range(options.rounds):
            booster.round()
    spent = perf_counter() - begun
    label = checked.label > 0
    rows = [
        [
            f"{options.rounds} of {len(features):,} features",
            *_area(label, booster.validation.votes),
            spent,
        ]
    ]
    begun = perf_counter()
    machine = SVC(C=10.0, gamma="scale").fit(_scaled(training), training.label)
    scores = machine.decision_function(_scaled(checked))
    rows.append(["RBF machine on pixels", *_area(label, scores), perf_counter() - begun])
    head = ["test part", "area", "95 %", "seconds"]
    print(lay_out(head, [[*row[:3], number(row[3])] for row in rows]))


def _scaled(examples: Examples) -> Any:
    """Pixels of windows, each with mean 0 and deviation 1, as the features have them."""
    flat = examples.windows.pixels.reshape(len(examples.label), -1).astype(np.float32)
    flat -= flat.mean(axis=1, keepdims=True)
    return flat / np.maximum(flat.std(axis=1, keepdims=True), 1.0)


def _area(label: Any, scores: Any) -> list[str]:
    interval = delong_interval(label, scores)
    assert np.isclose(interval.value, roc_auc_score(label, scores))
    return [f"{interval.value:.4f}", f"{interval.low:.4f} to {interval.high:.4f}"]


def cascade(options: argparse.Namespace) -> None:
    begun = perf_counter()
    made = train_cascade(
        faces(),
        scenes(),
        features=HaarFeatures()[::EVERY],
        stages=options.stages,
        min_detection=0.998,
        max_features=options.features,
        asymmetry=options.asymmetry,
        n_positives=options.windows // 2,
        n_negatives=options.windows // 2,
        variation=Variation(copies=2, shift=0.05, rotation=10.0, scale=0.1),
        time_limit=60.0 * options.budget,
        n_jobs=options.jobs,
        verbose=True,
        checkpoint=options.checkpoint,
        resume=options.resume,
    )
    print(f"{made!r} in {(perf_counter() - begun) / 60:.1f} minutes, {peak_megabytes():.0f} MB")
    if options.out:
        made.to_opencv(options.out)
    judge(made)


def long(options: argparse.Namespace) -> None:
    begun = perf_counter()
    given = [options.scenes] if options.scenes else []
    backgrounds = [path for folder in given for path in sorted(folder.iterdir())]
    made = train_cascade(
        options.portraits or faces(),
        backgrounds if options.portraits else [*scenes(), *backgrounds],
        features="lbp",
        stages=options.stages,
        min_detection=0.997,
        max_false_positive=0.35,
        max_features=60,
        n_positives=5000,
        n_negatives=6000,
        validation=0.15,
        variation=Variation(
            copies=options.copies, shift=0.04, rotation=10.0, scale=0.1, blur=1.2, noise=8.0
        ),
        last=LastStage((100, 300, 800), options.detection, 8000, options.passes),
        n_jobs=options.jobs,
        verbose=True,
        checkpoint=options.checkpoint,
        resume=options.resume,
    )
    print(f"{made!r} in {(perf_counter() - begun) / 60:.1f} minutes, {peak_megabytes():.0f} MB")
    if options.out:
        made.to_opencv(options.out)


def roc(options: argparse.Namespace) -> None:
    made = Cascade.from_opencv(options.xml)
    if options.lower is None:
        found = judge(made, min_neighbors=options.neighbors)
        if options.pictures:
            draw(made, found, options.pictures)
        return
    last = made.stages[-1].threshold
    how = {"points": POINTS, "fewest_stages": len(made.stages), "min_neighbors": options.neighbors}
    found = judge(at_threshold(made, last - options.lower), **how)
    if options.pictures:
        point = evaluate_detector(made, *test_set(), **how | {"points": 1})
        draw_point(made, found, point, options)


def at_threshold(made: Cascade, threshold: float) -> Cascade:
    """Let the last stage ask for another sum, for less too."""
    *first, last = made.stages
    return Cascade(made.features, (*first, Stage(threshold, last.trees)))


def ship(options: argparse.Namespace) -> None:
    """Write the cascade that comes with the package, at its operating point."""
    made = at_threshold(Cascade.from_opencv(options.xml), options.threshold)
    made.to_opencv(options.out)
    first, rest = options.out.read_text().split("\n", 1)
    options.out.write_text(f"{first}\n<!-- {NOTICE} -->\n{rest}")


def judge(made: Cascade, **how: Any) -> DetectorEvaluation:
    how = {"min_neighbors": NEIGHBORS, "points": 60} | how
    found = evaluate_detector(made, *test_set(), **how)
    print(f"{found.objects} faces, {found.images} images, {found.windows:,} windows,")
    print(f"{found.mean_features:.1f} features a window; as it is {found.detection}")
    print(
        f"at {found.wrong} false positives, and at one an image {found.detection_at(found.images)}"
    )
    print(lay_out(["false positives", "detected", "95 %", "published, 130 images"], _table(found)))
    return found


def _table(found: DetectorEvaluation) -> list[list[str]]:
    """The curve beside the published one, at as many false positives an image."""
    share = found.images / 130
    rows = []
    for published, rate in PUBLISHED.items():
        count = round(published * share)
        here = found.detection_at(count)
        ends = f"{100 * here.low:.1f} to {100 * here.high:.1f}"
        rows.append(
            [str(count), f"{100 * here.value:.1f} %", ends, f"{100 * rate:.1f} % at {published}"]
        )
    return rows


# pictures


def draw(made: Cascade, found: DetectorEvaluation, images: Path) -> None:
    """Draw what docs/vision.md shows of a cascade."""
    rate = {count / 130: share for count, share in PUBLISHED.items()}
    names = {"this cascade, 65 images": found}, {"Viola and Jones (2001), all 130": rate}
    curve = plots.detector_roc(*names)
    curve.ax_.set(xlim=(0.0, 1.5), ylim=(0.5, 1.0))
    photograph = astronaut()
    boxes = found.cascade_at(found.images, made).detect(photograph, min_neighbors=NEIGHBORS)
    crops = Variation(mirror=False).windows(list(faces()), made.window, 0)
    shown = {
        "roc": curve,
        "survival": plots.survival(found),
        "first_features": plots.first_features(made, crops, count=6),
        "detections": plots.detections(photograph, boxes),
    }
    for name, picture in shown.items():
        picture.figure_.savefig(images / f"vision_{name}.png", dpi=100)


def draw_point(
    made: Cascade, found: DetectorEvaluation, point: DetectorEvaluation, options: argparse.Namespace
) -> None:
    """Draw the curve of a last stage, and a photograph that is not of the test set."""
    from PIL import Image

    rate = {count / 130: share for count, share in PUBLISHED.items()}
    short = {count / 65: share for count, share in SHORT_STAGES.items()}
    names = {"the cascade that ships": found}
    better = {count / 65: share for count, share in LONG_STAGE.items()}
    others = {
        "fifteen short stages, web faces": short,
        "a long last stage, web faces": better,
        "Viola and Jones (2001), all 130": rate,
    }
    curve = plots.detector_roc(names, others)
    curve.ax_.set(xlim=(0.0, 1.5), ylim=(0.5, 1.0))
    curve.figure_.savefig(options.pictures / "vision_roc.png", dpi=100)
    photograph = astronaut()
    boxes = made.detect(photograph, min_neighbors=options.neighbors)
    height, width = photograph.shape[:2]
    figure = plt.figure(figsize=(width / 100, (height + 28) / 100))
    place = 0.0, 0.0, 1.0, height / (height + 28)
    plots.detections(photograph, boxes, ax=figure.add_axes(place))
    told = f"Sum of the last stage at least {made.stages[-1].threshold:.0f}: "
    told += f"{point.wrong} false boxes in {point.images} held photographs"
    figure.suptitle(told, fontsize=9, y=0.985)
    file = options.pictures / "vision_detections.png"
    figure.savefig(file, dpi=100)
    with Image.open(file) as drawn:
        small = drawn.convert("RGB").quantize(128)
    small.save(file, optimize=True)


def astronaut() -> Any:
    from PIL import Image

    return np.asarray(Image.open(folder() / "faces" / "astronaut.png").convert("RGB"))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faces", description=__doc__)
    parts = parser.add_subparsers(required=True)
    fast = parts.add_parser("speed")
    fast.add_argument("--rounds", type=int, default=200)
    fast.add_argument("--windows", type=int, default=4000)
    fast.set_defaults(part=speed)
    small = parts.add_parser("cbcl")
    small.add_argument("--rounds", type=int, default=200)
    small.set_defaults(part=cbcl)
    full = parts.add_parser("cascade")
    full.add_argument("--budget", type=float, default=60.0, help="minutes")
    full.add_argument("--stages", type=int, default=15)
    full.add_argument("--features", type=int, default=400)
    full.add_argument("--windows", type=int, default=10000)
    full.add_argument("--jobs", type=int)
    full.add_argument("--asymmetry", type=float, default=1.0)
    for name in ("--checkpoint", "--resume", "--out"):
        full.add_argument(name, type=Path)
    full.set_defaults(part=cascade)
    rounds = parts.add_parser("long")
    for name in ("--portraits", "--scenes", "--checkpoint", "--resume", "--out"):
        rounds.add_argument(name, type=Path)
    rounds.add_argument("--stages", type=int, default=6)
    rounds.add_argument("--copies", type=int, default=5)
    rounds.add_argument("--detection", type=float, default=0.98, help="of the last stage")
    rounds.add_argument("--passes", type=int, default=8)
    rounds.add_argument("--jobs", type=int)
    rounds.set_defaults(part=long)
    last = parts.add_parser("ship")
    last.add_argument("xml", type=Path)
    last.add_argument("threshold", type=float)
    last.add_argument("out", type=Path)
    last.set_defaults(part=ship)
    again = parts.add_parser("roc")
    again.add_argument("xml", type=Path)
    again.add_argument("--lower", type=float, help="trace the last stage alone, from so much lower")
    again.add_argument("--neighbors", type=int, default=NEIGHBORS)
    again.add_argument("--pictures", type=Path, help="the folder to draw in")
    again.set_defaults(part=roc)
    options = parser.parse_args()
    options.part(options)


if __name__ == "__main__":
    main()
