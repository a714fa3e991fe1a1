"""What a program costs: prices of cost terms in every notion, and bounds on the losses of mechanisms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duetpy.later import imported_later

if not TYPE_CHECKING:
    __getattr__ = imported_later(__name__)
