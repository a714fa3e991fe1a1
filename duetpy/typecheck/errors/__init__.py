"""The checker's diagnostics, filed by what they are about: texts in the tables, and functions for what needs more than words.

A rule imports the files that say what can be wrong with its form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duetpy.later import imported_later

if not TYPE_CHECKING:
    __getattr__ = imported_later(__name__)
