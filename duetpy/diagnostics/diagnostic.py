"""Diagnostics as plain values: what is wrong, where, why and what to do about it.

Nothing here knows how a diagnostic will be shown; the renderers in this folder do. Codes are grouped by room:
D00xx lexical and syntax, D01xx names and scoping, D02xx kinds and types, D03xx sensitivity, D04xx privacy and notions,
D05xx obligations and guarantees, D06xx data, D07xx ledger and run, D09xx internal.
"""

from __future__ import annotations

from enum import Enum

from attrs import field, frozen

from duetpy.by_value import ByValue
from duetpy.source import Span


class Severity(Enum):
    """How much a diagnostic weighs: only an error refuses a program."""

    ERROR = "error"
    WARNING = "warning"


@frozen(eq=False, repr=False)
class Label(ByValue):
    """A remark tied to a place, such as 'claims 1/m'."""

    span: Span
    message: str


@frozen(eq=False, repr=False)
class Diagnostic(ByValue):
    """One mistake, reported once.

    Parameters
    ----------
    code
        ``D`` and four digits; each has a page under ``diagnostics/explain``.
    message
        One sentence in the user's own names.
    span
        The smallest expression at fault, or None if there is no program text to point at (data, command line).
    label
        The words next to the underlined span.
    labels
        Further places that matter.
    notes
        The reason, one line each; a counterexample if there is one.
    help
        An action that fixes it.
    rule
        The name of the rule or primitive that refused, or None.
    follows
        Whether it is about something of which a part was refused: then what is wrong with that part is all that there is to say.
    """

    code: str
    message: str
    span: Span | None = None
    label: str = ""
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str = ""
    rule: str | None = None
    severity: Severity = Severity.ERROR
    where: str = field(default="")
    """A place that is not program text, such as ``people.csv, line 418, column 'age'``."""
    follows: bool = False

    @property
    def is_error(self) -> bool:
        """Whether it refuses the program."""
        return self.severity is Severity.ERROR
