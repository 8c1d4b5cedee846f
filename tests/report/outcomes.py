"""Outcomes of small jobs for the tests of their report: real models, fitted through evaluation."""

from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import confusion_matrix, get_scorer, r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, AdaBoostClassifier, BoostingRegressor
from maxmargin.datasets import load_heart
from maxmargin.evaluation import (
    Interval,
    PrecisionRecallCurve,
    RocCurve,
    TestVault,
    Trail,
    Use,
    alpaydin_f,
    clopper_pearson,
    evaluate,
)
from maxmargin.evaluation.run import decide
from maxmargin.job import ClassResult, Entry, Importance, Outcome, Suspect, TestResult
from maxmargin.tables import Column, Feature, Schema, Table

TITLES = {
    "svm-rbf": "SVM, radial kernel",
    "svm-linear": "SVM, linear",
    "logistic": "logistic regression",
    "lda": "linear discriminant analysis",
    "adaboost": "AdaBoost of stumps",
    "boosting": "gradient boosting",
    "ridge": "ridge regression",
    "majority": "majority of the training rows",
    "mean": "mean of the training rows",
}
UNKNOWN = Interval(float("nan"), float("nan"), float("nan"))


def prepared(model):
    return make_pipeline(SimpleImputer(), StandardScaler(), model)


def make_table(X, y, names, *, target="label", source="rows.csv", task="classification", **more):
    """Make the table that a file of these columns would give."""
    frame = pl.DataFrame({name: X[:, j] for j, name in enumerate(names)}, strict=False)
    frame = frame.with_columns(pl.all().fill_nan(None))
    columns = [
        Column(name, "number", "feature", "gaps filled with the mean, then standardised",
               int(np.isnan(X[:, j]).sum()), len(np.unique(X[:, j])))
        for j, name in enumerate(names)
    ]  # fmt: skip
    kind = "category" if task == "classification" else "number"
    columns.append(Column(target, kind, "target", "predicted", 0, len(np.unique(y))))
    classes = tuple(np.unique(y).tolist()) if task == "classification" else ()
    facts = {
        "features": frame,
        "target": y,
        "schema": Schema(tuple(Feature(n, "number", n) for n in names), target, task, classes),
        "columns": tuple(columns),
        "source": source,
        "digest": "9f" * 32,
        "n_rows": len(y),
        "rows": np.arange(len(y)),
    }
    return Table(**facts | more)


def run_job(table, models, metric, *, notes=()):
    """Judge models on folds and the first on test rows, as the job does.

    The first one wins by decree, so that the page is the same on every machine.
    """
    vault = TestVault(table.features, table.target, test_size=0.25, random_state=0)
    runs = evaluate(models, vault.X, vault.y, protocol=3, decisions=bool(table.schema.classes),
                    scoring=metric, random_state=0)  # fmt: skip
    order = list(runs)
    model = clone(models[order[0]]).fit(vault.X, vault.y)
    look = vault.score(model, scoring=metric, name=order[0], reason="the winner")
    halves = evaluate({n: models[n] for n in order[:2]}, vault.X, vault.y, protocol="5x2",
                      scoring=metric, random_state=1)  # fmt: skip
    difference = halves[order[0]].scores - halves[order[1]].scores
    test = judge(table, vault, model, look, metric)
    return Outcome(
        table=table,
        metric=metric,
        entries=tuple(make_entry(name, runs[name], models[name], vault) for name in order),
        winner=order[0],
        runner_up=order[1],
        verdict=alpaydin_f(difference.reshape(5, 2)),
        model=model,
        test=test,
        suspects=find_suspects(table, test),
        importances=tuple(
            Importance(name, 0.08 / (1 + k), 0.01)
            for k, name in enumerate(table.features.columns[:12])
        ),
        trail=make_trail(vault, runs[order[0]], len(table.target)),
        command=f"maxmargin fit {table.source} --target {table.schema.target} --seed 0",
        seed=0,
        seconds=12.3,
        notes=notes,
        train=(vault.X, vault.y),
    )


