"""What an audit finds, as values: the text and the JSON report are two ways to print them.

Contract. A layer that finds nothing says what it could have seen, and an audit is never a proof: what is not drawn is not seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from attrs import field, frozen

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.markup import block, paragraph, table
from duetpy.diagnostics.text import render

LayerName = Literal["replay", "samplers", "end to end", "bits"]


@frozen
class Layer:
    """One way of attacking a program.

    Parameters
    ----------
    name
        Which.
    did
        What was tried, in words.
    could_see
        What would have been found.
    facts
        The same in numbers.
    violations
        What was found.
    """

    name: LayerName
    did: str
    could_see: str
    facts: Mapping[str, Any]
    violations: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        return f"<Layer {self.name}: {counted(len(self.violations))}>"


@frozen
class Audit:
    """What an audit found.

    Parameters
    ----------
    program
        The program's name.
    layers
        The layers in the order in which they ran.
    notes
        What was left out, and why.
    diagnostics
        Why there was no audit, where the program was refused.
    """

    program: str
    layers: tuple[Layer, ...]
    notes: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = field(default=())

    @property
    def violations(self) -> tuple[Diagnostic, ...]:
        return tuple(violation for layer in self.layers for violation in layer.violations)

    def __repr__(self) -> str:
        return f"<Audit {visible(self.program)}: {'refused' if self.diagnostics else counted(len(self.violations))}>"

    def _repr_html_(self) -> str:
        rows = [(layer.name, layer.did, counted(len(layer.violations)), layer.could_see) for layer in self.layers]
        shown = [table(("layer", "what was tried", "found", "could have detected"), rows, self.program)]
        shown += [block(render(diagnostic)) for diagnostic in (*self.diagnostics, *self.violations)]
        return "".join([*shown, *map(paragraph, self.notes)])


def counted(violations: int) -> str:
    """How many violations were found, in words."""
    if violations > 1:
        return f"{violations} violations found"
    return "a violation was found" if violations else "no violation found"
