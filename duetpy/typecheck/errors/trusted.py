"""Diagnostics of what a program takes on trust: foreign code, and mechanisms from outside."""

from __future__ import annotations

from duetpy.typecheck.errors.texts import Text, text_of


def __getattr__(name: str) -> Text:
    return text_of(__name__, name)
