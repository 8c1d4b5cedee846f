"""Run scikit-learn's own tests with our classes of its svm module and AdaBoost in place of its.

The test files are the ones installed with scikit-learn, unchanged; arguments go to pytest.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import sklearn
import sklearn.ensemble
import sklearn.svm

from maxmargin import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.boosting import AdaBoostClassifier

TESTS = ("sklearn.svm.tests.test_svm", "sklearn.ensemble.tests.test_weight_boosting")

SVM = (SVC, SVR, NuSVC, NuSVR, OneClassSVM, LinearSVC, LinearSVR)
OURS = {kind.__name__: kind for kind in (*SVM, AdaBoostClassifier)}
PLACES = (
    sklearn.svm,
    sklearn.svm._classes,
    sklearn.ensemble,
    sklearn.ensemble._weight_boosting,
)

NOT_OURS = {
    "test_linear_svm_convergence_warnings": (
        "waits for LIBLINEAR's warning after two steps, when LinearSVC has converged"
    ),
    "test_svr_errors": "a kernel matrix of the wrong shape is refused in fit, not in predict",
    "test_oneclass_adaboost_proba": "a single class leaves nothing to learn, and we say so",
    "test_iris": "asks the default members for a seed, and our stump draws nothing",
    "test_sample_weights_infinite": "waits for weights to overflow, and ours do not",
}


class InPlaceOfTheirs:
    """Put our classes where the tests look for them, before their modules are imported."""

    def pytest_configure(self, config: pytest.Config) -> None:
        for place in PLACES:
            for name in OURS.keys() & vars(place).keys():
                setattr(place, name, OURS[name])

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            reason = NOT_OURS.get(item.name.partition("[")[0])
            if reason is not None:
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))

    def pytest_report_header(self, config: pytest.Config) -> list[str]:
        found = [(place, name) for place in (sklearn.svm, sklearn.ensemble) for name in OURS]
        ours = [
            f"{place.__name__}.{name} is {getattr(place, name)!r}"
            for place, name in found
            if hasattr(place, name)
        ]
        return [*ours, f"scikit-learn {sklearn.__version__}"]


def main(arguments: list[str]) -> int:
    with TemporaryDirectory() as empty:
        settings = Path(empty) / "pytest.ini"
        settings.write_text("[pytest]\n")  # ours turn warnings into errors, theirs expect some
        options = ["-c", str(settings), "-p", "no:cacheprovider", "-q", "-rfEx", "--tb=short"]
        return int(pytest.main([*options, *arguments, "--pyargs", *TESTS], [InPlaceOfTheirs()]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
