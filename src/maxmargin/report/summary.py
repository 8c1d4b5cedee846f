"""What a report says about the data: plain values, filled in by the reader of the file."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """One column of a table and what became of it.

    Parameters
    ----------
    name : str
        Its name.
    kind : str
        What it holds, for example ``"number"``.
    treatment : str
        What was done with it, for example ``"standardised"``.

    Examples
    --------
    >>> Column("Age", "number", "standardised").name
    'Age'
    """

    name: str
    kind: str
    treatment: str


@dataclass(frozen=True)
class DataSummary:
    """Where the rows came from and what was done to them before the fit.

    Parameters
    ----------
    source : str
        Name of the file.
    digest : str
        SHA-256 of its bytes.
    n_rows : int
        Rows in the file.
    n_incomplete : int
        Rows dropped because a value was missing.
    target : str
        Name of the column to predict.
    columns : tuple of Column
        All others.
    notes : tuple of str
        Anything else that was done, a sentence each.

    Examples
    --------
    >>> data = DataSummary("heart.csv", "", 303, 6, "AHD", ())
    >>> data.n_used
    297
    """

    source: str
    digest: str
    n_rows: int
    n_incomplete: int
    target: str
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()

    @property
    def n_used(self) -> int:
        """Rows that remained."""
        return self.n_rows - self.n_incomplete
