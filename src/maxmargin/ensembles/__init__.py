"""What all ensembles share: rounds, warm starts, members."""

from maxmargin.ensembles.rounds import History, Round, Stop

__all__ = ["History", "Round", "Stop"]
