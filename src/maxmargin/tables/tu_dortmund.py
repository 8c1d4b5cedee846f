"""Collections of graphs in the format of TU Dortmund.

Morris, Kriege, Bause, Kersting, Mutzel and Neumann, "TUDataset", 2020. A collection NAME is a few
files of text, in a folder or packed into one file:

    NAME_A.txt                  an edge a line, "i, j", nodes numbered from 1 through all graphs
    NAME_graph_indicator.txt    of each node, the number of its graph
    NAME_graph_labels.txt       of each graph, its class
    NAME_node_labels.txt        of each node, its label (need not be there)
    NAME_edge_labels.txt        of each edge, its label (need not be there)

Nothing is unpacked to the disk and no name inside a packed file is followed.
"""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from lzma import LZMAError
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.opening import open_ordinary, read_ordinary
from maxmargin.tables.error import InputError
from maxmargin.tables.hint import listed, neighbours, quoted
from maxmargin.tables.memory import check_memory, free_memory

_NEEDED = ("A", "graph_indicator", "graph_labels")
_BESIDE = ("node_labels", "edge_labels")
_COPIES = 12  # of a file's bytes that are in memory at one time, at most
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, zlib.error, LZMAError, EOFError)


@dataclass(frozen=True, eq=False)
class GraphCollection:
    """Graphs with their classes.

    Attributes
    ----------
    name : str
    graphs : list of Graph
    target : ndarray of shape (graphs,)
        Whole numbers, or texts where the file holds others.
    """

    name: str
    graphs: list[Any]
    target: NDArray[Any]

    def __len__(self) -> int:
        return len(self.graphs)


def read_graphs(path: str | PathLike[str], edge_labels: bool = True) -> GraphCollection:
    """Read a collection of graphs in the format of TU Dortmund.

    Parameters
    ----------
    path : str or Path
        The folder with its files, or a .zip or .tar file, packed or not, that holds them.
    edge_labels : bool, default=True
        Whether to read labels of edges. Attributes, which are measurements, are not read.

    Returns
    -------
    GraphCollection
        With ``graphs`` and ``target``.

    Raises
    ------
    InputError
        With a sentence that says what is wrong with the files.
    """
    place = Path(path)
    found = _parts(place)
    missing = [part for part in _NEEDED if part not in found]
    if missing:
        raise InputError(
            f"{str(place)!r} holds no file that ends in _{missing[0]}.txt, so it is no collection "
            "of graphs in the format of TU Dortmund."
        )
    name = found.pop("name").decode()
    if not edge_labels:
        found.pop("edge_labels", None)
    return _build(name, {part: _lines(part, content) for part, content in found.items()})


def _parts(place: Path) -> dict[str, bytes]:
    """Read the files of a collection by the ends of their names, and the collection's name."""
    contents: dict[str, bytes] = {}
    free, size = free_memory(), 0
    try:
        for name, read, length in _files(place):
            stem, part = _split(name)
            if part is None:
                continue
            if part in contents or contents.get("name", stem.encode()) != stem.encode():
                raise InputError(f"{str(place)!r} holds several collections; give one of them.")
            size += length
            check_memory(place, _COPIES * size, free)
            contents |= {"name": stem.encode(), part: read()}
    except _DAMAGED:
        raise InputError(
            f"{str(place)!r} is no .zip or .tar file, or a damaged one: it cannot be unpacked to "
            "its end. Give the archive of a collection as it is downloaded, or its folder."
        ) from None
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"There is no file {str(place)!r}{neighbours(place)}") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"Cannot read {str(place)!r}: {reason}.") from None
    return contents


def _split(name: str) -> tuple[str, str | None]:
    """Cut a file's name into that of the collection and that of the part."""
    base = PurePosixPath(name).name
    for part in (*_NEEDED, *_BESIDE):
        if base.endswith(f"_{part}.txt"):
            return base.removesuffix(f"_{part}.txt"), part
    return base, None


def _files(place: Path) -> Iterator[tuple[str, Any, int]]:
    """Give plain files: a name, a function that reads all bytes, and how many there are."""
    if place.is_dir():
        for file in sorted(place.iterdir()):
            if file.is_file():
                size = file.stat().st_size
                yield file.name, partial(read_ordinary, file, size), size
        return
    with open_ordinary(place) as content:
        yield from _packed(content)


