"""The commands. What they need is imported inside them, so that --help stays quick."""

# ruff: noqa: ARG001  (most options are read from the context, all at once)

from __future__ import annotations

import sys
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from maxmargin.cli.commands import Commands
from maxmargin.cli.complaint import BAD_INPUT, CANNOT, EXIT_CODES, complaining, leave
from maxmargin.inputs.outlet import flush_streams, guard_streams

app = typer.Typer(
    name="maxmargin",
    cls=Commands,
    help="Margin-based learning: from a table to a tuned model that was judged honestly.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_A_TABLE = "A table: csv, tsv, txt, Parquet, ARFF or LIBSVM; also .gz, .xz, .bz2."
File = Annotated[Path, typer.Argument(help=_A_TABLE)]
OptionalFile = Annotated[Path | None, typer.Argument(help=_A_TABLE)]
Model = Annotated[Path, typer.Argument(help="A model.maxmargin that fit wrote.")]
Models = Annotated[
    str,
    typer.Option(
        help="Which models, by commas: svm-table, boosted-trees, glass-box, extra-trees, boosting,"
        " svm-rbf, svm-laplacian, svm-linear, knn; of classes also lda, logistic, bagging,"
        " adaboost, svm-poly; of a quantity also ridge. ours: those of maxmargin. All if left"
        " out; the baseline is always there."
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(
        help="What models are compared by, as scikit-learn calls it. Accuracy if left out, balanced"
        " accuracy where classes are unequal, r2 of a quantity."
    ),
]
Folds = Annotated[int, typer.Option(help="Folds of the cross-validation.")]
TimeBudget = Annotated[
    str, typer.Option(help="How long it may take: 90s, 2m, 1h; none for no limit.")
]
ClassWeight = Annotated[
    str | None,
    typer.Option(
        help="balanced: all classes count alike, however rare; none: every row does. Tuned if left"
        " out, where the metric counts classes."
    ),
]
Drop = Annotated[list[str] | None, typer.Option(help="A column to leave out (may be given again).")]
Id = Annotated[
    list[str] | None,
    typer.Option(help="A column that names rows: left out, shown beside predictions."),
]
Group = Annotated[
    str | None, typer.Option(help="A column whose equal values keep rows together in splits.")
]
Time = Annotated[
    str | None,
    typer.Option(
        help="A column of dates or numbers: learn from earlier rows, be judged on later ones."
    ),
]
Positive = Annotated[
    str | None, typer.Option(help="The class to be found, of two; the rarer one if left out.")
]
Kind = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=KIND",
        help="What a column holds where it is taken for something else: text, sequence, category,"
        " number, date, or ignore (may be given again).",
    ),
]
Explain = Annotated[
    int, typer.Option(help="Explain each prediction by so many columns that moved it the most.")
]
Task = Annotated[
    str | None, typer.Option(help="classification or regression; by the target if left out.")
]
Missing = Annotated[
    list[str] | None,
    typer.Option(help="A word that stands for a missing value (may be given again)."),
]
Separator = Annotated[
    str | None,
    typer.Option(help="Between fields: a character, tab, comma, semicolon, pipe, blanks."),
]
Encoding = Annotated[str | None, typer.Option(help="Of the text, such as latin-1.")]
Decimal = Annotated[str | None, typer.Option(help="The decimal sign: . or ,")]
Thousands = Annotated[
    str | None, typer.Option(help="What groups digits by three: , . ' or a blank.")
]
NoHeader = Annotated[
    bool, typer.Option("--no-header", help="The first line is data: columns are c0, c1, ...")
]
Memory = Annotated[
    str | None,
    typer.Option(help="What is read may take so much, such as 8G; what is free if left out."),
]
Raw = Annotated[
    bool, typer.Option("--raw", help="Write texts bare, even those that a spreadsheet would run.")
]
Seed = Annotated[int, typer.Option(help="Of all splits and samples.")]
Jobs = Annotated[int | None, typer.Option(help="Threads; nothing but time depends on it.")]
Device = Annotated[
    str,
    typer.Option(
        help="Where models run that can run on a card: cpu, cuda, or auto for a card if there is"
        " one and the rows are many."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Events = Annotated[
    bool,
    typer.Option(
        "--json", help="Print what happens as JSON objects, one a line, and nothing else."
    ),
]
Out = Annotated[Path | None, typer.Option(help="Folder for the files; maxmargin-NAME if left out.")]


def main() -> None:
    """Run the command line; a pipe or a terminal that is closed meanwhile ends nothing."""
    outlets = guard_streams()
    try:
        app()
    except SystemExit as done:
        error = flush_streams(outlets)
        if error is not None and not done.code:
            reason = (error.strerror or str(error)).lower()
            sys.stderr.write(f"maxmargin: The results could not be printed: {reason}.\n")
            raise SystemExit(CANNOT) from None
        raise


def _print_version(wanted: bool) -> None:
    if wanted:
        import maxmargin

        typer.echo(f"maxmargin {maxmargin.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Take the options that stand before any command."""


def _check(*files: Path | None) -> None:
    """Refuse files that are not there before anything heavy is imported."""
    for file in files:
        if file is not None and not file.exists():
            if file.is_symlink():
                leave(f"There is no file behind the link {str(file)!r}.", BAD_INPUT)
            leave(f"There is no file {str(file)!r}{_meant(file)}", BAD_INPUT)


def _meant(file: Path) -> str:
    beside = [each.name for each in file.parent.iterdir()] if file.parent.is_dir() else []
    near = get_close_matches(file.name, beside, 1)
    return f": did you mean {str(file.with_name(near[0]))!r}?" if near else "."


@app.command(epilog=EXIT_CODES)
def fit(
    context: typer.Context,
    file: OptionalFile = None,
    target: Annotated[str | None, typer.Option(help="The column to predict.")] = None,
    models: Models = "",
    metric: Metric = None,
    test_size: Annotated[
        float, typer.Option(help="Share of the rows put aside for the test.")
    ] = 0.2,
    folds: Folds = 5,
    time_budget: TimeBudget = "10m",
    class_weight: ClassWeight = None,
    cost: Annotated[
        str | None,
        typer.Option(help="What mistakes cost, as missed=10,false=1: chooses the threshold."),
    ] = None,
    interval: Annotated[
        str | None,
        typer.Option(
            help="Share of new rows that intervals of a quantity hold; 90% if left out, or none."
        ),
    ] = None,
    explain: Explain = 0,
    blend: Annotated[
        bool, typer.Option(help="Let an average of the best models win if it is better.")
    ] = True,
    drop: Drop = None,
    id: Id = None,  # noqa: A002
    group: Group = None,
    time: Time = None,
    kind: Kind = None,
    task: Task = None,
    positive: Positive = None,
    missing: Missing = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    no_header: NoHeader = False,
    memory: Memory = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    device: Device = "cpu",
    out: Out = None,
    raw: Raw = False,
    json: Events = False,
    repeat: Annotated[
        Path | None, typer.Option(help="A run.json: do the same again, to the same bits.")
    ] = None,
) -> None:
    """Choose among tuned models, judge the best on test rows, and write report and model.

    Puts test rows aside, tunes and compares the models on the others by cross-validation, fits the
    best to all of these and looks at the test rows once. Writes report.html, report.md,
    model.maxmargin, predictions.csv (of the test rows) and run.json into a folder.
    """
    begun = perf_counter()
    with complaining(json=json):
        _check(file)
        from maxmargin.cli.fit import repeat_fit, run_fit
        from maxmargin.job.request import Request

        if repeat is not None:
            _refuse_beside_repeat(context)
            repeat_fit(repeat, file, jobs=jobs, out=out, json=json, raw=raw, memory=memory)
        else:
            run_fit(Request.of(context.params, begun), out, json=json)


_BESIDE_REPEAT = {"file", "out", "json", "jobs", "memory", "raw", "repeat"}


def _refuse_beside_repeat(context: typer.Context) -> None:
    from maxmargin.tables import InputError

    for name in context.params:
        source = context.get_parameter_source(name)
        typed = source is not None and source.name == "COMMANDLINE"
        if typed and name not in _BESIDE_REPEAT:
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"--repeat takes its options from the file: leave {option} out.")


@app.command(epilog=EXIT_CODES)
def compare(
    context: typer.Context,
    file: File,
    target: Annotated[str, typer.Option(help="The column to predict.")],
    models: Models = "",
    metric: Metric = None,
    folds: Folds = 5,
    time_budget: TimeBudget = "10m",
    class_weight: ClassWeight = None,
    drop: Drop = None,
    id: Id = None,  # noqa: A002
    group: Group = None,
    time: Time = None,
    kind: Kind = None,
    task: Task = None,
    positive: Positive = None,
    missing: Missing = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    no_header: NoHeader = False,
    memory: Memory = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    device: Device = "cpu",
    json: Events = False,
) -> None:
    """Compare models by cross-validation on all rows; no test, no model, no files."""
    begun = perf_counter()
    with complaining(json=json):
        _check(file)
        from maxmargin.cli.fit import run_compare
        from maxmargin.job.request import Request

        run_compare(Request.of(context.params, begun), json=json)


@app.command(epilog=EXIT_CODES)
def predict(
    context: typer.Context,
    model: Model,
    file: File,
    out: Annotated[Path | None, typer.Option(help="A csv file; printed if left out.")] = None,
    missing: Missing = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    no_header: NoHeader = False,
    memory: Memory = None,
    explain: Explain = 0,
    raw: Raw = False,
    json: Json = False,
) -> None:
    """Predict rows of a file by a stored model.

    Columns are found by their names: others may be there, in any order.
    """
    with complaining(json=json):
        _check(model, file)
        from maxmargin.cli.stored import run_predict

        run_predict(model, file, context.params, out, json=json)


@app.command(epilog=EXIT_CODES)
def evaluate(
    context: typer.Context,
    model: Model,
    file: File,
    missing: Missing = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    no_header: NoHeader = False,
    memory: Memory = None,
    json: Json = False,
) -> None:
    """Judge a stored model on the labelled rows of a file."""
    with complaining(json=json):
        _check(model, file)
        from maxmargin.cli.stored import run_evaluate

        run_evaluate(model, file, context.params, json=json)


@app.command(epilog=EXIT_CODES)
def info(model: Model, memory: Memory = None, json: Json = False) -> None:
    """Say what a stored model is, what it reads and how good it was."""
    with complaining(json=json):
        _check(model)
        from maxmargin.cli.stored import run_info

        run_info(model, memory, json=json)


@app.command(epilog=EXIT_CODES)
def export(
    model: Model,
    out: Annotated[Path, typer.Argument(help="The file to write: .onnx, or .py of small models.")],
    memory: Memory = None,
    json: Json = False,
) -> None:
    """Write a stored model for other programs: as ONNX, or as Python without imports."""
    with complaining(json=json):
        _check(model)
        from maxmargin.cli.export import run_export

        run_export(model, out, memory, json=json)


@app.command(epilog=EXIT_CODES)
def demo(
    name: Annotated[str, typer.Argument(help="Which table; --list shows all.")] = "heart",
    out: Annotated[
        Path | None, typer.Option(help="Folder for the files; maxmargin-NAME if left out.")
    ] = None,
    time_budget: TimeBudget = "2m",
    jobs: Jobs = None,
    json: Events = False,
    list_: Annotated[bool, typer.Option("--list", help="List the tables and do no more.")] = False,
) -> None:
    """Run fit on a small table, the Heart data unless another one is named.

    Tables that do not ship with the package are written into the working directory first.
    """
    begun = perf_counter()
    with complaining(json=json):
        from maxmargin.cli.demos import DEMOS, find_demo

        if list_:
            for each in DEMOS:
                typer.echo(f"{each.name:10s}{each.about}")
            return
        from maxmargin.cli.fit import run_fit
        from maxmargin.job.request import Request

        chosen = find_demo(name)
        given = {"target": chosen.target, "jobs": jobs, "time_budget": time_budget}
        folder = Path(f"maxmargin-{chosen.name}") if out is None else out
        request = Request.of({"file": chosen.write(Path()), **given}, begun)
        command = "maxmargin demo" if name == "heart" else f"maxmargin demo {name}"
        run_fit(replace(request, command=command), folder, json=json)
        if not json:
            from maxmargin.cli.tell import tell_next

            tell_next(folder)


@app.command(epilog=EXIT_CODES)
def schema(
    name: Annotated[str, typer.Argument(help="run (of run.json) or events (of --json).")],
) -> None:
    """Print the JSON Schema of what programs read."""
    with complaining():
        from maxmargin.job.schema import schema_text

        typer.echo(schema_text(name), nl=False)


cascades = typer.Typer(
    help="Detectors of objects in images: train one, or look at one.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(cascades, name="cascade", epilog=EXIT_CODES)

XmlFile = Annotated[Path, typer.Argument(help="A cascade: an XML file of OpenCV, or of ours.")]


@cascades.command("train", epilog=EXIT_CODES)
def cascade_train(
    positives: Annotated[
        Path, typer.Option(help="A folder of crops, or an annotation file of OpenCV (info.txt).")
    ],
    backgrounds: Annotated[
        Path, typer.Option(help="A folder of photographs without the object, or a list of them.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The XML file to write.")],
    window: Annotated[str, typer.Option(help="Width and height of the smallest object.")] = "24x24",
    stages: Annotated[int, typer.Option(help="At most so many.")] = 20,
    min_detection: Annotated[
        float, typer.Option(help="Share of the objects that each stage passes.")
    ] = 0.995,
    max_false_positive: Annotated[
        float, typer.Option(help="Share of other windows that each stage may pass.")
    ] = 0.5,
    features: Annotated[str, typer.Option(help="haar or lbp.")] = "haar",
    asymmetry: Annotated[
        float, typer.Option(help="How much dearer a miss is than a false alarm.")
    ] = 1.0,
    max_features: Annotated[int, typer.Option(help="Most features of a stage.")] = 200,
    n_positives: Annotated[
        int | None, typer.Option(help="Positives of a stage; all if left out.")
    ] = None,
    n_negatives: Annotated[
        int | None, typer.Option(help="Negatives of a stage; as many as positives if left out.")
    ] = None,
    copies: Annotated[
        int, typer.Option(help="Copies of each positive, moved and turned a little.")
    ] = 0,
    mirror: Annotated[bool, typer.Option(help="Whether positives are mirrored too.")] = True,
    time_budget: TimeBudget = "none",
    checkpoint: Annotated[
        Path | None, typer.Option(help="A file written after each stage.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Such a file to go on from.")] = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    json: Json = False,
) -> None:
    """Train a cascade and write it as an XML file that OpenCV reads too."""
    with complaining(json=json):
        _check(positives, backgrounds, resume)
        from maxmargin.cli.vision import Order, run_train

        options = {
            "stages": stages,
            "min_detection": min_detection,
            "max_false_positive": max_false_positive,
            "features": features,
            "asymmetry": asymmetry,
            "max_features": max_features,
            "n_positives": n_positives,
            "n_negatives": n_negatives,
            "checkpoint": checkpoint,
            "resume": resume,
            "random_state": seed,
            "n_jobs": jobs,
        }
        order = Order(positives, backgrounds, out, window, options, copies, mirror, time_budget)
        run_train(order, json=json)


@cascades.command("info", epilog=EXIT_CODES)
def cascade_info(cascade: XmlFile, json: Json = False) -> None:
    """Say what a cascade looks at, and how many stages it has."""
    with complaining(json=json):
        _check(cascade)
        from maxmargin.cli.vision import run_cascade_info

        run_cascade_info(cascade, json=json)


@app.command(epilog=EXIT_CODES)
def detect(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="[CASCADE] PHOTO",
            help="A photograph; before it a cascade's XML file, or none for the one of frontal"
            " faces that comes with maxmargin.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="A picture or a .json file; printed if left out."),
    ] = None,
    scale_factor: Annotated[float, typer.Option(help="From size to size.")] = 1.1,
    min_neighbors: Annotated[int, typer.Option(help="Windows that must agree on an object.")] = 3,
    min_size: Annotated[str | None, typer.Option(help="Smallest object, such as 40x40.")] = None,
    max_size: Annotated[str | None, typer.Option(help="Largest object.")] = None,
    jobs: Jobs = None,
    json: Json = False,
) -> None:
    """Find objects in a photograph by a cascade; faces, if none is given."""
    with complaining(json=json):
        _check(*files)
        from maxmargin.cli.vision import run_detect, told_apart

        cascade, image = told_apart(files)

        options = {
            "scale_factor": scale_factor,
            "min_neighbors": min_neighbors,
            "min_size": min_size,
            "max_size": max_size,
            "n_jobs": jobs,
        }
        run_detect(cascade, image, out, options, json=json)


@app.command(epilog=EXIT_CODES)
def studio(
    folder: Annotated[
        Path, typer.Argument(help="A folder whose tables and models the page lists.")
    ] = Path(),
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Whether to open the page in the browser.")] = True,
) -> None:
    """Open a local page where one sees models learn; Ctrl-C ends it."""
    with complaining():
        from maxmargin.studio.launch import StudioError, serve
        from maxmargin.tables import InputError

        if not folder.is_dir():
            raise InputError(f"{str(folder)!r} is no folder.")
        try:
            serve(port, browser=browser, folder=folder, write=_write_line)
        except StudioError as error:
            raise InputError(str(error)) from None


def _write_line(line: str) -> None:
    """Write a line at once, whoever reads it."""
    typer.echo(line)
    sys.stdout.flush()
