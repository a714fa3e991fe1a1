"""What the prelude says of a primitive."""

from __future__ import annotations

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import KindVar, Quantity


@frozen(eq=False, repr=False)
class Signature(ByValue):
    """One line of the prelude, curried arguments laid flat.

    Parameters
    ----------
    name, norm
        What selects it: ``mclip`` and L2 for ``prim mclip[L2, b]``.
    kinds
        All its kind variables.
    statics
        Those that stand for the static expressions in brackets.
    arguments, sensitivities, result
        σ₁ ⊸[s₁] … ⊸[sₖ] σ.
    joined
        The operands of an operator are one &-pair: what several of them depend on counts by the one that moves furthest.
    """

    name: str
    norm: Norm | None
    kinds: tuple[KindVar, ...]
    statics: tuple[KindVar, ...]
    arguments: tuple[t.Type, ...]
    sensitivities: tuple[Quantity, ...]
    result: t.Type
    doc: str
    example: str
    text: str
    joined: bool = False
