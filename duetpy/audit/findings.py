"""What an audit finds, as values: the text and the JSON report are two ways to print them.

Contract. A layer that finds nothing says what it could have seen, and an audit is never a proof: what is not drawn is not seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from attrs import field, frozen

from duetpy.diagnostics.diagnostic import Diagnostic

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
