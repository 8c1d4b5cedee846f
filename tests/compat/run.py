"""Run scikit-learn's own SVM tests with maxmargin.SVC in the place of sklearn.svm.SVC.

The test file is the one installed with scikit-learn, unchanged; arguments go to pytest.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import sklearn
import sklearn.svm

import maxmargin

TESTS = "sklearn.svm.tests.test_svm"


class InPlaceOfSVC:
    """Put our SVC where the tests look for it, before their module is imported."""

    def pytest_configure(self, config: pytest.Config) -> None:
        for module in (sklearn.svm, sklearn.svm._classes):
            module.SVC = maxmargin.SVC

    def pytest_report_header(self, config: pytest.Config) -> str:
        return f"sklearn.svm.SVC is {sklearn.svm.SVC!r}; scikit-learn {sklearn.__version__}"


def main(arguments: list[str]) -> int:
    with TemporaryDirectory() as empty:
        settings = Path(empty) / "pytest.ini"
        settings.write_text("[pytest]\n")  # ours turn warnings into errors, theirs expect some
        options = ["-c", str(settings), "-p", "no:cacheprovider", "-q", "-rfE", "--tb=short"]
        return int(pytest.main([*options, *arguments, "--pyargs", TESTS], [InPlaceOfSVC()]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
