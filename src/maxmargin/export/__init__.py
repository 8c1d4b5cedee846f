"""Take fitted models elsewhere: as ONNX for any language, or as a Python file without imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxmargin.export.error import ExportError

if TYPE_CHECKING:
    import onnx

__all__ = ["ExportError", "to_onnx", "to_python"]


def to_onnx(model: Any, example: Any = None) -> onnx.ModelProto:
    """Return a fitted model as an ONNX model, in double precision.

    Parameters
    ----------
    model : estimator
        Fitted: of maxmargin, or a pipeline with scikit-learn's scalers, encoders and linear models,
        or the model of a job (``FrameModel``).
    example : DataFrame or array-like, default=None
        A row or more like those to be predicted. A DataFrame makes an input of each column, of
        shape (rows, 1): numbers as float64, words as strings ("" is missing), dates as seconds
        since 1970. Without an example there is one input "X" of shape (rows, columns). The model
        of a job knows its columns.

    Returns
    -------
    onnx.ModelProto
        Its outputs are "label" of a classifier or "value" of a regressor; "contributions" of an
        additive model, whose sum and the ``constant`` in the metadata are the decision; and
        "probabilities" and "decision" where the model has them.

    Raises
    ------
    ExportError
        If a part of the model cannot be expressed, such as a kernel of strings or a function.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = to_onnx(SVC().fit(X, y))
    >>> [output.name for output in model.graph.output]
    ['label', 'decision']
    """
    try:
        import onnx  # noqa: F401, PLC0415
    except ImportError:
        message = 'to_onnx needs the onnx package: pip install "maxmargin[onnx]"'
        raise ImportError(message) from None
    from maxmargin.export.onnx_model import write  # noqa: PLC0415

    return write(model, example)


def to_python(model: Any, *, points: float | None = None) -> str:
    """Return a small fitted model as the text of a Python file without imports.

    Parameters
    ----------
    model : estimator
        Linear, or a sum or vote of stumps, or a glass box.
    points : float, default=None
        Of a glass box: write whole points, so many to a unit of the decision, as
        ``to_scorecard`` makes them.

    Returns
    -------
    str
        The file defines ``predict(row)`` and ``decide(row)``, whose row is a list of values or a
        dict by the names of columns; with ``points`` also ``points(row)``.

    Raises
    ------
    ExportError
        If the model is of another kind or too large.

    Examples
    --------
    >>> from maxmargin import LinearSVC
    >>> from maxmargin.datasets import load_ten_points
    >>> model = LinearSVC().fit(*load_ten_points(return_X_y=True))
    >>> there = {}
    >>> exec(to_python(model), there)
    >>> bool(there["predict"]([2.0, 8.0]) == model.predict([[2.0, 8.0]])[0])
    True
    """
    from maxmargin.export import python_file  # noqa: PLC0415

    if points is None:
        return python_file.write(model)
    if not hasattr(model, "to_scorecard"):
        raise ExportError(f"{type(model).__name__} cannot be exported: points are of glass boxes.")
    return python_file.card(model, model.to_scorecard(points))
