import doctest
import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def code_blocks(text):
    return re.findall(r"^```(?:python|pycon)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def test_code_in_the_readme_runs_and_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=FLAGS)
    names: dict = {}
    for i, code in enumerate(code_blocks(README.read_text("utf-8") if README.exists() else "")):
        if ">>>" in code:
            block = parser.get_doctest(code, names, f"README block {i}", str(README), 0)
            runner.run(block, clear_globs=False)
            names.update(block.globs)
        else:
            exec(compile(code, f"README block {i}", "exec"), names)
    assert runner.summarize(verbose=False).failed == 0
