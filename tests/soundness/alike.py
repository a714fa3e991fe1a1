"""Programs in which coins draw from what moves by several steps, alike in all that is drawn or not."""

from __future__ import annotations

from duetpy.typecheck.cost import Group, children
from duetpy.typecheck.types import PFun
from tests.soundness.falsify import check
from tests.soundness.witness import PURE

FOUR = "xs : 𝕄 [L∞, U | 4, 1⋅𝔻]"
YOUNG, OLD = "(mfilter {} {{ r ⇒ r#[0, 0] < 1.0 }})", "(mfilter {} {{ r ⇒ 1.0 ≤ r#[0, 0] }})"
DRAWN = "poisson[0.1] {} {{ t ⇒ laplace[1.0, 1.0] <t> {{ real (rows t) }} }}"

STEPS = (
    # A table of which all turns draw, whatever it was made of.
    (
        "poisson",
        f"let f = pλ . ys : bag 𝔻 ⇒ loop ℕ[3] on 0.0 <ys> {{ i, a ⇒ {DRAWN.format('ys')} }} "
        f"in pλ . {FOUR} ⇒ f@[ . {YOUNG.format('xs')}]",
        (True,),
    ),
    # Tables of which one may lose the row that the other gains.
    (
        "poisson",
        f"pλ . {FOUR} ⇒ a ← {DRAWN.format(YOUNG.format('xs'))} ; b ← {DRAWN.format(OLD.format('xs'))} ; return 0.0",
        (False, False),
    ),
    # Another table in each iteration.
    (
        "poisson",
        f"pλ . {FOUR} ⇒ loop ℕ[3] on 0.0 <xs> {{ i, a ⇒ {DRAWN.format('(mfilter xs { r ⇒ r#[0, 0] < a })')} }}",
        (False,),
    ),
)
"""A rule, a program, and whether the steps of its groups are alike."""


def alike(text: str) -> tuple[bool, ...]:
    """Of the groups in the cost of the first parameter of a program: whether their steps are alike."""
    typed = check(text, PURE)
    assert typed.ok, [diagnostic.message for diagnostic in typed.diagnostics]
    assert isinstance(typed.type, PFun)
    found, pending = [], [typed.type.parameters[0].cost]
    while pending:
        here = pending.pop()
        pending.extend(children(here))
        if isinstance(here, Group):
            found.append(here.alike)
    return tuple(found)
