"""The mean loss of a boosted model against rounds, on training and validation rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from maxmargin.inputs.fitted import Fitted
from maxmargin.plots.error_curve import ErrorCurveDisplay
from maxmargin.plots.text import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class LossCurveDisplay(ErrorCurveDisplay):
    """The mean loss against the number of rounds.

    For a BoostingClassifier, BoostingRegressor or BoostingRanker, and pipelines that end in one.
    Build it with :meth:`from_estimator`, or draw in one call with :func:`loss_curves`.

    Parameters
    ----------
    curves : mapping of str to ndarray of shape (n_rounds,)
        Names, such as "train" and "validation", and the mean loss after each round.
    loss : str, default="loss"
        Label of the vertical axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    lines_ : dict of str to Line2D
        The curves.
    legend_ : Legend
        Their names.

    Examples
    --------
    >>> from maxmargin.plots import LossCurveDisplay
    >>> display = LossCurveDisplay(curves={"train": [3.0, 2.0, 1.5]}).plot()
    >>> display.legend_.get_texts()[0].get_text()
    'train loss'
    """

    drawn_of: ClassVar[str] = "a BoostingClassifier, BoostingRegressor or BoostingRanker"
    _word: ClassVar[str] = "loss"

    def __init__(self, *, curves: Any, loss: str = "loss") -> None:
        super().__init__(curves=curves)
        self.loss = loss

    @classmethod
    def from_estimator(  # type: ignore[override]
        cls, estimator: Any, *, log_rounds: bool = False, ax: Axes | None = None
    ) -> Self:
        """Draw the losses that a boosted model noted while it was fitted.

        Parameters
        ----------
        estimator : BoostingClassifier, BoostingRegressor, BoostingRanker, or a Pipeline ending so
            Fitted.
        log_rounds : bool, default=False
            Use a logarithmic axis of rounds.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        LossCurveDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import plots
        >>> from maxmargin.boosting import BoostingRegressor
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = BoostingRegressor(n_iter_no_change=5, random_state=0).fit(X, y)
        >>> list(plots.loss_curves(model).lines_)
        ['train', 'validation']
        """
        fitted = Fitted.of(estimator)
        model = fitted.model
        if not hasattr(model, "train_loss_"):
            raise fitted.refusal("train_loss_", f"losses are drawn of {cls.drawn_of}")
        curves = {"train": model.train_loss_, "validation": model.validation_loss_}
        known = {name: values for name, values in curves.items() if np.isfinite(values).all()}
        name = str(getattr(model.loss, "name", model.loss)).replace("_", " ")
        loss = f"mean loss ({plain(name)})"
        return cls(curves=known, loss=loss).plot(log_rounds=log_rounds, ax=ax)

    def _finish_height(self) -> None:
        self.ax_.set(ylabel=self.loss)


loss_curves = LossCurveDisplay.from_estimator
"""The same as ``LossCurveDisplay.from_estimator``."""
