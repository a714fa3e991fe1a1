"""Gradients: what fits together, and whose rows move what."""

import pytest

from tests.typecheck.judging import accepted, errors, sensitivities

XS, YS, MODEL = "𝕄 [L∞, L2 | m, 2⋅𝔻]", "𝕄 [L∞, U | m, 1⋅𝔻]", "𝕄 [L2, U | 1, 2⋅ℝ]"


def gradient(xs: str = XS, ys: str = YS, model: str = MODEL, loss: str = "LR", kinds: str = "m : ℕ") -> str:
    return f"sλ {kinds} . xs : {xs}, ys : {ys}, θ : {model} ⇒ ∇[{loss} | θ ; xs, ys]"


def test_what_fits_is_accepted() -> None:
    """The control of the refusals below."""
    assert accepted(gradient())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (gradient(model="𝕄 [L2, U | 2, 2⋅ℝ]"), "D0201"),
        (gradient(model="𝕄 [L∞, U | 1, 2⋅𝔻]"), "D0201"),
        (gradient(model="𝕄 [L2, U | 1, 3⋅ℝ]"), "D0208"),
        (gradient(ys="𝕄 [L∞, U | k, 1⋅𝔻]", kinds="m : ℕ, k : ℕ"), "D0208"),
        (gradient(ys="𝕄 [L∞, U | m, 2⋅𝔻]"), "D0216"),
        (gradient(ys="𝕄 [L∞, U | m, 1⋅ℝ]"), "D0216"),
        (gradient(xs="𝕄 [L2, L2 | m, 2⋅ℝ]"), "D0216"),
        (gradient(xs="𝕄 [L∞, L2 | m, a : 𝔻 ∷ b : ℝ ∷ []]"), "D0216"),
        (gradient(xs="𝕄 [L∞, L2 | m, a : 𝔻 ∷ b : 𝐝 ℕ ∷ []]"), "D0216"),
        (gradient(loss="LR, 1.0"), "D0216"),
        (gradient(loss="SOFTMAX"), "D0216"),
        (gradient(loss="NONE"), "D0108"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, code: str) -> None:
    assert errors(text) == (code,)


def test_the_number_of_a_loss_must_be_positive() -> None:
    assert errors(gradient(loss="HUBER, 0.0")) == ("D0501",)
    assert not errors(gradient(loss="HUBER, 0.5"))


def test_labels_whose_rows_are_not_those_of_the_features_move_by_themselves() -> None:
    """What a function makes of a table may have its rows in another order: one row of xs then moves two contributions."""
    table = "𝕄 [L∞, L2 | m, a : 𝔻 ∷ b : 𝔻 ∷ []]"
    text = f"sλ m : ℕ . xs : {table}, θ : {MODEL} ⇒ ∇[HINGE | θ ; xs, {{}}]"
    assert sensitivities(text.format("xs.[a]"))[0] == "2/m"
    chosen = f"let f = sλ m : ℕ . t : {table} ⇒ t.[a] in {text}"
    assert sensitivities(chosen.format("f xs"))[0] == "2 ⊓ 4/m"
