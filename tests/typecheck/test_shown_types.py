"""What a type is printed as reads back as the type: what a person reads is what is proved, whatever names variables share."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from duetpy.grammar.ast import Norm
from duetpy.grammar.parser import parse_type_text
from duetpy.source import Source
from duetpy.typecheck import cost as costs
from duetpy.typecheck import elaborate
from duetpy.typecheck import types as t
from duetpy.typecheck.cells import may_be_missing
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, Kind, KindVar, Quantity, Signed, maximum, minimum
from duetpy.typecheck.show import show_type
from duetpy.typecheck.subtype import is_subtype
from duetpy.typecheck.surroundings import Surroundings
from tests import effort
from tests.typecheck.judging import accepted, judged

SIZE, BOUND, TYPE = (KindVar.fresh(name, kind) for name, kind in (("m", Kind.NAT), ("e", Kind.POS), ("a", Kind.TYPE)))
M, E = Quantity.var(SIZE), Quantity.var(BOUND)
SIZES = (ONE, Quantity.of(2), M, M + 1, maximum(M, Quantity.of(2)), minimum(M, Quantity.of(5)))
NUMBERS = (*SIZES, E, E / 2, (M + E).sqrt(), ONE / (M + E), Quantity.of(Fraction(1, 3)), Quantity.of("1e-9"))
CELLS = (t.NAT, t.REAL, t.BOOL, t.STR, t.DATE, t.DATA, t.Disc(t.NAT), t.Disc(t.Bounded(Fraction(-1), Fraction(1, 2))))
COUNT = 1_500 if effort.IS_THOROUGH else 400


def type_of(source: random.Random, depth: int) -> t.Type:
    """A random type over a size m, a number e and a type a; the functions in it bind names of their own, which may be m too."""

    def inner() -> t.Type:
        return type_of(source, depth - 1)

    made: list[Callable[[], t.Type]] = [
        lambda: source.choice(CELLS),
        lambda: t.StaticNat(source.choice(SIZES)),
        lambda: t.StaticReal(Signed(source.random() < 0.5, source.choice(NUMBERS))),
        lambda: t.Idx(source.choice(SIZES)),
        lambda: t.TypeVar(TYPE),
    ]
    if depth > 0:
        made += [
            lambda: _table(source, inner),
            lambda: source.choice((t.Sum, t.Product, t.With))(inner(), inner()),
            lambda: t.SetOf(_discrete(inner())),
            lambda: _discrete(inner()),
            lambda: next((t.Maybe(cell) for cell in (_discrete(inner()), inner()) if may_be_missing(cell)), t.DATA),
            lambda: t.Fun((), "x", inner(), source.choice((*NUMBERS, ZERO, INFINITY)), inner()),
            lambda: _over_sizes(source, inner),
            lambda: _private(source, inner),
        ]
    return source.choice(made)()


def _discrete(type_: t.Type) -> t.Type:
    return type_ if isinstance(type_, t.Disc) else t.Disc(type_)


def _table(source: random.Random, inner: Callable[[], t.Type]) -> t.Type:
    clip = source.choice((None, t.Clip(source.choice(list(Norm)), source.choice(NUMBERS))))
    named = zip(
        ("b", "in", "annual income", 'a "b"', None), [inner() for _ in range(source.randrange(1, 6))], strict=False
    )
    schemas = (
        t.Uniform(source.choice(SIZES), inner()),
        t.Columns(tuple(t.Column(name, type_) for name, type_ in named)),
        t.SchemaVar(TYPE, source.random() < 0.5),
    )
    return t.Matrix(source.choice(list(Norm)), clip, source.choice((None, *SIZES)), source.choice(schemas))


def _over_sizes(source: random.Random, inner: Callable[[], t.Type]) -> t.Type:
    own = KindVar.fresh(source.choice(("m", "m_2", "k")), Kind.NAT)
    table = t.Matrix(Norm.LINF, None, Quantity.var(own), t.Uniform(ONE, t.DATA))
    return t.Fun((own,), "x", table, source.choice(NUMBERS), source.choice((inner(), table)))


def _private(source: random.Random, inner: Callable[[], t.Type]) -> t.Type:
    priced = (costs.ZERO_COST, costs.NonPrivate(), costs.Given(Notion.APPROX, (E, Quantity.of("1e-6"))))
    parameters = [t.PrivateParameter("x", inner(), source.choice(priced), at) for at in range(source.randrange(1, 4))]
    own = source.choice(((), (KindVar.fresh("e", Kind.POS),)))
    return t.PFun(own, tuple(parameters), inner(), Notion.APPROX)


def read_back(text: str) -> t.Type:
    written, problems = parse_type_text(Source("type", text))
    assert written is not None, text
    assert not problems, text
    surroundings = Surroundings(Notion.APPROX)
    with surroundings.scope.binding_kinds({variable: variable.name for variable in (SIZE, BOUND, TYPE)}):
        read = elaborate.type_(surroundings, written)
    assert not surroundings.diagnostics, text
    return read


@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_type_reads_back_as_itself(ascii_only: bool) -> None:
    for seed in range(COUNT):
        source = random.Random(seed)
        type_ = type_of(source, source.randrange(4))
        text = show_type(type_, ascii_only)
        read = read_back(text)
        assert is_subtype(type_, read), text
        assert is_subtype(read, type_), text


HIDING = """
sλ eps : ℝ⁺ . first : ℝ⁺[eps] ⇒ pλ eps : ℝ⁺ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], second : ℝ⁺[eps] ⇒
  a ← laplace[1, first] <xs> { real (rows xs) } ;
  laplace[1, second] <xs> { real (rows xs) }
  ensures ε ≤ eps
