"""Programs with public choices: in bodies that run on many rows, each run choosing for itself, and in bodies that run once."""

from __future__ import annotations

from duetpy.typecheck.cost import Choice, Cost, children
from duetpy.typecheck.types import PFun
from tests.soundness.falsify import check
from tests.soundness.witness import PURE

ROW = "clip[0.0, 1.0] {}#[0, 0]"
LESS, MORE = "laplace[1.0, 0.5]", "laplace[1.0, 1.0]"
ROWS = "xs : 𝕄 [L∞, U | {}, 1⋅𝔻]"
COUNT = "real (rows t)"
PARTS = (
    "parallel[xs, ℘{{1.0, 2.0}}] {{ r ⇒ r#[0, 0] }} {{ k, t ⇒ if {guard} "
    f"then {{{{ {LESS} <t> {{{{ {COUNT} }}}} }}}} else {{{{ {MORE} <t> {{{{ {COUNT} }}}} }}}} }}}}"
)
STEP = (
    f"let step = pλ b : ℕ . ⟨{ROWS.format('b')}, ys : 𝕄 [L∞, U | b, 1⋅𝔻]⟩, z : ℝ ⇒ if z < 1.0 "
    f"then {{ {LESS} <xs, ys> {{ {ROW.format('xs')} }} }} else {{ {MORE} <xs, ys> {{ {ROW.format('xs')} }} }} in "
)


BRANCHES = f"a ← {LESS} <x> {{ x }} ; if a < 0.0 then {{ {LESS} <x> {{ x }} }} else {{ {MORE} <x> {{ x }} }}"

APART = (
    # By the key of the part; a table of unknown size, of which a call moves two rows.
    ("parallel", f"pλ . {ROWS.format(4)} ⇒ {PARTS.format(guard='k ≡ 1.0')}"),
    ("parallel", f"pλ . {ROWS.format('★')} ⇒ {PARTS.format(guard='k ≡ 1.0')}"),
    (
        "privacy-application",
        f"let f = pλ m : ℕ . {ROWS.format('m')} ⇒ {PARTS.format(guard='k ≡ 1.0')} in pλ . {ROWS.format(4)} ⇒ f@[ . xs]",
    ),
    # By what the batches before released.
    ("pfld-rows", f"{STEP} pλ . ⟨{ROWS.format(4)}, ys : 𝕄 [L∞, U | 4, 1⋅𝔻]⟩ ⇒ pfld-rows[ℕ[2], 0.0, xs, ys, step]"),
    # By what the report itself released.
    (
        "shuffle",
        f"pλ . {ROWS.format(4)} ⇒ shuffle[ℕ[4]] xs {{ x ⇒ a ← {LESS} <x> {{ {ROW.format('x')} }} ; "
        f"if a < 0.0 then {{ {LESS} <x> {{ {ROW.format('x')} }} }} else {{ {MORE} <x> {{ {ROW.format('x')} }} }} }}",
    ),
    # The same where reports of two tables do not hide each other, and are charged for in order.
    (
        "shuffle",
        f"pλ . {ROWS.format(4)}, ys : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ shuffle[ℕ[4]] xs, ys {{ x, y ⇒ "
        f"a ← {LESS} <x> {{ {ROW.format('x')} }} ; "
        f"if a < 0.0 then {{ {LESS} <x> {{ {ROW.format('x')} }} }} else {{ {MORE} <x> {{ {ROW.format('x')} }} }} }}",
    ),
    (
        "mmapp",
        f"pλ . {ROWS.format(4)} ⇒ mmapp xs {{ x ⇒ a ← {LESS} <x> {{ clip[0.0, 1.0] x }} ; "
        f"if a < 0.0 then {{ {LESS} <x> {{ clip[0.0, 1.0] x }} }} else {{ {MORE} <x> {{ clip[0.0, 1.0] x }} }} }}",
    ),
)
"""A rule, and a program of which two steps may find two choices."""

AS_ONE = (
    # A test on static numbers comes out the same in every run.
    ("parallel", f"pλ w : ℝ⁺ . {ROWS.format('★')}, w : ℝ⁺[w] ⇒ {PARTS.format(guard='w < 4.0')}"),
    ("privacy-if", f"pλ . x : ℝ ⇒ {BRANCHES}"),
    ("privacy-application", f"let f = pλ . x : ℝ ⇒ {BRANCHES} in pλ . x : ℝ ⇒ f@[ . 3.0 ⋅ x]"),
    (
        "privacy-loop",
        f"pλ . x : ℝ ⇒ loop ℕ[3] on 0.0 <x> {{ i, z ⇒ if z < 1.0 then {{ {LESS} <x> {{ x }} }} "
        f"else {{ {MORE} <x> {{ x }} }} }}",
    ),
    (
        "pmap-col",
        f"pλ . {ROWS.format(4)} ⇒ pmap-col xs {{ c ⇒ a ← {LESS} <c> {{ {ROW.format('c')} }} ; "
        f"if a < 0.0 then {{ {LESS} <c> {{ {ROW.format('c')} }} }} else {{ {MORE} <c> {{ {ROW.format('c')} }} }} }}",
    ),
    (
        "sample",
        f"pλ . {ROWS.format(4)} ⇒ sample[ℕ[2]] xs {{ t ⇒ a ← {LESS} <t> {{ {ROW.format('t')} }} ; "
        f"if a < 0.0 then {{ {LESS} <t> {{ {ROW.format('t')} }} }} else {{ {MORE} <t> {{ {ROW.format('t')} }} }} }}",
    ),
)
"""A rule, and a program of which all steps find the same choice."""


def choices(cost: Cost) -> list[Choice]:
    """The choices in a term."""
    found, pending = [], [cost]
    while pending:
        here = pending.pop()
        pending.extend(children(here))
        if isinstance(here, Choice):
            found.append(here)
    return found


def chosen(text: str) -> list[bool]:
    """Of the choices of a program, in the cost of its first parameter: whether they are scattered."""
    typed = check(text, PURE)
    assert typed.ok, [diagnostic.message for diagnostic in typed.diagnostics]
    assert isinstance(typed.type, PFun)
    return [each.scattered for each in choices(typed.type.parameters[0].cost)]
