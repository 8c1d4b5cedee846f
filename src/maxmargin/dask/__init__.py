r"""Dask in, an ordinary model out: fits on rows that no single machine holds.

**State.** A fit's state is small and the client's: coefficients and the path of smoothings of a
linear model, the list of splits of an ensemble, the duals of a support vector machine. Whatever a
row needs beside (a weight, a prediction, a gradient) follows from the row and that state.

**Maps.** Rows stay in their partitions, persisted on the workers as ``Rows``. A step sends the
state to all of them and asks one question, "give me the sums over your rows"; the verbs that answer
are those of the local fits (``ops.design``, ``problems``, ``losses``, ``boosting.objective``,
``kernels``). Answers are pure in the partition and the state. What a worker keeps from the last
question is a memo that nobody relies on: Dask reads a lost partition again, and the next question
works everything out anew, to the same bits.

**Order.** Sums of floating-point numbers are added in the order of partitions, and sums that decide
on splits are of numbers on a grid, which are exact in any order. Hence the result depends neither
on the number of workers nor on who was quick, and splits not even on how rows are partitioned.

**Traffic per step**, for d columns and P partitions, in bytes:

    linear model        8 d to each worker, 8 P (d^2 + d + 2) back
    stumps              60 a round so far to each worker, 4,096 d back from each thread; then the
                        bins that can still win, 24 a distinct value in them
    kernel machine      8 d q for a working set of q rows to each worker, 16 q back
    Nystroem            8 m d once for m landmarks, then a linear model of m columns

**Rooms.** ``cluster.py`` alone talks to the scheduler. Files named ``*_rows.py`` run on workers;
their neighbours without it on the client.
"""

from maxmargin.dask.adaboost import AdaBoostClassifier
from maxmargin.dask.additive import BoostingClassifier, BoostingRegressor
from maxmargin.dask.bagging import BaggingClassifier
from maxmargin.dask.linear import LinearClassifier, LinearSVC, LinearSVR
from maxmargin.dask.nystroem import Nystroem
from maxmargin.dask.svc import SVC

__all__ = [
    "SVC",
    "AdaBoostClassifier",
    "BaggingClassifier",
    "BoostingClassifier",
    "BoostingRegressor",
    "LinearClassifier",
    "LinearSVC",
    "LinearSVR",
    "Nystroem",
]
