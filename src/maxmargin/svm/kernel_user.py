"""What every estimator with a kernel does: read the kernel's parameters, decide by a machine."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.caution import caution
from maxmargin.inputs.parameters import check_choice, check_number
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import Takes
from maxmargin.kernels.precomputed import Columns
from maxmargin.progress.callbacks import CallbackSupport
from maxmargin.svm import decision
from maxmargin.svm.kernel_choice import NAMES, choose_kernel
from maxmargin.svm.training import check_rows


class KernelUser(CallbackSupport, BaseEstimator):
    """Something that sees rows through a kernel, given by ``kernel`` and its numbers."""

    def __sklearn_tags__(self) -> Any:
        """Say what input is taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.sparse = not self._is_precomputed()
        return tags

    def _is_precomputed(self) -> bool:
        value = isinstance(self.kernel, Kernel) and self.kernel.takes is Takes.MATRIX
        return value or (isinstance(self.kernel, str) and self.kernel == "precomputed")

    def _kernel(self) -> Kernel:
        return choose_kernel(self.kernel, self.gamma, self.degree, self.coef0)

    def _check_kernel(self) -> None:
        """Check the parameters that say which kernel."""
        owner = type(self).__name__
        if isinstance(self.kernel, type) or not callable(self.kernel):  # a Kernel can be called
            check_choice(owner, "kernel", self.kernel, NAMES, "a Kernel or a function")
        if isinstance(self.gamma, str):
            check_choice(owner, "gamma", self.gamma, ("scale", "auto"), "a number of at least 0")
        else:
            check_number(owner, "gamma", self.gamma, 0.0, otherwise="'scale' or 'auto'")
        check_number(owner, "degree", self.degree, 0, whole=True)
        check_number(owner, "coef0", self.coef0)
        self._caution_of_ignored(owner)

    def _caution_of_ignored(self, owner: str) -> None:
        """Say so where numbers are given that a kernel value has no use for."""
        if not isinstance(self.kernel, Kernel):
            return
        usual = {"gamma": "scale", "degree": 3, "coef0": 0.0}
        given = [name for name, value in usual.items() if getattr(self, name) != value]
        if given:
            said = ", ".join(f"{name}={getattr(self, name)!r}" for name in given)
            caution(
                f"{owner} ignores {said}: kernel={self.kernel!r} has its own parameters; give them "
                "to the kernel."
            )

    def _check_fitted(self) -> None:
        """Refuse to answer before a fit; asking scikit-learn takes as long as deciding a row."""
        if "_machine" not in vars(self):
            check_is_fitted(self)

    def _decide(self, X: Any, finish: decision.Finish) -> NDArray[Any]:
        """Finish the values of all problems, positive for the positive class, of checked rows."""
        self._check_fitted()
        kernel = self._machine.seen.kernel
        if kernel.takes is Takes.MATRIX and Columns.are_given(X):
            X = Columns.of(X, self._machine.rows)
        else:
            X = check_rows(self, kernel, X, reset=False)
        if sparse.issparse(X) and not self._sparse and kernel.takes is Takes.VECTORS:
            raise ValueError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data"
            )
        if self._machine.counts.sum() != len(self._machine.rows):
            raise ValueError(f"The internal representation of {type(self).__name__} was altered")
        return self._machine.decide(X, finish, self.n_jobs)
