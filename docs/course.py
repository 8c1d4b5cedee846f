"""Run the examples of the course and write what they give into its pages.

python docs/course.py [--check] [ten_points ...]

A page has these lines where code and output of an example belong; each is followed by its block:

    <!-- code of ten_points -->
    <!-- output of ten_points -->

Each script of ``examples/`` runs in a process of its own, its warnings being errors. This script
writes the blocks below the lines and the pictures to ``docs/course/run/``. Pages and pictures are
part of the repository, so that they can be read anywhere and the site is built without a run.
``--check`` writes nothing and says what differs from the run. Times differ in every run:

    <!-- output of neighbor_search, times in columns 3 and 4 and in its picture -->
    <!-- output of cost_of_a_step, times in its picture -->

Deep trees choose between splits that are equal but for rounding, so their errors differ between
processors. The block names how far its numbers may be apart, and whole numbers if they may:

    <!-- output of tree_depth, give or take 0.03 -->
    <!-- output of early_stopping, give or take 0.02, whole numbers 12 -->
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PAGES = Path(__file__).parent
RUN = PAGES / "course" / "run"
SECONDS = 300.0  # that a script may take, a hundred times as many as it should
SHOWN = re.compile(r"\]\((?:course/)?run/((\w+?)(?:_\d)?\.png)\)")  # a picture, and its script
BLOCK = re.compile(
    r"^<!-- (?P<kind>code|output) of (?P<name>\w+)"
    r"(?:, times in (?P<times>[\w ]+))?"
    r"(?:, give or take (?P<slack>[\d.]+)(?:, whole numbers (?P<whole>\d+))?)? -->\n"
    r"(?:```\w+\n(?P<text>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)
NUMBER = re.compile(r"([-+]?\d[\d,]*(?:\.\d*)?(?:e[-+]?\d+)?)")
ONE_DIGIT = re.compile(r"[-+]?\de[-+]?\d+")
UNLIKE = 0.2  # the distance of two pictures; other fonts are below 0.1, other pictures above 0.24
UNLIKE_WITH_TIMES = 0.5
EXACT = 0.0, 0.0  # how far decimals and whole numbers may be apart
ROUNDING = 1e-9  # smaller numbers are what rounding left: only that they are small is compared
ROW_OF_ROUNDING = re.compile(r"(\de-(?:09|[1-9]\d))\s+row \d+")  # which row it is, is chance
ORDER = 10.0  # a number of one digit, as 4e-07, tells its order: it agrees up to this factor

SMALL = 25_000  # bytes of a picture
COLOURS = 64, 32
DOTS_PER_INCH = 100, 85  # the first with which a picture is small, or the last
WIDEST = 960  # pixels, about as wide as a page shows it

# Two at a time on two cores, so each may have but one thread: pictures do not depend on it.
ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
PYTHON = sys.executable, "-W", "error"
AS_A_SCRIPT = """
import runpy, sys
import matplotlib.pyplot as plt
sys.path.insert(0, sys.argv[3])
from course import save
plt.show = lambda: None
runpy.run_path(sys.argv[1], run_name="__main__")
for number in plt.get_fignums():
    save(plt.figure(number), sys.argv[2] + ("" if number == 1 else f"_{number}") + ".png")
