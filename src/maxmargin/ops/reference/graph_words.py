"""The obvious version of ``ops.cpu.graph_words``."""

from __future__ import annotations

from typing import Any


def number_words(
    starts: Any,
    letters: Any,
    known: int,
    hashes: Any,  # noqa: ARG001  (a dictionary has its own)
    table: Any,  # noqa: ARG001
    all_starts: Any,
    all_letters: Any,
    numbers: Any,
) -> int:
    """Assign words numbers in the order in which they come up; return how many are known then."""
    vocabulary = {
        tuple(all_letters[all_starts[word] : all_starts[word + 1]]): word for word in range(known)
    }
    for i in range(len(numbers)):
        word = tuple(letters[starts[i] : starts[i + 1]])
        if word not in vocabulary:
            count = vocabulary[word] = len(vocabulary)
            all_starts[count + 1] = all_starts[count] + len(word)
            all_letters[all_starts[count] : all_starts[count + 1]] = word
        numbers[i] = vocabulary[word]
    return len(vocabulary)


def spell_subtrees(starts: Any, neighbours: Any, lines: Any, labels: Any, letters: Any) -> None:
    """Write a word a node: its label, then those of its neighbours with their edges', sorted."""
    for i in range(len(labels)):
        around = slice(starts[i], starts[i + 1])
        pairs = zip(lines[around], labels[neighbours[around]], strict=True)
        word = [labels[i], *sorted((int(line) << 32) + int(label) for line, label in pairs)]
        letters[starts[i] + i : starts[i + 1] + i + 1] = word


def spell_paths(
    starts: Any,
    neighbours: Any,
    labels: Any,
    first: int,
    last: int,
    distance: Any,  # noqa: ARG001  (the sets below know)
    queue: Any,  # noqa: ARG001
    words: Any,
    sources: Any,
) -> int:
    """Write a word for every node reached from nodes first..last: both labels and the distance."""
    count = 0
    for source in range(first, last):
        reached, edge, far = [source], [source], 0
        while edge:
            far += 1
            near = [int(v) for u in edge for v in neighbours[starts[u] : starts[u + 1]]]
            edge = [v for v in dict.fromkeys(near) if v not in reached]
            reached += edge
            for node in edge:
                words[count], sources[count] = (labels[source], labels[node], far), source
                count += 1
    return count
