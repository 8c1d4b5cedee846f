"""The fence around the compiler: private parts of Numba, llvmlite and threadpoolctl.

No other package uses them. Every private part has a portable substitute. ``trial.py`` tries the
private parts when this package is imported. ``plain.py`` decides which of the two is used: the
portable substitutes if a trial fails or ``MAXMARGIN_PLAIN=1`` is set. They are slower and just as
right.
"""