"""


@dataclass(frozen=True)
class Run:
    """What came of one script; its pictures lie in the folder that it was given."""

    name: str
    seconds: float
    output: str
    error: str


def run(script: Path, drawn_to: Path, seconds: float = SECONDS) -> Run:
    """Run one script, and leave its pictures in a folder."""
    begun, name = time.perf_counter(), script.stem
    try:
        done = subprocess.run(
            [*PYTHON, "-c", AS_A_SCRIPT, script, drawn_to / name, Path(__file__).parent],
            env=os.environ | ALONE | {"MPLBACKEND": "Agg"},
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        error = f"It took more than {seconds:g} seconds.\n"
        return Run(name, time.perf_counter() - begun, "", error)
    return Run(name, time.perf_counter() - begun, done.stdout, wrong(done))


def wrong(done: "subprocess.CompletedProcess[str]") -> str:
    """Say what went wrong, whether or not the script did; nothing if nothing."""
    code = done.returncode
    if code == 0:
        return ""
    how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    return f"{done.stderr}It {how}.\n"


# Pictures


def pictures_of(name: str, folder: Path) -> list[Path]:
    """List the pictures of a script in a folder."""
    return [*folder.glob(f"{name}.png"), *sorted(folder.glob(f"{name}_[0-9].png"))]


def opened(path: Path) -> Image.Image:
    """Read a picture and close its file."""
    with Image.open(path) as picture:
        return picture.convert("RGB")


def save(figure: Figure, path: str) -> None:
    """Save a figure as PNG with few colours; if it is still large, with fewer dots."""
    for dots in DOTS_PER_INCH:
        drawn = BytesIO()
        wide_enough = max(WIDEST / figure.get_figwidth(), 80)
        figure.savefig(drawn, dpi=min(dots, wide_enough), bbox_inches="tight")
        for colours in COLOURS:
            packed = with_colours(Image.open(drawn).convert("RGB"), colours)
            if len(packed) <= SMALL:
                Path(path).write_bytes(packed)
                return
    Path(path).write_bytes(packed)


def with_colours(picture: Image.Image, colours: int) -> bytes:
    """Return a PNG; an octree keeps the hues of small marks, a median cut mixes them."""
    file = BytesIO()
    few = picture.quantize(colours, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(file, "PNG", optimize=True)
    return file.getvalue()


def sketch(picture: Image.Image) -> np.ndarray:
    """Return the dark of a picture on a coarse grid, on which fonts make no difference."""
    grey = picture.convert("L").resize((32, 32), Image.Resampling.BOX)
    return 255.0 - np.asarray(grey, dtype=float)


def unlike(kept: Path, drawn: Path, limit: float = UNLIKE) -> str:
    """Say how two pictures differ beyond fonts and versions; nothing if they do not."""
    one, other = opened(kept), opened(drawn)
    if any(abs(a - b) > 0.1 * a for a, b in zip(one.size, other.size, strict=True)):
        return "has another size"
    return "shows something else" if distance(sketch(one), sketch(other)) > limit else ""


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """Return how far two sketches are apart: 0 for the same, about 1 for unrelated ones."""
    spread = np.abs(a - a.mean()).mean() + np.abs(b - b.mean()).mean()
    return float(np.abs(a - b).mean() / max(spread, 1e-9))


# Pages


def filled(text: str, runs: dict[str, Run], codes: Path) -> str:
    """Return a page with the code and output of scripts that ran without an error."""

    def fill(block: re.Match[str]) -> str:
        found = runs.get(block["name"])
        if found is None or found.error:
            return block[0]
        mark = block[0].partition("\n")[0]
        language = {"code": "py", "output": "text"}[block["kind"]]
        return f"{mark}\n```{language}\n{content(block, found, codes)}```\n"

    return BLOCK.sub(fill, text)


def content(block: re.Match[str], found: Run, codes: Path) -> str:
    """Return what belongs into a block."""
    if block["kind"] == "output":
        return "\n".join(line.rstrip() for line in found.output.splitlines()) + "\n"
    return (codes / f"{found.name}.py").read_text(encoding="utf-8")


def stale(page: Path, runs: dict[str, Run], codes: Path) -> Iterator[str]:
    """Say which blocks of a page are not what the run gave."""
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        found = runs.get(block["name"])
        if found is None or found.error:
            continue
        times = {int(column) for column in re.findall(r"\d+", block["times"] or "")}
        slack = float(block["slack"] or 0.0), float(block["whole"] or 0.0)
        new, old = content(block, found, codes), block["text"] or ""
        for line, other in zip_longest(old.splitlines(), new.splitlines(), fillvalue=""):
            same = line == other if block["kind"] == "code" else agree(line, other, times, slack)
            if not same:
                yield (
                    f"{page.name}: the {block['kind']} of {found.name} differs.\n"
                    f"  page: {line}\n  run:  {other}\n"
                )
                break


def timed_pictures(page: Path) -> set[str]:
    """Name the scripts of a page that draw times."""
    blocks = BLOCK.finditer(page.read_text(encoding="utf-8"))
    return {block["name"] for block in blocks if "picture" in (block["times"] or "")}


def agree(line: str, other: str, times: set[int], slack: tuple[float, float] = EXACT) -> bool:
    """Return whether two lines of output say the same, times, rounding and chance aside."""
    words = (ROW_OF_ROUNDING.sub(r"\1", each).split() for each in (line, other))
    pairs = enumerate(zip_longest(*words, fillvalue=""), start=1)
    return all(same_word(a, b, slack, time=column in times) for column, (a, b) in pairs)


def same_word(a: str, b: str, slack: tuple[float, float] = EXACT, *, time: bool) -> bool:
    """Return whether two words are equal, their numbers within one unit of the last digit or so."""
    (text, numbers), (other, others) = (
        (NUMBER.split(word)[::2], NUMBER.findall(word)) for word in (a, b)
    )
    if text != other:
        return False
    return time or all(near(x, y, slack) for x, y in zip(numbers, others, strict=True))


def near(a: str, b: str, slack: tuple[float, float] = EXACT) -> bool:
    """Return whether two numbers are equal as printed, within a unit of the last digit or slack.

    The first slack is that of decimals, the second that of whole numbers.
    """
    if a == b:
        return True
    x, y = (float(number.replace(",", "")) for number in (a, b))
    if max(abs(x), abs(y)) < ROUNDING:
        return True
    if ONE_DIGIT.fullmatch(a) and ONE_DIGIT.fullmatch(b) and x * y > 0:
        return 1 / ORDER <= x / y <= ORDER
    last = max(unit(a), unit(b))
    return abs(x - y) <= max(1.01 * last, slack[0] if last else slack[1])


def unit(number: str) -> float:
    """Return the unit of the last digit; a whole number has none, it is exact."""
    digits, _, power = number.partition("e")
    decimals = len(digits.partition(".")[2])
    return 10.0 ** (int(power or 0) - decimals) if decimals or power else 0.0


def undrawn(pages: list[Path], folder: Path, chosen: list[str]) -> Iterator[str]:
    """Say which pictures of the chosen scripts pages show and no run has drawn."""
    texts = [page.read_text(encoding="utf-8") for page in pages]
    shown = {found.groups() for text in texts for found in SHOWN.finditer(text)}
    for picture, name in sorted(shown):
        if name in chosen and not (folder / picture).is_file():
            yield f"A page shows {picture}, which no script has made.\n"


# All of it


def build(
    chosen: list[str],
    examples: Path = EXAMPLES,
    run_to: Path = RUN,
    pages: Path = PAGES,
    seconds: float = SECONDS,
    *,
    check: bool = False,
) -> int:
    """Run examples, write or check what pages show of them; return how much is wrong."""
    begun = time.perf_counter()
    with TemporaryDirectory() as folder:
        drawn_to = Path(folder)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            one = partial(run_and_tell, drawn_to=drawn_to, seconds=seconds)
            runs = list(pool.map(one, [examples / f"{name}.py" for name in chosen]))
        print(f"{time.perf_counter() - begun:6.1f} s  together, {len(chosen)} examples")
        given = {each.name: each for each in runs}
        failed = [f"{each.name}:\n{each.error}" for each in runs if each.error]
        texts = sorted(pages.rglob("*.md"))
        failed += undrawn(texts, drawn_to, [each.name for each in runs if not each.error])
        show = differences if check else update
        failed += show(texts, given, examples, drawn_to, run_to)
    print("\n".join(failed), end="", file=sys.stderr)
    return len(failed)


def run_and_tell(script: Path, drawn_to: Path, seconds: float) -> Run:
    """Run a script and print how long it took."""
    done = run(script, drawn_to, seconds)
    print(f"{done.seconds:6.1f} s  {done.name}{'  FAILED' if done.error else ''}", flush=True)
    return done


def update(
    pages: list[Path], runs: dict[str, Run], codes: Path, drawn_to: Path, kept_in: Path
) -> list[str]:
    """Write blocks and pictures of scripts that ran; a failed one keeps what it had."""
    for page in pages:
        old = page.read_text(encoding="utf-8")
        new = filled(old, runs, codes)
        if new != old:
            page.write_text(new, encoding="utf-8")
    kept_in.mkdir(parents=True, exist_ok=True)
    for name in (each.name for each in runs.values() if not each.error):
        for old in pictures_of(name, kept_in):
            old.unlink()
        for new in pictures_of(name, drawn_to):
            (kept_in / new.name).write_bytes(new.read_bytes())
    return []


def differences(
    pages: list[Path], runs: dict[str, Run], codes: Path, drawn_to: Path, kept_in: Path
) -> list[str]:
    """Say which blocks and pictures are not what scripts gave."""
    failed = [told for page in pages for told in stale(page, runs, codes)]
    timed = {name for page in pages for name in timed_pictures(page)}
    for name in (each.name for each in runs.values() if not each.error):
        kept, drawn = ({p.name for p in pictures_of(name, f)} for f in (kept_in, drawn_to))
        failed += [f"{picture} is not kept in {kept_in}.\n" for picture in sorted(drawn - kept)]
        failed += [f"{picture} is kept, and not drawn.\n" for picture in sorted(kept - drawn)]
        for picture in sorted(kept & drawn):
            limit = UNLIKE_WITH_TIMES if name in timed else UNLIKE
            how = unlike(kept_in / picture, drawn_to / picture, limit)
            failed += [f"{picture} {how}.\n"] if how else []
    return [*failed, "Run make course, look at what changed, and commit it.\n"] if failed else []


def main() -> int:
    """Run all examples, or those named."""
    parser = argparse.ArgumentParser(description="Run the examples of the course.")
    parser.add_argument("names", nargs="*", help="which (all of them)")
    parser.add_argument("--check", action="store_true", help="write nothing, say what differs")
    options = parser.parse_args()
    names = options.names or sorted(path.stem for path in EXAMPLES.glob("*.py"))
    return min(build(names, check=options.check), 1)


if __name__ == "__main__":
    sys.exit(main())