def make_entry(name, run, model, vault):
    search = clone(model).fit(vault.X, vault.y)[-1]
    searched = hasattr(search, "cv_results_")
    best = getattr(search, "best_estimator_", search)
    two = run.folds[0].decision is not None and run.folds[0].decision.ndim == 1
    roc, steps = (run.roc(), run.precision_recall()) if two else (None, None)
    scores = {"balanced_accuracy": run.mean - 0.02} if run.folds[0].classes is not None else {}
    if two:
        scores |= {"roc_auc": roc.area, "average_precision": steps.area}
    proof = ""
    if hasattr(best, "certificate_"):
        proof = f"certified: relative gap {best.certificate_.relative_gap:.0e}"
    elif getattr(best, "bounds_", None) is not None:
        proof = f"training error at most {best.bounds_['product'][-1]:.3f}"
    return Entry(
        name=name,
        title=TITLES[name],
        status="done",
        run=run,
        scores=scores,
        best_params=search.best_params_ if searched else {},
        tuning=search.cv_results_ if searched else None,
        fit_seconds=run.fit_seconds,
        proof=proof,
        roc=roc,
        precision_recall=steps,
    )


def judge(table, vault, model, look, metric):
    X, y = table.features[vault.test_rows], table.target[vault.test_rows]
    predicted = model.predict(X)
    facts = {"look": look, "rows": vault.test_rows, "truth": y, "predicted": predicted}
    if not table.schema.classes:
        baseline = DummyRegressor().fit(vault.X, vault.y)
        score = get_scorer(metric)(baseline, X, y)
        return TestResult(**facts, baseline=score, scores={"r2": r2_score(y, predicted)})
    labels = np.array(table.schema.classes)
    counts = confusion_matrix(y, predicted, labels=labels)
    decision = decide(model, X)
    probability = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    curves = {}
    if decision is not None and decision.ndim == 1:
        curves["roc"] = RocCurve.from_scores(y, decision, labels)
        curves["precision_recall"] = PrecisionRecallCurve.from_scores(y, decision, labels)
    balanced = get_scorer("balanced_accuracy")(model, X, y)
    return TestResult(
        **facts,
        **curves,
        decision=decision,
        scores={"accuracy": np.mean(predicted == y), "balanced_accuracy": balanced},
        labels=tuple(labels.tolist()),
        confusion=counts,
        classes=tuple(class_result(label, k, counts) for k, label in enumerate(labels.tolist())),
        baseline=get_scorer(metric)(DummyClassifier().fit(vault.X, vault.y), X, y),
        probability=probability,
    )


def class_result(label, k, counts):
    right, rows, said = int(counts[k, k]), int(counts[k].sum()), int(counts[:, k].sum())
    recall = clopper_pearson(right, rows) if rows else UNKNOWN
    return ClassResult(label, rows, recall, clopper_pearson(right, said) if said else UNKNOWN)


def find_suspects(table, test):
    off = np.flatnonzero(np.abs(test.truth - test.predicted) > 0) if not table.schema.classes \
        else np.flatnonzero(test.truth != test.predicted)  # fmt: skip
    return tuple(
        Suspect(int(test.rows[i]) + 1, test.truth[i], test.predicted[i], 1.5 - 0.1 * k, f"no {i}")
        for k, i in enumerate(off[:8])
    )


def make_trail(vault, run, n_rows):
    uses = []
    for number, fold in enumerate(run.folds, 1):
        uses += [Use(f"fold {number}", "train", vault.rows[fold.train]),
                 Use(f"fold {number}", "validate", vault.rows[fold.validate])]  # fmt: skip
    uses += [Use("refit", "train", vault.rows), Use("look 1", "test", vault.test_rows)]
    return Trail(tuple(uses), n_rows)


