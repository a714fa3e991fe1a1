"""Privacy losses: profiles and Rényi curves of mechanisms, alone, sampled, shuffled and composed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duetpy.later import imported_later

if not TYPE_CHECKING:
    __getattr__ = imported_later(__name__)
