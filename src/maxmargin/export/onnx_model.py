"""Fitted models as ONNX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.export import ensemble, machine, others, steps, table, trees
from maxmargin.export.error import refuse
from maxmargin.export.registry import Frame, convert
from maxmargin.export.result import Additive, Classes, Quantity, Result
from maxmargin.export.tensor import Graph, Tensor
from maxmargin.inputs.extra import MissingPackageError

if TYPE_CHECKING:
    from maxmargin.tables import Schema

CONVERTERS: list[Any] = [ensemble, machine, others, steps, table, trees]
try:  # the models of jobs need what reads tables
    from maxmargin.export import boosted, job

    CONVERTERS += [boosted, job]
except MissingPackageError:
    pass
_KINDS = {"number": "number", "word": "word", "date": "number"}


def write(model: Any, example: Any) -> Any:
    """Return a model as an ``onnx.ModelProto``; ``to_onnx`` documents it.

    Parameters
    ----------
    model : object
    example : object

    Returns
    -------
    ModelProto
    """
    graph = Graph()
    pipeline, schema = _stored(model)
    if schema is not None:
        found = convert(pipeline, _frame_of(graph, schema))
    else:
        found = convert(model, _inputs(graph, model, example))
    made = graph.model(_outputs(graph, found))
    for name, value in _facts(found).items():
        entry = made.metadata_props.add()
        entry.key, entry.value = name, value
    return made


def _stored(model: Any) -> tuple[Any, Schema | None]:
    """Return the pipeline and the schema of a job's model, in memory or from a file."""
    if isinstance(model, dict) and {"pipeline", "schema"} <= model.keys():
        return model["pipeline"], model["schema"]
    return getattr(model, "pipeline", None), getattr(model, "schema", None)


def _inputs(graph: Graph, model: Any, example: Any) -> Tensor | Frame:
    if hasattr(example, "columns"):
        return _frame_like(graph, example)
    width = getattr(model, "n_features_in_", None)
    if example is not None:
        width = np.atleast_2d(np.asarray(example)).shape[1]
    if width is None:
        raise refuse(model, "it does not say how many columns it reads; give an example row")
    return graph.input("X", "number", int(width))


def _frame_like(graph: Graph, example: Any) -> Frame:
    names = [str(name) for name in example.columns]
    kinds = [_kind_of(example[name]) for name in example.columns]
    return _frame(graph, names, kinds)


def _kind_of(column: Any) -> str:
    kind = str(column.dtype).lower()
    if kind.startswith(("int", "uint", "float", "bool", "decimal")):
        return "number"
    return "date" if kind.startswith("date") else "word"


def _frame(graph: Graph, names: list[str], kinds: list[str]) -> Frame:
    columns = [graph.input(n, _KINDS[k], 1) for n, k in zip(names, kinds, strict=True)]
    return Frame(graph, tuple(names), tuple(columns), tuple(kinds))


def _frame_of(graph: Graph, schema: Schema) -> Frame:
    """Read the columns of a table as the model of a job does: dates are cut into parts."""
    from maxmargin.export.dates import take_part  # noqa: PLC0415

    for each in schema.features:
        if each.kind in ("text", "sequence"):
            raise refuse(f"Column {each.column!r}", f"it holds {each.kind}s")
    read = {each.column: _kind_in(each) for each in schema.features}
    given = _frame(graph, [*read], [*read.values()])
    columns = dict(zip(given.names, given.columns, strict=True))
    made, kinds = [], []
    for each in schema.features:
        column = columns[each.column]
        made.append(take_part(column, each.part) if each.part else column)
        kinds.append("number" if each.part else read[each.column])
    return Frame(graph, tuple(e.name for e in schema.features), tuple(made), tuple(kinds))


def _kind_in(feature: Any) -> str:
    return "date" if feature.part else "number" if feature.kind == "number" else "word"


def _outputs(graph: Graph, found: Result) -> list[tuple[str, Tensor, str, list[Any]]]:
    if isinstance(found, Quantity):
        outputs = [("value", found.value, "number", [1])]
        return [*outputs, *_parts(found.additive)]
    labels = np.asarray(found.labels)
    kinds = {"i": "place", "u": "place", "b": "place", "f": "number"}
    kind = kinds.get(labels.dtype.kind, "word")
    known = labels.astype(str).astype(object) if kind == "word" else labels
    label = graph.constant(known).take(found.number, axis=0)
    outputs = [("label", label, kind, []), *_parts(found.additive)]
    if found.probability is not None:
        outputs.append(("probabilities", found.probability, "number", [len(labels)]))
    if found.decision is not None and found.shown:
        width: Any = 1 if len(labels) == 2 else "values"
        outputs.append(("decision", found.decision, "number", [width]))
    return outputs


def _parts(additive: Additive | None) -> list[tuple[str, Tensor, str, list[Any]]]:
    if additive is None:
        return []
    return [("contributions", additive.parts, "number", [len(additive.names)])]


def _facts(found: Result) -> dict[str, str]:
    """Return what a reader of the file may want to know."""
    facts = {}
    if isinstance(found, Classes):
        facts["classes"] = repr(np.asarray(found.labels).tolist())
    if found.additive is not None:
        facts["contributions"] = repr(list(found.additive.names))
        facts["constant"] = repr(found.additive.constant)
    return facts
