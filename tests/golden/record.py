"""Write the golden table anew: python -m tests.golden.record

Only after a change that is meant to change fits; say in the commit which and why.
"""

import json
from pathlib import Path

from tests.golden.fit import fit, machine
from tests.golden.problems import all_problems

TABLE = Path(__file__).with_name("table.json")


def record() -> None:
    """Fit every problem of the table and store what it leaves behind."""
    found = {problem.name: fit(problem) for problem in all_problems()}
    lines = [f"{json.dumps(name)}: {json.dumps(each)}" for name, each in found.items()]
    body = ",\n".join(lines)
    TABLE.write_text(f'{{"machine": {json.dumps(machine())},\n"problems": {{\n{body}\n}}}}\n')


if __name__ == "__main__":
    record()