@cache
def heart():
    """Two classes of like size, gaps, several models, one that failed and one that was stopped."""
    found = load_heart(complete=False)
    names = [str(name) for name in found.feature_names]
    table = make_table(found.data, found.target, names, target="AHD", source="heart.csv",
                       notes=("The column '' numbers the rows and was left out.",))  # fmt: skip
    grid = {"C": [1.0, 10.0], "gamma": [0.001, 0.01, 1.0]}
    models = {
        "svm-rbf": prepared(GridSearchCV(SVC(), grid, cv=2)),
        "logistic": prepared(LogisticRegression()),
        "lda": prepared(LinearDiscriminantAnalysis()),
        "adaboost": prepared(AdaBoostClassifier(n_estimators=40)),
        "majority": prepared(DummyClassifier()),
    }
    outcome = run_job(table, models, "accuracy")
    ended = (
        Entry("bagging", "bagging of trees", "stopped", "the time budget of 2m was spent"),
        Entry("svm-poly", "SVM, polynomial", "failed", "ValueError: x < 0 & y"),
    )
    notes = ("The time budget ended the job before bagging was done.",)
    return replace(outcome, entries=outcome.entries + ended, notes=notes)


@cache
def rare(share=0.04, count=900):
    """A rare class of which about half is missed, while nearly every row is right."""
    rng = np.random.default_rng(3)
    y = np.where(rng.random(count) < share, "fraud", "ok")
    X = rng.normal(size=(count, 4)) + np.where(y == "fraud", 1.25, 0.0)[:, None]
    table = make_table(X, y, ["amount", "hour", "age", "visits"], target="what", source="bank.csv")
    models = {name: prepared(model) for name, model in (("logistic", LogisticRegression()),
              ("majority", DummyClassifier()))}  # fmt: skip
    return run_job(table, models, "accuracy")


@cache
def adaboost():
    """A winner with rounds and bounds."""
    found = load_heart()
    table = make_table(found.data, found.target, [str(n) for n in found.feature_names])
    models = {"adaboost": prepared(AdaBoostClassifier(n_estimators=25)),
              "majority": prepared(DummyClassifier())}  # fmt: skip
    return run_job(table, models, "roc_auc")


@cache
def letters(count=26):
    """So many classes that they must share the width of the page."""
    rng = np.random.default_rng(0)
    y = np.repeat([chr(ord("A") + k) for k in range(count)], 24)
    X = rng.normal(size=(count, 5))[np.repeat(np.arange(count), 24)]
    X = X + 0.55 * rng.normal(size=X.shape)
    table = make_table(X, y, ["x-box", "y-box", "width", "high", "onpix"], target="letter")
    models = {"lda": prepared(LinearDiscriminantAnalysis()), "svm-rbf": prepared(SVC())}
    return run_job(table, models, "accuracy")


@cache
def quantity():
    """A regression."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = 30.0 + 5.0 * X[:, 0] + 3.0 * np.abs(X[:, 1]) + rng.normal(size=400)
    table = make_table(X, y, list("abcde"), target="price", source="homes.csv", task="regression")
    models = {
        "boosting": prepared(BoostingRegressor(n_estimators=60, random_state=0)),
        "ridge": prepared(Ridge()),
        "mean": prepared(DummyRegressor()),
    }
    return run_job(table, models, "neg_mean_absolute_error")


@cache
def hostile(name="<script>alert('x')</script>\"&{{ 7 * 7 }} $a_b$ \x07\u202e"):
    """Names that are no names."""
    rng = np.random.default_rng(0)
    y = np.array([name, "عربي 中文 $x$"])[np.arange(120) % 2]
    X = rng.normal(size=(120, 2)) + (np.arange(120) % 2)[:, None]
    table = make_table(X, y, [name, "z" * 300], target=name, source=name, notes=(name,))
    models = {"svm-rbf": prepared(SVC()), "lda": prepared(LinearDiscriminantAnalysis())}
    return run_job(table, models, "balanced_accuracy", notes=(name,))
