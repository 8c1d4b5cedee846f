"""What ensembles share, whoever their members are: rounds, going on with a fit, the members."""

from maxmargin.ensembles.rounds import History, Round, Stop

__all__ = ["History", "Round", "Stop"]