"""


def test_a_variable_that_hides_another_one_is_called_otherwise() -> None:
    typed = judged(HIDING, Notion.PURE)
    assert typed.ok
    assert [promise.show() for promise in typed.promises] == ["ε ≤ eps_2"]
    assert [release.atom.params[0].show() for release in typed.releases] == ["eps", "eps_2"]


def test_a_cost_is_not_that_of_the_variable_that_hides_its_own() -> None:
    type_ = accepted(
        "sλ eps : ℝ⁺ . e : ℝ⁺[eps] ⇒ pλ eps : ℝ⁺ . x : ℝ, f : ℝ⁺[eps] ⇒ laplace[1, e] <x> { x }", Notion.PURE
    )
    assert show_type(type_) == "∀ eps : ℝ⁺ . ℝ⁺[eps] ⊸[0] ∀ eps_2 : ℝ⁺ . ℝ@eps, ℝ⁺[eps_2]@0 ⊸⋆ ℝ"


def test_two_sizes_of_one_name_are_told_apart() -> None:
    (found,) = judged(
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ sλ m : ℕ . ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ mmap xs, ys { a, b ⇒ a + b }"
    ).diagnostics
    assert found.label == "𝕄 [L∞, U | m, 1⋅𝔻] and 𝕄 [L∞, U | m_2, 1⋅𝔻]"
    assert found.notes == ("m_2 is the inner one of two variables with the name m: give it a name of its own",)


def test_what_a_call_leaves_open_is_told_apart_from_what_it_puts_in() -> None:
    (found,) = judged(
        "let f = sλ m : ℕ, k : ℕ . ys : 𝕄 [L∞, U | k, 1⋅𝔻], zs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ ys in\n"
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ f xs + 1"
    ).diagnostics
    assert "∀ m_2 : ℕ . 𝕄 [L∞, U | m_2, 1⋅𝔻] ⊸[0] 𝕄 [L∞, U | m, 1⋅𝔻]" in found.message


def test_a_name_of_an_inner_scope_is_free_again_outside() -> None:
    text = "let f = sλ m : ℕ . t : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ t in sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ f xs"
    assert show_type(accepted(text)) == "∀ m : ℕ . 𝕄 [L∞, U | m, 1⋅𝔻] ⊸[1] 𝕄 [L∞, U | m, 1⋅𝔻]"


def test_a_function_that_waits_for_its_first_use_hides_nothing_that_is_bound_there() -> None:
    (found,) = judged(
        "let f = (sλ m : ℕ . t, u : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ u + t) in sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], y : ℝ ⇒ f y"
    ).diagnostics
    assert "+ does not take 𝕄 [L∞, U | m, 1⋅𝔻] and ℝ" in found.message


def test_aligned_parameters_are_shown_as_one_that_costs_once() -> None:
    text = """
    let use = sλ f : (∀ . 𝕄 [L∞, U | 3, 1⋅𝔻]@1, 𝕄 [L∞, U | 3, 1⋅𝔻]@1 ⊸⋆ ℝ) ⇒ 1.0 in
    use (pλ ⟨xs : 𝕄 [L∞, U | 3, 1⋅𝔻], ys : 𝕄 [L∞, U | 3, 1⋅𝔻]⟩ ⇒ laplace[1, 1] { clip[0, 1] xs#[0, 0] })
    """
    (found,) = judged(text, Notion.PURE).diagnostics
    assert found.label == "has type ⟨𝕄 [L∞, U | 3, 1⋅𝔻], 𝕄 [L∞, U | 3, 1⋅𝔻]⟩@1 ⊸⋆ ℝ"
    assert found.help.startswith("declare its parameters one by one")


def test_functions_that_are_written_alike_are_told_apart() -> None:
    table = "𝕄 [L∞, U | m, 1⋅𝔻]"
    (found,) = judged(
        f"sλ x : ℝ ⇒ let h = loop 2 on (sλ m : ℕ . a : {table}, b : {table} ⇒ 0.0) {{ i, h ⇒ "
        f"(sλ m : ℕ . a : {table} ⇒ sλ b : {table} ⇒ 0.0) }} in x"
    ).diagnostics
    assert any("sλ a, b ⇒ …, is not one that returns a function" in note for note in found.notes)
    assert found.help == "write both functions in the same way"


@pytest.mark.parametrize(
    ("text", "called"),
    [
        # m_2 is a variable of the program: a third name is found, or nothing is said of it.
        (
            "let f = sλ m_2 : ℕ . t : 𝕄 [L∞, U | m_2, 1⋅𝔻] ⇒ t in "
            "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ sλ m : ℕ . ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ ys + 1",
            "m_3",
        ),
        (
            "let f = sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ sλ m : ℕ . ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ ys in "
            "sλ m_2 : ℕ . t : 𝕄 [L∞, U | m_2, 1⋅𝔻] ⇒ t + 1",
            "",
        ),
    ],
)
def test_a_name_that_the_program_has_is_not_said_to_be_that_of_another(text: str, called: str) -> None:
    (found,) = judged(text).diagnostics
    assert [note.partition(" ")[0] for note in found.notes] == ([called] if called else [])
