import numpy as np
import pytest

from maxmargin.inputs.atomic import WriteError
from maxmargin.vision import Cascade, CascadeFileError

OLD = """<?xml version="1.0"?>
<opencv_storage>
<!-- a comment -->
<face type_id="opencv-haar-classifier">
  <size>6 5</size>
  <stages>
    <_><!-- stage 0 -->
      <trees>
        <_><_>
          <feature><rects><_>0 0 6 5 -1.</_><_>2 0 2 5 3.</_></rects><tilted>0</tilted></feature>
          <threshold>4.5e-2</threshold><left_node>1</left_node><right_val>0.75</right_val></_>
        <_>
          <feature><rects><_>2 0 2 1 -1.</_><_>2 0 1 1 2.</_></rects><tilted>1</tilted></feature>
          <threshold>-0.25</threshold><left_val>-1.</left_val><right_val>2</right_val></_></_>
      </trees>
      <stage_threshold>0.5</stage_threshold><parent>-1</parent><next>-1</next></_>
  </stages></face>
</opencv_storage>
"""


@pytest.fixture
def written(cascade, tmp_path):
    """A cascade, its file and what stands in it."""
    path = tmp_path / "cascade.xml"
    cascade.to_opencv(path)
    return cascade, path, path.read_text()


def test_what_is_written_comes_back_bit_by_bit(written):
    cascade, path, text = written
    again = Cascade.from_opencv(path)
    assert again == cascade
    assert hash(again) == hash(cascade)
    again.to_opencv(path)
    assert path.read_text() == text


def test_the_older_format_is_read(tmp_path):
    path = tmp_path / "old.xml"
    path.write_text(OLD)
    cascade = Cascade.from_opencv(str(path))
    (tree,) = cascade.stages[0].trees
    assert cascade.window == (6, 5)
    assert (tree.feature, tree.left, tree.right) == ((0, 1), (1, -1), (0, -2))
    assert tree.leaves == (0.75, -1.0, 2.0)
    assert tree.threshold == (float(np.float32(0.045)), -0.25)
    assert cascade.features.tilted.tolist() == [False, True]
    assert cascade.features.weights.tolist() == [[-1, 3, 0], [-1, 2, 0]]


def test_the_older_format_is_opencvs(image, tmp_path, opencv):
    path = tmp_path / "old.xml"
    path.write_text(OLD.replace("<size>6 5", "<size>6 6"))
    ours = Cascade.from_opencv(path).detect(image, min_neighbors=0)
    theirs = opencv.CascadeClassifier(str(path)).detectMultiScale(image, minNeighbors=0)
    assert 0 < len(ours) < 10_000
    assert sorted(ours.tolist()) == sorted(theirs.tolist())


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
FAULTS = {
    "empty": ("", "not complete XML"),
    "entities": (OLD.replace("<opencv_storage>", BOMB + "<opencv_storage>&b;", 1), "document type"),
    "outside": (
        OLD.replace("<opencv_storage>", '<!DOCTYPE x SYSTEM "/etc/passwd"><a>'),
        "document",
    ),
    "encoding": (OLD.replace('"1.0"', '"1.0" encoding="klingon"'), "encoding"),
    "truncated": (OLD[:700], "not complete XML"),
    "another": ("<html><body/></html>", "<html> and not a full <opencv_storage>"),
    "hollow": ("<opencv_storage/>", "not a full <opencv_storage>"),
    "deep": (
        "<opencv_storage>" + "<a>" * 99 + "</a>" * 99 + "</opencv_storage>",
        "within each other",
    ),
    "no stages": (OLD.replace("stages>", "stares>"), "has no <stages>"),
    "words": (OLD.replace("0.75", "much"), "something that is no number"),
    "endless": (OLD.replace("0.75", "1e999"), "finite"),
    "huge": (OLD.replace("6 5</size>", "6 99999999999999</size>"), "no number"),
    "large": (OLD.replace("6 5</size>", "6000 5</size>"), "A window must be"),
    "outlying": (OLD.replace("2 0 2 5 3.", "5 0 2 5 3."), "Feature 0 reaches out of the window"),
    "far": (OLD.replace("2 0 2 5 3.", "99999 0 2 5 3."), "far outside"),
    "circle": (OLD.replace("<left_node>1<", "<left_node>9<"), "leads to 9, which is not below it"),
    "tree": (OLD.replace("<parent>-1", "<parent>7"), "is in a tree"),
    "rectangles": (OLD.replace("<_>2 0 2 5 3.</_>", "<_>2 0 2 5 3.</_>" * 3), "4 rectangles"),
    "short": (OLD.replace("2 0 2 5 3.", "2 0 2 5"), "4 numbers where 5 belong"),
}


