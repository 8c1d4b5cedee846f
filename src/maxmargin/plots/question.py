"""What a stump asks, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from maxmargin.plots.text import plain

_WORDS = 6  # of more categories the first are named


@dataclass(frozen=True)
class SplitQuestion:
    """The feature that a stump asks about, and which of its values go left and right."""

    feature: str
    left: str
    right: str

    @classmethod
    def of(cls, stump: Any, names: Sequence[Any], missing: bool = False) -> SplitQuestion | None:
        """Put a split in words; None for a stump that asks nothing."""
        split = stump.split_
        if split.feature < 0:
            return None
        name = plain(names[split.feature])
        if split.categories is None:
            sides = [f"≤ {split.threshold:.4g}", f"> {split.threshold:.4g}"]
        else:
            codes = stump._categories[split.feature].items()
            sides = [
                _listed([word for word, code in codes if bool(split.categories[code]) == right])
                for right in (False, True)
            ]
        if missing:
            side = int(split.missing_right)
            sides[side] = f"{sides[side]} or missing" if sides[side] else "missing"
        return cls(name, *sides)

    def answer(self, said: Sequence[str]) -> tuple[str, str]:
        """Describe the question and the side with the shorter name, in two lines."""
        first = min((0, 1), key=lambda side: len((self.left, self.right)[side]))
        values = (self.left, self.right)[first]
        sign = "" if values[:1] in "≤>" else ": "
        asked = f"{self.feature}{sign or ' '}{values}"
        return asked, f"→ {said[first]}, else {said[1 - first]}"


def _listed(words: list[Any]) -> str:
    shown = [plain(word) for word in words[:_WORDS]]
    return ", ".join([*shown, f"… ({len(words)})"] if len(words) > _WORDS else shown)
