"""Size of exported models, and the time of a single row, beside ours."""

from time import perf_counter

import numpy as np
import onnxruntime

import maxmargin as mm
from maxmargin.datasets import load_heart
from maxmargin.export import to_onnx

REPEATS, WARM = 300, 30
MODELS = {
    "LinearSVC": mm.LinearSVC(),
    "SVC": mm.SVC(),
    "AdaBoostClassifier": mm.AdaBoostClassifier(n_estimators=200),
    "GlassBoxClassifier": mm.GlassBoxClassifier(),
    "TableSVC": mm.TableSVC(),
}


def median_ms(call):
    times = []
    for _ in range(WARM + REPEATS):
        begun = perf_counter()
        call()
        times.append(perf_counter() - begun)
    return 1e3 * float(np.median(times[WARM:]))


def main():
    X, y = load_heart(return_X_y=True)
    row = np.asarray(X[:1], np.float64)
    print(f"{'model':20} {'file, bytes':>12} {'ONNX, ms':>9} {'ours, ms':>9}")
    for name, model in MODELS.items():
        content = to_onnx(model.fit(X, y)).SerializeToString()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(content, options)
        theirs = median_ms(lambda session=session: session.run(None, {"X": row}))
        ours = median_ms(lambda model=model: model.predict(row))
        print(f"{name:20} {len(content):12,} {theirs:9.3f} {ours:9.3f}")


if __name__ == "__main__":
    main()
