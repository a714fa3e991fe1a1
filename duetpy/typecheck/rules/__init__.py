"""The rules of both judgements, filed by the forms that they are about; `duetpy.typecheck.dispatch` says which is whose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duetpy.later import imported_later

if not TYPE_CHECKING:
    __getattr__ = imported_later(__name__)
