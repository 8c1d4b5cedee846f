"""What the worker's process can be asked for, by name."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Final

from maxmargin.studio import models, play, sets
from maxmargin.studio.error import SceneError

CALLS: Final[dict[str, Callable[[Any], Any]]] = {
    "scenes": sets.known_points,
    "play": play.draw,
    "describe": models.describe,
    "predict": models.predict,
    "score": models.score,
}


def answer(name: str, given: Any) -> tuple[str, Any]:
    """Call a function; return its value, or the sentence of what went wrong."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return "value", CALLS[name](given)
    except SceneError as error:
        return "error", str(error)
    except (ValueError, TypeError, KeyError, OSError) as error:
        return "error", f"{type(error).__name__}: {error}"
    except MemoryError:
        return "error", "There is not enough memory for this fit."
    except Exception as error:  # the page shows what went wrong, and the studio goes on
        return "error", f"The fit failed. {type(error).__name__}: {error}"


def warm_up() -> None:
    """Fit one small model, so that the page's first one is quick."""
    points = [[0.0, 0.0, 0], [1.0, 1.0, 0], [0.0, 1.0, 1], [1.0, 0.0, 1]]
    answer("play", {"points": points, "model": {"kind": "svc"}, "box": [0, 1, 0, 1]})
