"""D042x: mechanisms that choose, samples, and runs over many parts."""

from __future__ import annotations

from duetpy.typecheck.errors.texts import Text, text_of


def __getattr__(name: str) -> Text:
    return text_of(__name__, name)