@pytest.mark.parametrize(("text", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_file_that_is_none_is_refused_in_a_sentence_that_names_it(text, sentence, tmp_path):
    path = tmp_path / "bad.xml"
    path.write_text(text)
    with pytest.raises(CascadeFileError, match=rf"bad\.xml' is no cascade of OpenCV: .*{sentence}"):
        Cascade.from_opencv(path)


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("<featureType>", "<featureType>HOG", "features are of the type 'HOG"),
        ("BOOST", "FOREST", "type 'FOREST' and not 'BOOST'"),
        ("<internalNodes>", "<internalNodes>1 ", "not (4|11) for each node"),
        ("<features>", "<features/><unused>", "mismatched tag"),
        ("<leafValues>", "<leafValues>1 ", "two ways for each of its nodes"),
    ],
)
def test_faults_of_the_newer_format(before, after, sentence, written):
    _, path, text = written
    path.write_text(text.replace(before, after, 1))
    with pytest.raises(CascadeFileError, match=sentence):
        Cascade.from_opencv(path)


def test_features_that_are_not_there_are_refused(written):
    _, path, text = written
    begin, end = text.index("<features>") + 10, text.index("</features>")
    path.write_text(text[:begin] + text[begin : text.index("</_>\n", begin) + 5] + text[end:])
    with pytest.raises(CascadeFileError, match="none of its 1"):
        Cascade.from_opencv(path)


def test_files_that_cannot_be_read_or_written(cascade, tmp_path, monkeypatch):
    with pytest.raises(CascadeFileError, match=r"Cannot read .*none\.xml.*no such file"):
        Cascade.from_opencv(tmp_path / "none.xml")
    with pytest.raises(WriteError, match="does not exist"):
        cascade.to_opencv(tmp_path / "no folder" / "cascade.xml")
    cascade.to_opencv(tmp_path / "cascade.xml")
    with pytest.raises(CascadeFileError, match="longer than max_bytes=100"):
        Cascade.from_opencv(tmp_path / "cascade.xml", max_bytes=100)
    monkeypatch.setattr("maxmargin.vision.opencv._MOST_ELEMENTS", 10)
    with pytest.raises(CascadeFileError, match="too many elements"):
        Cascade.from_opencv(tmp_path / "cascade.xml")


def mutated(rng, content):
    """Change, drop, repeat or move some bytes."""
    out = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        at, size = rng.integers(0, len(out)), int(rng.integers(1, 30))
        piece = bytes(out[rng.integers(0, len(out)) :][:size])
        kind = rng.integers(0, 4)
        if kind == 0:
            out[at : at + 1] = rng.choice(list(b"0123456789-.e<>/ &_")).tobytes()[:1]
        else:
            out[at : at + (size if kind != 2 else 0)] = piece if kind != 1 else b""
    return bytes(out)


def test_damaged_files_are_read_or_refused(written):
    """What is read is whole: it scans an image."""
    _, path, text = written
    rng, read = np.random.default_rng(0), 0
    blank = np.eye(30) * 255
    for source in [text.encode()] * 60 + [OLD.encode()] * 60:
        path.write_bytes(mutated(rng, source))
        try:
            cascade = Cascade.from_opencv(path)
        except CascadeFileError as error:
            assert str(error).startswith(f"'{path}' is no cascade of OpenCV: ")  # noqa: PT017
        else:
            assert cascade.scan(blank, 1.5).windows >= 0
            read += 1
    assert 0 < read < 120