def _packed(content: BinaryIO) -> Iterator[tuple[str, Any, int]]:
    if zipfile.is_zipfile(content):
        with zipfile.ZipFile(content) as archive:
            for item in archive.infolist():
                yield item.filename, partial(archive.read, item), item.file_size
        return
    content.seek(0)
    with tarfile.open(fileobj=content) as archive:
        for member in archive:
            if member.isfile():
                yield member.name, partial(_content, archive, member), member.size


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    return b"" if file is None else file.read()


def _lines(part: str, content: bytes) -> list[str]:
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"The file _{part}.txt is no text.") from None
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _build(name: str, lines: dict[str, list[str]]) -> GraphCollection:
    """Cut nodes and edges into graphs."""
    target = _labels(lines["graph_labels"])
    owner = _owners(_numbers("graph_indicator", lines["graph_indicator"], 1)[:, 0], len(target))
    edges = _numbers("A", lines["A"], 2) - 1
    home = _homes(edges, owner)
    nodes, labels = (
        _beside(lines, part, size)
        for part, size in (("node_labels", len(owner)), ("edge_labels", len(edges)))
    )
    order, starts = np.argsort(home, kind="stable"), np.searchsorted(owner, np.arange(len(target)))
    cuts = np.searchsorted(home[order], np.arange(len(target) + 1))
    sizes = np.bincount(owner, minlength=len(target))
    graphs = []
    for i, (start, size) in enumerate(zip(starts.tolist(), sizes.tolist(), strict=True)):
        own = order[cuts[i] : cuts[i + 1]]
        of_nodes = None if nodes is None else nodes[start : start + size]
        of_edges = None if labels is None else labels[own]
        graphs.append(_graph(i, edges[own] - start, of_nodes, of_edges, size))
    return GraphCollection(name, graphs, target)


def _graph(number: int, *parts: Any) -> Any:
    from maxmargin.kernels import Graph  # noqa: PLC0415  (tables are read without kernels)

    try:
        return Graph(*parts)
    except ValueError as error:
        raise InputError(f"Graph {number + 1} is no graph: {error}") from None


def _numbers(part: str, lines: list[str], width: int) -> NDArray[np.int64]:
    """Read whole numbers, so many a line."""
    rows = [line.replace(",", " ").split() for line in lines]
    for place, row in enumerate(rows):
        if len(row) != width or not all(_is_whole(word) for word in row):
            wanted = "a whole number" if width == 1 else f"{width} whole numbers"
            raise InputError(
                f"Line {place + 1} of _{part}.txt is {quoted(lines[place])}; it should be {wanted}."
            )
    return np.array(rows, dtype=np.int64).reshape(len(rows), width)


def _is_whole(word: str) -> bool:
    return word.isascii() and word.removeprefix("-").isdecimal() and len(word) < 19


def _labels(lines: list[str]) -> NDArray[Any]:
    """Read a label a line: whole numbers if all are, texts otherwise."""
    words = [line.strip() for line in lines]
    return np.array(words, dtype=np.int64 if all(map(_is_whole, words)) else np.str_)


def _beside(lines: dict[str, list[str]], part: str, size: int) -> NDArray[Any] | None:
    if part not in lines:
        return None
    labels = _labels(lines[part])
    if len(labels) != size:
        what = "nodes" if part == "node_labels" else "edges"
        raise InputError(f"The file _{part}.txt has {len(labels)} lines for {size} {what}.")
    return labels


def _owners(indicator: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    owner = indicator - 1
    if len(owner) and not 0 <= owner.min() <= owner.max() < n:
        line = int(np.flatnonzero((owner < 0) | (owner >= n))[0])
        raise InputError(
            f"Line {line + 1} of _graph_indicator.txt names graph {indicator[line]}, and the "
            f"graphs are 1 to {n}."
        )
    if (np.diff(owner) < 0).any():
        raise InputError("The nodes in _graph_indicator.txt are not in the order of their graphs.")
    return owner


def _homes(edges: NDArray[np.int64], owner: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the graph of each edge."""
    outside = ((edges < 0) | (edges >= len(owner))).any(axis=1)
    if outside.any():
        line = int(outside.argmax())
        named = listed((edges[line] + 1).tolist())
        raise InputError(
            f"Line {line + 1} of _A.txt joins nodes {named}, and the nodes are 1 to {len(owner)}."
        )
    homes = owner[edges]
    across = homes[:, 0] != homes[:, 1]
    if across.any():
        line = int(across.argmax())
        raise InputError(f"Line {line + 1} of _A.txt joins nodes of two different graphs.")
    return np.asarray(homes[:, 0])
