"""What models are compared by, as people say and write it, in the terminal and in the report."""

from __future__ import annotations

import math
from dataclasses import dataclass

from maxmargin.evaluation import Interval

_WORDS = {
    "roc auc": "AUC",
    "f1": "F1",
    "r2": "R²",
    "ovr": "one against the rest",
    "ovo": "in pairs",
}
_SHARES = ("accuracy", "precision", "recall", "f1")


@dataclass(frozen=True)
class Metric:
    r"""A score by scikit-learn's name of it.

    Parameters
    ----------
    name : str
        Such as "accuracy" or "neg_mean_absolute_error".

    Examples
    --------
    >>> Metric("balanced_accuracy").title, Metric("balanced_accuracy").show(0.8125)
    ('balanced accuracy', '81.2\xa0%')
    >>> Metric("roc_auc").title, Metric("f1_macro").title, Metric("r2").show(-0.00001)
    ('AUC', 'F1 macro', '0.000')
    >>> error = Metric("neg_mean_absolute_error")
    >>> error.title, error.show(-1.28), error.show(float("nan"))
    ('mean absolute error', '1.280', '–')
    """

    name: str

    @property
    def title(self) -> str:
        """What it is called."""
        said = self.name.removeprefix("neg_").replace("_", " ")
        for name, word in _WORDS.items():
            said = said.replace(name, word)
        return said

    @property
    def is_error(self) -> bool:
        """Whether it is an error with its sign turned: shown as the error, less being better."""
        return self.name.startswith("neg_")

    @property
    def is_share(self) -> bool:
        """Whether it is shown in per cent."""
        return any(part in self.name for part in _SHARES) and self.name != "average_precision"

    def show(self, value: float) -> str:
        """Write a score.

        Parameters
        ----------
        value : float
            As scikit-learn gives it.

        Returns
        -------
        str
        """
        if not math.isfinite(value):
            return "–"
        if self.is_share:
            return f"{100.0 * value:.1f}\N{NO-BREAK SPACE}%"
        return significant(-value, 4) if self.is_error else f"{value:z.3f}".replace("-", "−")

    def spread(self, value: float) -> str:
        """Write a deviation.

        Parameters
        ----------
        value : float

        Returns
        -------
        str
            Empty where it is not known.
        """
        if not math.isfinite(value):
            return ""
        return f"{100.0 * value:.1f}" if self.is_share else significant(value, 2)

    def ends(self, interval: Interval) -> str:
        r"""Write an interval, the smaller end first.

        Parameters
        ----------
        interval : Interval

        Returns
        -------
        str
            Empty where nothing is known of its ends.

        Examples
        --------
        >>> Metric("neg_mean_absolute_error").ends(Interval(-1.5, -1.75, -1.25))
        '95\xa0% interval 1.250 to 1.750'
        """
        if not (math.isfinite(interval.low) and math.isfinite(interval.high)):
            return ""
        low, high = self.show(interval.low), self.show(interval.high)
        first, last = (high, low) if self.is_error else (low, high)
        return f"{100.0 * interval.level:g}\N{NO-BREAK SPACE}% interval {first} to {last}"


def significant(value: float, digits: int = 3) -> str:
    """Write a number with so many digits, and all that stand before the point.

    Parameters
    ----------
    value : float
    digits : int, default=3

    Returns
    -------
    str

    Examples
    --------
    >>> significant(0.04), significant(-0.00984), significant(41721.2), significant(0.0)
    ('0.0400', '−0.00984', '41,721', '0')
    """
    if value == 0.0:
        return "0"
    large = abs(value) >= 10.0 ** (digits - 1)
    return (f"{value:,.0f}" if large else f"{value:#.{digits}g}").rstrip(".").replace("-", "−")
