"""Compile loops before anybody waits for them: ``python -m maxmargin.warmup``.

Every estimator is fitted to small problems through its public interface, and predicts. Signatures
written down here would be quicker by a second or two and wrong as soon as a loop has one argument
more; a fit compiles what a fit runs.
"""

from maxmargin.warmup.compile import Warmed, warm
from maxmargin.warmup.problem import ESTIMATORS, KINDS

__all__ = ["ESTIMATORS", "KINDS", "Warmed", "warm"]
