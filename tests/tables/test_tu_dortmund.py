import io
import tarfile
import zipfile

import pytest

from maxmargin.kernels import Graph
from maxmargin.tables import InputError, read_graphs

# A path of three nodes, a graph without nodes, and an edge, given from both ends as usual.
FILES = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n3\n3\n",
    "graph_labels": "1\n-1\n1\n",
    "node_labels": "6\n7\n6\n7\n7\n",
    "edge_labels": "0\n0\n1\n1\n0\n0\n",
}
GRAPHS = [
    Graph([(0, 1), (1, 2)], [6, 7, 6], [0, 1]),
    Graph([], [], []),
    Graph([(0, 1)], [7, 7], [0]),
]


def as_folder(path, files):
    path.mkdir()
    for part, text in files.items():
        (path / f"TOY_{part}.txt").write_text(text)
    (path / "README.txt").write_text("Not read.")
    return path


def as_zip(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for part, text in files.items():
            archive.writestr(f"TOY/TOY_{part}.txt", text)
    return path


def as_tar(path, files):
    with tarfile.open(path, "w:xz") as archive:
        for part, text in files.items():
            entry = tarfile.TarInfo(f"../../TOY_{part}.txt")  # a name that leads nowhere
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("TOY_node_attributes.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return path


@pytest.mark.parametrize("pack", [as_folder, as_zip, as_tar])
def test_a_collection_is_read_from_a_folder_or_packed(pack, tmp_path):
    found = read_graphs(pack(tmp_path / "toy", FILES))
    assert (found.name, len(found)) == ("TOY", 3)
    assert found.graphs == GRAPHS
    assert found.target.tolist() == [1, -1, 1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["toy"]


def test_labels_need_not_be_there(tmp_path):
    bare = {part: FILES[part] for part in ("A", "graph_indicator", "graph_labels")}
    found = read_graphs(as_folder(tmp_path / "bare", bare))
    assert found.graphs[0] == Graph([(0, 1), (1, 2)])
    without = read_graphs(as_folder(tmp_path / "all", FILES), edge_labels=False)
    assert without.graphs[0] == Graph([(0, 1), (1, 2)], [6, 7, 6])
    words = read_graphs(as_folder(tmp_path / "words", FILES | {"graph_labels": "a\nb\na\n\n"}))
    assert words.target.tolist() == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"A": "1, 2\n1, 9\n"}, "Line 2 of _A.txt joins nodes 1, 9, and the nodes are 1 to 5"),
        ({"A": "1, 2\n0, 1\n"}, "Line 2 of _A.txt joins nodes 0, 1"),
        ({"A": "1, 4\n"}, "Line 1 of _A.txt joins nodes of two different graphs"),
        ({"A": "1, 2\n1, x\n"}, "Line 2 of _A.txt is '1, x'; it should be 2 whole numbers"),
        ({"A": f"1, {10**30}\n"}, "Line 1 of _A.txt is"),
        ({"A": "1, 2, 3\n"}, "it should be 2 whole numbers"),
        ({"graph_indicator": "1\n1\n1\n4\n4\n"}, "Line 4 of _graph_indicator.txt names graph 4"),
        ({"graph_indicator": "3\n3\n1\n1\n1\n"}, "not in the order of their graphs"),
        ({"node_labels": "6\n"}, "_node_labels.txt has 1 lines for 5 nodes"),
        ({"edge_labels": "1\n" * 9}, "_edge_labels.txt has 9 lines for 6 edges"),
        ({"edge_labels": "0\n5\n1\n1\n0\n0\n"}, "Graph 1 is no graph: The edge .* given twice"),
        ({"node_labels": "1\n\udcff"}, "_node_labels.txt is no text"),
    ],
)
def test_what_is_wrong_with_files_is_said_in_a_sentence(change, sentence, tmp_path):
    folder = tmp_path / "toy"
    folder.mkdir()
    for part, text in (FILES | change).items():
        (folder / f"TOY_{part}.txt").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match=sentence) as caught:
        read_graphs(folder)
    assert "\n" not in str(caught.value)


def test_what_is_no_collection_is_refused(tmp_path):
    with pytest.raises(InputError, match="There is no file"):
        read_graphs(tmp_path / "nowhere.tar")
    (tmp_path / "noise.tar").write_bytes(b"noise" * 300)
    with pytest.raises(InputError, match=r"is no [.]zip or [.]tar file, or a damaged one"):
        read_graphs(tmp_path / "noise.tar")
    packed = as_tar(tmp_path / "cut.tar.xz", FILES)
    packed.write_bytes(packed.read_bytes()[:-80])
    with pytest.raises(InputError, match=r"is no [.]zip or [.]tar file, or a damaged one"):
        read_graphs(packed)
    with pytest.raises(InputError, match=r"holds no file that ends in _A\.txt"):
        read_graphs(as_folder(tmp_path / "other", {"graph_labels": "1"}))
    two = as_folder(tmp_path / "two", FILES)
    (two / "OTHER_A.txt").write_text("1, 2")
    with pytest.raises(InputError, match="holds several collections"):
        read_graphs(two)


def test_a_file_that_is_too_large_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("maxmargin.tables.tu_dortmund.free_memory", lambda: 100)
    with pytest.raises(InputError, match=r"needs about .* of memory"):
        read_graphs(as_tar(tmp_path / "toy.tar.xz", FILES))
