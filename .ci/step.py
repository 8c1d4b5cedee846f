"""The steps of continuous integration: ``python .ci/step.py lint test package``.

The workflows in .github call nothing else, so whatever they do can be done here as well.
``python .ci/step.py --list`` says what each step does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
OLDEST_EXTRA = ("joblib==1.3.0",)  # the first with Python 3.11 and this NumPy
FIT = (
    "import maxmargin as m; print(m.__version__, m.SVC().fit([[0.0], [1.0]], [0, 1]).certificate_)"
)


def run(*command: str, python: str = sys.executable, **environment: str) -> None:
    """Run a command of Python's; end with its exit code if it fails."""
    print("+", "python", *command, flush=True)
    done = subprocess.run(
        [python, *command], cwd=ROOT, env={**os.environ, **environment}, check=False
    )
    if done.returncode:
        sys.exit(done.returncode)


def tool(name: str, *arguments: str) -> None:
    """Run a console script of this environment."""
    script = Path(sys.executable).parent / name
    print("+", name, *arguments, flush=True)
    done = subprocess.run([str(script), *arguments], cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def lint() -> None:
    """Check style, types, layers, and the workflows against their schema."""
    run("-m", "ruff", "check", ".")
    run("-m", "ruff", "format", "--check", ".")
    run("-m", "mypy")
    tool("lint-imports")
    workflows()


def workflows() -> None:
    """Check the files in .github against their schemas."""
    files = sorted(map(str, (ROOT / ".github" / "workflows").glob("*.yml")))
    tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *files)
    dependabot = str(ROOT / ".github" / "dependabot.yml")
    tool("check-jsonschema", "--builtin-schema", "vendor.dependabot", dependabot)


def test() -> None:
    """Run the tests."""
    run("-m", "pytest", "-n", "auto", "--dist", "worksteal")


def test_plain() -> None:
    """Run the tests without private parts of Numba."""
    run("-m", "pytest", "-n", "auto", "--dist", "worksteal", MAXMARGIN_PLAIN="1")


def lowest_versions() -> list[str]:
    """List the lowest versions that pyproject.toml allows, of the core and the command."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["command"]
    return [each.replace(">=", "==") for each in wanted] + list(OLDEST_EXTRA)


def test_oldest() -> None:
    """Install the lowest allowed versions into a new environment and run the tests there."""
    with tempfile.TemporaryDirectory() as folder:
        python = make_environment(Path(folder))
        constraints = Path(folder) / "oldest.txt"
        constraints.write_text("\n".join(lowest_versions()) + "\n", encoding="utf-8")
        run("-m", "pip", "install", "-q", "-c", str(constraints), "-e", ".[test]", python=python)
        run("-m", "pytest", "-n", "auto", "--dist", "worksteal", python=python)


def make_environment(folder: Path) -> str:
    """Make an empty environment; return its Python."""
    venv.create(folder / "environment", with_pip=True)
    name = "Scripts/python.exe" if os.name == "nt" else "bin/python"
    return str(folder / "environment" / name)


def package() -> None:
    """Build wheel and sdist, check them, and fit in an empty environment with the wheel alone."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "dist"
        run("-m", "build", "--outdir", str(out), ".")
        files = sorted(map(str, out.iterdir()))
        run("-m", "twine", "check", "--strict", *files)
        (wheel,) = out.glob("*.whl")
        check_wheel(wheel)
        python = make_environment(Path(folder))
        run("-m", "pip", "install", "-q", str(wheel), python=python)
        run("-c", FIT, python=python)
        run("-m", "pip", "install", "-q", "mypy", "pyright", python=python)
        check_types(python)
        if "KEEP_DIST" in os.environ:
            (ROOT / "dist").mkdir(exist_ok=True)
            for file in out.iterdir():
                (ROOT / "dist" / file.name).write_bytes(file.read_bytes())


def check_wheel(wheel: Path) -> None:
    """Check that a wheel holds the package alone, and print its size."""
    import zipfile

    names = zipfile.ZipFile(wheel).namelist()
    strange = [name for name in names if not name.startswith(("maxmargin/", "maxmargin-"))]
    if strange or "maxmargin/py.typed" not in names:
        sys.exit(f"{wheel.name} holds {strange[:3]} or lacks py.typed.")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(names)} files", flush=True)


def check_types(python: str) -> None:
    """Check a small program of typical calls against the installed package."""
    program = str(ROOT / "tests" / "types" / "typical.py")
    with tempfile.TemporaryDirectory() as elsewhere:  # where no pyproject.toml is found
        for command in (["mypy", "--strict"], ["pyright", "--pythonpath", python]):
            print("+", *command, flush=True)
            done = subprocess.run([python, "-m", *command, program], cwd=elsewhere, check=False)
            if done.returncode:
                sys.exit(done.returncode)


def docs() -> None:
    """Build the site, with every link checked."""
    environment = {"NO_MKDOCS_2_WARNING": "1"}
    run("-m", "mkdocs", "build", "--strict", "--quiet", **environment)


STEPS: dict[str, Callable[[], None]] = {
    "lint": lint,
    "workflows": workflows,
    "test": test,
    "test-plain": test_plain,
    "test-oldest": test_oldest,
    "package": package,
    "docs": docs,
}


def main(names: list[str]) -> None:
    """Run steps by their names."""
    if names == ["--list"] or not names:
        for name, step in STEPS.items():
            print(f"{name:12} {step.__doc__}")
        return
    unknown = [name for name in names if name not in STEPS]
    if unknown:
        sys.exit(f"There is no step {unknown[0]!r}; there are {', '.join(STEPS)}.")
    for name in names:
        STEPS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
