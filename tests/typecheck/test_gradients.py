"""Gradients: what fits together, and whose rows move what."""

from fractions import Fraction

import pytest

from duetpy.typecheck.quantity import Quantity
from tests.soundness.broken.digits import CONTRACTION
from tests.soundness.evaluated import by_evaluator
from tests.soundness.falsify import program
from tests.soundness.mutants import planted
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


ABOVE, BELOW = f"1.{'0' * 37}1", f"0.{'9' * 38}"


def stepped(length: str, weakening: str) -> str:
    """A step of which η⋅λ is 1 − 10^-76, on rows of length 10^-38."""
    return f"""sλ y : ℝ ⇒
      let θ = mcreate[L2 | ℕ[1], ℕ[1]] {{ i, j ⇒ y }} in
      let xs = mcreate[L∞ | ℕ[1], ℕ[1]] {{ i, j ⇒ disc 0.0 }} in
      (step∇[LR, {length}, {weakening} | θ ; mclip[L2, 1e-38] xs, xs])#[0, 0]"""


def moves_further(text: str) -> bool:
    """Whether a model moves further than is claimed."""
    claim = program(text)
    first, second = (by_evaluator(claim)({}, [Fraction(each)]) for each in (0, 1))
    most = claim.parameters[-1].sensitivity.evaluate({}, up=True)
    return abs(Fraction(first) - Fraction(second)) > most * (1 + Fraction(1, 1 << 40))


ROOTS = stepped(f"ℝ⁺[{ABOVE} ⋅ √2]", f"ℝ⁺[{BELOW} / √2]")


def test_a_step_of_a_length_that_a_run_knows_to_some_digits_contracts_as_claimed() -> None:
    assert not moves_further(ROOTS)


def test_a_step_of_a_length_that_a_function_is_given_contracts_as_claimed() -> None:
    """What a call puts in may be a root, and then a run knows a and 1/a to so many digits, of which the product is no 1."""
    step = stepped("a", f"ℝ⁺[{BELOW} ⋅ {ABOVE} / a]").replace("sλ y : ℝ ⇒", "sλ a : ℝ⁺ . y : ℝ, a : ℝ⁺[a] ⇒")
    called = f"let f = {step} in sλ y : ℝ ⇒ f y ℝ⁺[√2]"
    assert not moves_further(called)
    with planted(CONTRACTION):
        assert moves_further(called)


def test_a_step_of_a_length_that_a_run_knows_contracts_by_1_less_it() -> None:
    claim = program(stepped(ABOVE, BELOW))
    assert claim.parameters[-1].sensitivity == Quantity.of(Fraction(1, 10**76))
    assert not moves_further(stepped(ABOVE, BELOW))


def test_a_step_that_contracts_by_what_a_run_does_not_know_is_found() -> None:
    with planted(CONTRACTION):
        assert moves_further(ROOTS)
