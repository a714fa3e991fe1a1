"""Gradients of the losses."""

from __future__ import annotations

from tests.soundness.catalogue.case import Case

LABELLED = "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, {} | m, n⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻], θ : 𝕄 [L∞, U | 1, n⋅ℝ] ⇒ {}"
CLASSED = "sλ m : ℕ . xs : 𝕄 [L∞, {} | m, 2⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻], θ : 𝕄 [L∞, U | 1, 6⋅ℝ] ⇒ {}"
OWN_MODEL = (
    "sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ b : 𝔻 ∷ y : 𝔻 ∷ []] ⇒ "
    "let THETA = mcreate[L∞ | ℕ[1], ℕ[2]] {{ i, j ⇒ conv xs#[0, 0] }} in {}"
)
ONE_TABLE = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ b : 𝔻 ∷ y : 𝔻 ∷ []], θ : 𝕄 [L∞, U | 1, 2⋅ℝ] ⇒ {}"

GRADIENTS = (
    Case("grad-lr", LABELLED.format("L2", "∇[LR | θ; xs, ys]"), ("2/m", "1/m", "∞"), loose=(0,)),
    Case("grad-lr", LABELLED.format("U", "∇[LR | θ; mclip[L1, 3.0] xs, ys]"), ("6/m", "3/m", "∞"), loose=(0,)),
    Case("grad-lr", LABELLED.format("U", "∇[LR | θ; mclip[L∞, 3.0] xs, ys]"), ("6/m", "3/m", "∞"), loose=(0,)),
    Case("grad-lr", ONE_TABLE.format("∇[LR | θ; mclip[L2] xs.[a, b], xs.[y]]"), ("2/m", "∞"), tight=False),
    Case("ugrad-lr", LABELLED.format("U", "U∇[LR | θ; xs, ys]"), ("1", "1", "∞")),
    Case("ugrad-lr", ONE_TABLE.format("U∇[LR | θ; xs.[a, b], xs.[y]]"), ("1", "∞")),
    Case("rowgrad-lr", LABELLED.format("L2", "row∇[LR | θ; xs, ys]"), ("1", "1", "∞")),
    Case("rowgrad-lr", ONE_TABLE.format("row∇[LR | θ; xs.[a, b], xs.[y]]"), ("1", "∞")),
    Case("rowgrad-lr", ONE_TABLE.format("mconv (mclip[L2] (row∇[LR | θ; xs.[a, b], xs.[y]]))"), ("2", "∞")),
    Case("grad-hinge", LABELLED.format("L2", "∇[HINGE | θ; xs, ys]"), ("2/m", "2/m", "∞")),
    Case("grad-hinge", LABELLED.format("U", "∇[HINGE | θ; mclip[L1, 3.0] xs, ys]"), ("6/m", "6/m", "∞")),
    Case("grad-ls", LABELLED.format("L∞", "∇[LS | θ; xs, ys]"), ("2/m", "2/m", "∞")),
    Case("grad-ls", LABELLED.format("L2", "∇[LS | θ; xs, ys]"), ("2/m", "2/m", "∞")),
    Case("grad-huber", LABELLED.format("L1", "∇[HUBER, 0.5 | θ; xs, ys]"), ("1/m", "1/m", "∞")),
    Case("grad-huber", LABELLED.format("L2", "∇[HUBER, 5.0 | θ; xs, ys]"), ("10/m", "10/m", "∞")),
    Case("grad-huber", LABELLED.format("L2", "∇[HUBER | θ; xs, ys]"), ("2/m", "2/m", "∞")),
    Case("grad-softmax", CLASSED.format("L1", "∇[SOFTMAX, ℕ[3] | θ; xs, ys]"), ("4/m", "2/m", "∞"), tight=False),
    Case("grad-softmax", CLASSED.format("L2", "∇[SOFTMAX, ℕ[3] | θ; xs, ys]"), ("2⋅√2/m", "√2/m", "∞"), tight=False),
    Case("grad-softmax", CLASSED.format("L∞", "∇[SOFTMAX, ℕ[3] | θ; xs, ys]"), ("2/m", "1/m", "∞"), tight=False),
    *(
        Case(f"grad-{loss.lower()}", ONE_TABLE.format(f"∇[{loss} | θ; mclip[L2] xs.[a, b], xs.[y]]"), ("2/m", "∞"))
        for loss in ("HINGE", "LS")
    ),
    *(
        Case(f"{kind}-{loss.lower()}", LABELLED.format("U", f"{form}[{loss} | θ; xs, ys]"), ("1", "1", "∞"))
        for kind, form in (("ugrad", "U∇"), ("rowgrad", "row∇"))
        for loss in ("HINGE", "LS", "HUBER")
    ),
    Case("ugrad-softmax", CLASSED.format("U", "U∇[SOFTMAX, ℕ[3] | θ; xs, ys]"), ("1", "1", "∞")),
    Case("rowgrad-softmax", CLASSED.format("U", "row∇[SOFTMAX, ℕ[3] | θ; xs, ys]"), ("1", "1", "∞")),
    Case("rowgrad-huber", ONE_TABLE.format("row∇[HUBER, 2.0 | θ; xs.[a, b], xs.[y]]"), ("1", "∞")),
    Case("rowgrad-huber", LABELLED.format("L2", "mconv (row∇[HUBER, 2.0 | θ; xs, ys])"), ("4", "4", "∞")),
    Case(
        "rowgrad-softmax", CLASSED.format("L1", "mconv (row∇[SOFTMAX, ℕ[3] | θ; xs, ys])"), ("4", "4", "∞"), tight=False
    ),
    Case("grad-lr", OWN_MODEL.format("∇[LR | THETA; mclip[L2] xs.[a, b], xs.[y]]"), ("2",), tight=False),
    Case("rowgrad-lr", OWN_MODEL.format("row∇[LR | THETA; xs.[a, b], xs.[y]]"), ("m",)),
)
