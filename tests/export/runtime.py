"""Run an exported model and compare it with the one it was made of."""

import numpy as np
import onnxruntime

from maxmargin.export import to_onnx


def feeds(session, rows):
    """Return what a session reads of rows: one matrix, or a column for each input."""
    if not hasattr(rows, "columns"):
        return {"X": np.asarray(rows, np.float64)}
    return {each.name: _column(rows[each.name]) for each in session.get_inputs()}


def _column(values):
    values = values.to_pandas() if hasattr(values, "to_pandas") else values
    if values.dtype.kind == "M":
        seconds = values.to_numpy().astype("datetime64[us]").astype(np.float64) / 1e6
        return np.where(values.isna(), np.nan, seconds)[:, None]
    if values.dtype.kind in "fiub":
        return values.to_numpy(np.float64)[:, None]
    return values.where(values.notna(), "").to_numpy().astype(object)[:, None]


def run(made, rows):
    session = onnxruntime.InferenceSession(made.SerializeToString())
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(None, feeds(session, rows)), strict=True))


def are_clear(decision):
    """Rows of which no two classes have the same value up to rounding."""
    if decision.shape[1] == 1:
        return np.abs(decision[:, 0]) > 1e-12
    best = np.sort(decision, axis=1)
    return best[:, -1] - best[:, -2] > 1e-12


def assert_same(model, rows, example=None, ties=True):
    """Labels are the same, and all numbers agree to 1e-9.

    Without ``ties`` rows of which two classes have one value up to rounding may go to either.
    """
    made = to_onnx(model, example)
    found, wanted = run(made, rows), model.predict(rows)
    if "label" in found:
        assert next(iter(found)) == "label"
        clear = np.ones(len(wanted), bool) if ties else are_clear(found["decision"])
        assert found["label"][clear].tolist() == wanted[clear].tolist()
    else:
        np.testing.assert_allclose(found["value"][:, 0], wanted, rtol=1e-9, atol=1e-9)
    if "probabilities" in found:
        near(found["probabilities"], model.predict_proba(rows))
    if "decision" in found:
        values = model.decision_function(rows)
        near(found["decision"], values[:, None] if values.ndim == 1 else values)
        if "contributions" in found:
            near(found["contributions"].sum(axis=1) + constant(made), values)
    return found


def constant(made):
    return float({each.key: each.value for each in made.metadata_props}["constant"])


def near(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
