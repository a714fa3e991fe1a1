"""Steps of gradient descent."""

from __future__ import annotations

from tests.soundness.catalogue.case import Case
from tests.soundness.catalogue.gradients import ONE_TABLE, OWN_MODEL

OWN_BOUNDED_MODEL = OWN_MODEL.replace("conv xs#[0, 0]", "clip[0.0, 3.0] xs#[0, 0]")
STEPPED = (
    "sλ m : ℕ, n : ℕ, η : ℝ⁺ . xs : 𝕄 [L∞, {} | m, n⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻], θ : 𝕄 [{} | 1, n⋅ℝ], η : ℝ⁺[η] ⇒ {}"
)

STEPS = (
    Case(
        "step-lr",
        STEPPED.format("L2", "L2, U", "step∇[LR, η, 0.0 | θ; xs, ys]"),
        ("2⋅η/m", "η/m", "1", "0"),
        loose=(0,),
    ),
    Case("step-ls", STEPPED.format("L2≤2", "L2, U", "step∇[LS, η, 0.0 | θ; xs, ys]"), ("4⋅η/m", "4⋅η/m", "1", "0")),
    Case(
        "step-huber",
        STEPPED.format("L2", "L2, U", "step∇[HUBER, 5.0, η, 0.0 | θ; xs, ys]"),
        ("10⋅η/m", "10⋅η/m", "1", "0"),
    ),
    Case(
        "step-lr",
        STEPPED.format("L2", "L2, U", "step∇[LR, η, 0.25 | θ; xs, ys]"),
        ("2⋅η/m", "η/m", "4/(η + 4)", "0"),
        tight=False,
    ),
    Case(
        "step-lr",
        STEPPED.format("L1≤2", "L1, U", "step∇[LR, 1.0, 0.25 | θ; xs, ys]"),
        ("4/m", "2/m", "0.75", "0"),
        loose=(0,),
    ),
    Case(
        "step-ls",
        STEPPED.format("L∞", "L∞, U", "step∇[LS, η, 0.0 | θ; xs, ys]"),
        ("2⋅η⋅√n/m", "2⋅η⋅√n/m", "√n", "0"),
        tight=False,
    ),
    Case(
        "step-ls",
        ONE_TABLE.format("step∇[LS, 0.5, 0.5 | θ; mclip[L2] xs.[a, b], xs.[y]]"),
        ("1/m", "0.75⋅√2"),
        tight=False,
    ),
    Case(
        "step-lr",
        OWN_BOUNDED_MODEL.format("step∇[LR, 0.5, 0.0 | THETA; mclip[L2] xs.[a, b], xs.[y]]"),
        ("1/m + 3⋅√2",),
        tight=False,
    ),
    Case(
        "step-ls",
        STEPPED.format("L2", "L2, U", "loop 3 on θ { i, t ⇒ step∇[LS, 0.5, 0.5 | t; xs, ys] }"),
        ("2.3125/m", "2.3125/m", "0.421875", "0"),
        tight=False,
    ),
)
