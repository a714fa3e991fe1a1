"""The exception that carries diagnostics out of a room, and says what the command line prints."""

from __future__ import annotations

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.markup import block, shortened


class DuetError(Exception):
    """A program, its data or its budget was refused; carries the diagnostics that say why.

    Its text is that of ``duetpy check`` and ``duetpy run`` for them, without colours.
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...] | list[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        first = next((d for d in self.diagnostics if d.is_error), None)
        super().__init__(f"{first.code}: {first.message}" if first else "refused")

    def __str__(self) -> str:
        from duetpy.diagnostics.text import render

        return "\n".join(map(render, self.diagnostics)).rstrip("\n") or super().__str__()

    def __repr__(self) -> str:
        errors = [each for each in self.diagnostics if each.is_error]
        if not errors:
            return f"<{type(self).__name__}: refused>"
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        return f"<{type(self).__name__} {errors[0].code}: {shortened(errors[0].message, 120)}{more}>"

    def _repr_html_(self) -> str:
        return block(str(self))

    def __reduce__(self) -> tuple[type[DuetError], tuple[tuple[Diagnostic, ...]]]:
        """Copied and pickled as its diagnostics: one process hands it to another whole."""
        return type(self), (self.diagnostics,)
