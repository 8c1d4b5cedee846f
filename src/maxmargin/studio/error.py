"""What the page is told when a scene or a file cannot be used."""

from __future__ import annotations


class SceneError(ValueError):
    """Something cannot be done; the sentence is for the page."""
