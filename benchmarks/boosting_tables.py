"""The tables of boosting, from their recorded rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.bagging import LOOP
from benchmarks.contest import OURS, SKLEARN
from benchmarks.letters import PUBLISHED
from benchmarks.markdown import lay_out, number, times
from benchmarks.record import Row

CRITERIA = ["gini", "error"]


def _ratio(row: Row, name: str) -> float | None:
    seconds = row["seconds"]
    return seconds[SKLEARN] / seconds[name] if SKLEARN in seconds else None


def _ratios(rows: list[Row], names: list[str]) -> list[float]:
    """Of all rows the judge does not object to."""
    fair = [row for row in rows if not row.get("objection")]
    return [r for row in fair for name in names if (r := _ratio(row, name))]


def _mean(ratios: list[float]) -> str:
    return times(float(np.exp(np.mean(np.log(ratios))))) if ratios else "–"


def _least(ratios: list[float]) -> str:
    return times(min(ratios)) if ratios else "–"


def _shape(row: Row) -> list[str]:
    marked = f"{row['data']} †" if row.get("objection") else row["data"]
    return [marked, f"{row['rows']:,} × {row['columns']}"]


def _each(values: dict[str, float], form: str, names: list[str]) -> str:
    """The numbers of several contestants in one cell."""
    return " / ".join(format(values[name], form) if name in values else "–" for name in names)


def _times_table(
    title: str, names: list[str], whole: dict[str, Any], judged: dict[str, Callable[[Row], str]]
) -> str:
    """Seconds and ratios of each of ours, then what the judge found; means and minima below."""
    rows = whole["rows"]
    header = [title, "rows × columns"]
    header += [f"{name}, s" for name in [*names, SKLEARN]]
    header += [f"{name}: ratio" for name in names]
    lines = [
        [
            *_shape(row),
            *(number(row["seconds"].get(name)) for name in [*names, SKLEARN]),
            *(times(_ratio(row, name)) for name in names),
            *(cell(row) for cell in judged.values()),
        ]
        for row in rows
    ]
    for label, summary in (("geometric mean", _mean), ("minimum", _least)):
        found = [summary(_ratios(rows, [name])) for name in names]
        lines.append([label, *[""] * (len(names) + 2), *found, *[""] * len(judged)])
    return "\n\n".join([lay_out([*header, *judged], lines), *_closing(rows, names)])


def _closing(rows: list[Row], names: list[str]) -> list[str]:
    ratios = _ratios(rows, names)
    both = f"All of them: geometric mean {_mean(ratios)}, minimum {_least(ratios)}."
    bad = [row for row in rows if row.get("objection")]
    notes = [f"† not comparable: {row['data']}: {row['objection']}." for row in bad]
    return [both] * (len(names) > 1) + notes


def adaboost_table(whole: dict[str, Any]) -> str:
    everyone = [*CRITERIA, SKLEARN]
    return _times_table(
        f"AdaBoost, {_asked(whole)} rounds",
        CRITERIA,
        whole,
        {
            "same rounds": lambda row: number_or_dash(row, "same_rounds"),
            "equal gains": _gains,
            "errors, weights differ by": _apart,
            "exponential loss": lambda row: _each(row["exponential_loss"], ".5f", everyone),
            "training error": lambda row: _each(row["training_error"], ".2%", everyone),
        },
    )


def sizes_table(whole: dict[str, Any]) -> str:
    table = _times_table(
        f"AdaBoost by size, {_asked(whole)} rounds",
        CRITERIA,
        whole,
        {"same rounds": lambda row: number_or_dash(row, "same_rounds"), "equal gains": _gains},
    )
    fair = [row for row in whole["rows"] if not row.get("objection")]
    found = [
        (r, row["data"], name) for row in fair for name in CRITERIA if (r := _ratio(row, name))
    ]
    worst = [f"Worst: {data} by {name}, {times(r)}." for r, data, name in sorted(found)[:1]]
    return "\n\n".join([table, *worst])


def _asked(whole: dict[str, Any]) -> int:
    return max((row["asked"] for row in whole["rows"]), default=0)


def number_or_dash(row: Row, field: str) -> str:
    return str(row[field]) if field in row else "–"


def _gains(row: Row) -> str:
    if "equal_gains" not in row:
        return "–"
    finer = f" + {row['too_close']} finer" if row["too_close"] else ""
    return f"{row['equal_gains']}{finer} of {row['rounds'][SKLEARN]}"


def _apart(row: Row) -> str:
    return ", ".join(f"{d:.0e}" for d in row["apart"].values()) if "apart" in row else "–"


def predict_table(whole: dict[str, Any]) -> str:
    return _times_table(
        f"AdaBoost predicts, {_asked(whole)} rounds",
        CRITERIA,
        whole,
        {"as the judge votes": lambda row: f"{min(row['equal'].values()):.4%}"},
    )


def gradient_table(whole: dict[str, Any]) -> str:
    return _times_table(
        f"Logistic boosting, {_asked(whole)} stumps",
        [OURS],
        whole,
        {"training loss: ours / its": lambda row: _each(row["loss"], ".6f", [OURS, SKLEARN])},
    )


def bagging_table(whole: dict[str, Any]) -> str:
    rows = whole["rows"]
    header = [f"Bagging, {_asked(whole)} stumps", "rows × columns"]
    header += [f"{name}, s" for name in (OURS, LOOP, SKLEARN)]
    header += [f"over {LOOP}", "over scikit-learn", "votes differ by", "out-of-bag error"]
    lines = [
        [
            *_shape(row),
            *(number(row["seconds"].get(name)) for name in (OURS, LOOP, SKLEARN)),
            times(row["seconds"][LOOP] / row["seconds"][OURS]),
            times(_ratio(row, OURS)),
            f"{row['apart']:.0e}",
            _each(row["oob_error"], ".2%", [OURS, SKLEARN]),
        ]
        for row in rows
    ]
    for label, summary in (("geometric mean", _mean), ("minimum", _least)):
        loop = summary([row["seconds"][LOOP] / row["seconds"][OURS] for row in rows])
        lines.append([label, *[""] * 4, loop, summary(_ratios(rows, [OURS])), "", ""])
    return "\n\n".join([lay_out(header, lines), *_closing(rows, [OURS])])


def growth_table(whole: dict[str, Any]) -> str:
    rows = whole["rows"]
    return "\n\n".join([*map(_growth, rows), _memory([row for row in rows if row["memory"]])])


def _growth(row: Row) -> str:
    title = f"AdaBoost by {row['data']}, {row['columns']} columns"
    header = [title, *(f"{T} rounds, s" for T in row["rounds"]), "exponent in rounds"]
    lines = [
        [f"{n:,} rows", *map(number, seconds), number(slope)]
        for n, seconds, slope in zip(
            row["rows"], row["seconds"], row["exponent_rounds"], strict=True
        )
    ]
    lines.append(["exponent in rows", *map(number, row["exponent_rows"]), ""])
    return lay_out(header, lines)


def _memory(rows: list[Row]) -> str:
    header = ["Peak memory of AdaBoost", "rows × columns", "rounds", "seconds", "input, MB"]
    header += ["before the fit, MB", "peak of the process, MB", "bar, MB"]
    lines = []
    for row in rows:
        found = row["memory"]
        shape = f"{found['rows']:,} × {row['columns']}"
        cells = [number(found[field]) for field in ("seconds", "input", "before", "peak", "bar")]
        lines.append([f"by {row['data']}", shape, str(found["rounds"]), *cells])
    return lay_out(header, lines)


def letters_table(whole: dict[str, Any]) -> str:
    row = whole["rows"][0]
    train, test = (
        [wrong / row["rows"][part] for wrong in row["wrong"][part]] for part in ("train", "test")
    )
    header = ["Letters", "training error", "test error", "published test error with C4.5"]
    lines = [
        [f"{T:,} rounds", f"{train[T - 1]:.2%}", f"{test[T - 1]:.2%}", f"{PUBLISHED[T]:.1%}"]
        for T in PUBLISHED
        if len(test) >= T
    ]
    picture = "![Training and test error against rounds](images/letters.png)"
    return "\n\n".join([lay_out(header, lines), _letters_note(row, train), picture])


def _letters_note(row: Row, train: list[float]) -> str:
    zero = next((k for k in range(len(train)) if not any(train[k:])), None)
    since = "" if zero is None else f"The training error is 0 from round {zero + 1} on. "
    limits = ", ".join(f"{name}={value}" for name, value in row["tree"].items())
    return f"{since}{len(train):,} trees with {limits}: {number(row['seconds'][OURS])} s."


TABLES: dict[str, Callable[[dict[str, Any]], str]] = {
    "adaboost": adaboost_table,
    "adaboost_predict": predict_table,
    "adaboost_sizes": sizes_table,
    "boosting_growth": growth_table,
    "gradient_boosting": gradient_table,
    "bagging": bagging_table,
    "letters": letters_table,
}
