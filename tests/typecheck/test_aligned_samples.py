"""Aligned tables of unknown size, and Poisson samples of them: one row of all tables is added or removed."""

from __future__ import annotations

from typing import Any

import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.typecheck import types as t
from duetpy.typecheck.cost import Atom, Sampled, is_unbounded
from duetpy.typecheck.notions import Notion
from tests.typecheck.judging import accepted, costs, errors, judged

PURE = Notion.PURE
HEAD = "pλ . ⟨xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻]⟩ ⇒ "
APART = "pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ "
SUM = "mfold-row 0.0, {0} {{ a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }}"
BOTH = f"laplace[auto, 1.0] <x, y> {{ ({SUM.format('x')}) + ({SUM.format('y')}) }}"


def sensitivity_of_release(text: str) -> str:
    typed = duetpy.parse(text, notion="eps").typed
    assert typed is not None
    assert typed.ok, typed.diagnostics
    (site,) = typed.releases
    return site.sensitivity.show()


def test_the_body_sees_one_input_and_it_is_amplified_once() -> None:
    first, second = costs(HEAD + f"poisson[0.1] xs, ys {{ x, y ⇒ {BOTH} }}", PURE)
    assert first == second
    assert isinstance(first, Sampled)
    assert first.scheme == "poisson"
    assert isinstance(first.body, Atom)


def test_a_row_more_moves_every_view_of_it() -> None:
    assert sensitivity_of_release(HEAD + f"poisson[0.1] xs, ys {{ x, y ⇒ {BOTH} }}") == "2"
    assert sensitivity_of_release(HEAD + "laplace[auto, 1.0] <xs, ys> { real (rows xs) + real (rows ys) }") == "2"


def test_views_of_views_are_views() -> None:
    text = HEAD + f"poisson[0.1] (mclip[L2] xs), ys {{ x, y ⇒ {BOTH} }}"
    assert isinstance(costs(text, PURE)[0], Sampled)
    text = HEAD + f"poisson[0.5] xs, ys {{ u, v ⇒ poisson[0.1] u, v {{ x, y ⇒ {BOTH} }} }}"
    (first, _) = costs(text, PURE)
    assert isinstance(first, Sampled)
    assert isinstance(first.body, Sampled)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # Different people, and no pairs: a row removed from xs alone would shift all of them.
        (APART + f"poisson[0.1] xs, ys {{ x, y ⇒ {BOTH} }}", "D0425"),
        # A selection has other rows, in other places.
        (HEAD + f"poisson[0.1] (mfilter xs {{ r ⇒ (r#[0, 0]) < 1.0 }}), ys {{ x, y ⇒ {BOTH} }}", "D0425"),
        # Two samples are of different rows.
        (
            HEAD + f"poisson[0.5] xs {{ u ⇒ poisson[0.5] ys {{ v ⇒ poisson[0.1] u, v {{ x, y ⇒ {BOTH} }} }} }}",
            "D0425",
        ),
        (HEAD + f"poisson[0.5] xs {{ u ⇒ poisson[0.1] u, ys {{ x, y ⇒ {BOTH} }} }}", "D0425"),
        # A replaced row is two steps of this relation.
        (
            f"pλ m : ℕ . ⟨xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻]⟩ ⇒ poisson[0.1] xs, ys {{ x, y ⇒ {BOTH} }}",
            "D0425",
        ),
        (HEAD + f"sample[ℕ[1]] xs, ys {{ x, y ⇒ {BOTH} }}", "D0425"),
        (HEAD + f"poisson[1.5] xs, ys {{ x, y ⇒ {BOTH} }}", "D0501"),
        ("pλ m : ℕ . ⟨xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻]⟩ ⇒ return 1.0", "D0415"),
        ("pλ . ⟨xs : 𝕄 [L2, U | ★, 1⋅ℝ], ys : 𝕄 [L∞, U | ★, 1⋅𝔻]⟩ ⇒ return 1.0", "D0415"),
        # A gradient of each row needs partners as well.
        (
            "pλ . θ : 𝕄 [L2, U | 1, 1⋅ℝ], xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ "
            "laplace[auto, 1.0] <xs, ys> { real (rows (row∇[LR | θ ; xs, ys])) }",
            "D0305",
        ),
        # Of a model that all rows move, no gradient is that of one row.
        (
            HEAD + "let θ = mcreate[L2 | ℕ[1], cols xs] { i, j ⇒ real (rows xs) } in "
            f"poisson[0.1] (row∇[LR | θ ; xs, ys]), xs {{ x, y ⇒ {BOTH} }}",
            "D0425",
        ),
        # The mean gradient divides by a number of rows that nobody may know.
        (
            "pλ . θ : 𝕄 [L2, U | 1, 1⋅ℝ], ⟨xs : 𝕄 [L∞, L2 | ★, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻]⟩ ⇒ "
            "mlaplace[auto, 1.0] <xs, ys> { renorm[L1] (∇[LR | θ ; xs, ys]) }",
            "D0305",
        ),
        # Zipped rows of unknown number are no aligned views.
        (HEAD + "laplace[auto, 1.0] <xs, ys> { real (rows (zip[mfilter xs { r ⇒ true }, ys])) }", "D0305"),
    ],
)
def test_rows_without_partners_are_refused(text: str, code: str) -> None:
    assert code in errors(text, PURE)


@pytest.mark.parametrize(
    "body",
    [
        "poisson[0.1] xs, ys { x, y ⇒ return rows x }",
        "poisson[0.1] xs, ys { x, y ⇒ laplace[1.0, 1.0] <x> { real (rows x) + real (rows xs) } }",
        "poisson[0.1] xs, ys { x, y ⇒ let z = box y in laplace[1.0, 1.0] <x> { real (rows x) + real (rows (unbox z)) } }",
        "let f = sλ . u : ℝ ⇒ u + real (rows ys) in poisson[0.1] xs, ys { x, y ⇒ laplace[1.0, 1.0] <x> { f (real (rows x)) } }",
    ],
)
def test_what_is_not_drawn_is_not_amplified(body: str) -> None:
    typed = duetpy.parse(HEAD + body, notion="eps").typed
    assert typed is not None
    if typed.ok:
        type_ = accepted(HEAD + body, PURE)
        assert isinstance(type_, t.PFun)
        assert any(is_unbounded(parameter.cost) for parameter in type_.parameters)
    else:
        assert {d.code for d in typed.diagnostics if d.is_error} <= {"D0103", "D0311"}


@pytest.mark.parametrize(
    ("sizes", "said"), [("mn★", "m and n and ★"), ("★mn", "★ and m and n"), ("n★m", "n and ★ and m")]
)
def test_numbers_of_rows_are_named_in_the_order_written(sizes: str, said: str) -> None:
    tables = ", ".join(f"{name} : 𝕄 [L∞, U | {size}, 1⋅𝔻]" for name, size in zip("xyz", sizes, strict=True))
    (found,) = judged(f"pλ m : ℕ, n : ℕ . ⟨{tables}⟩ ⇒ return 1.0", PURE).diagnostics
    assert (found.code, found.message) == ("D0415", f"aligned tables must have the same number of rows, not {said}")


CALLED = (
    "let both = pλ . ⟨a : 𝕄 [L∞, U | ★, 1⋅𝔻], b : 𝕄 [L∞, U | ★, 1⋅𝔻]⟩ ⇒ "
    "laplace[auto, 1.0] <a, b> { real (rows a) + real (rows b) } in "
)


def test_a_call_wants_tables_whose_rows_belong_together() -> None:
    assert "D0415" in errors(CALLED + APART + "both@[ . xs, ys]", PURE)
    assert "D0415" in errors(CALLED + HEAD + "both@[ . xs, mfilter ys { r ⇒ true }]", PURE)
    (first, second) = costs(CALLED + HEAD + "both@[ . xs, ys]", PURE)
    assert first == second
    assert isinstance(first, Atom)


DESCENT = """pλ n : ℕ . ⟨xs : 𝕄 [L∞, U | ★, n⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻]⟩ ⇒
  let θ = mcreate[L2 | ℕ[1], cols xs] { i, j ⇒ 0.0 } in
  poisson[RATE] xs, ys { x, y ⇒
    mgauss[auto, 1.0, 1e-6] <x, y> {
      mfold-row θ, (mconv (mclip[L2] (row∇[LR | θ ; x, y]))) { sum, row ⇒ mmap sum, row { a, b ⇒ a + b } }
    } }"""


def run(text: str, how: dict[str, Any] | None = None, **values: object) -> Any:
    return duetpy.parse(text, notion="approx").check().run(**({"_insecure_noise": "none"} | (how or {})), **values)


def test_gradients_of_the_rows_that_were_drawn() -> None:
    release = run(DESCENT.replace("RATE", "1.0"), xs=[[0.6, 0.8], [0.0, 1.0]], ys=[[1.0], [-1.0]])
    # At θ = 0 a row contributes −y⋅x/2, which is no longer than 1.
    assert release.result == [pytest.approx([-0.3, 0.1])]
    assert release.privacy["neighbours"] == "add-remove"


def test_a_sample_may_be_empty() -> None:
    release = run(DESCENT.replace("RATE", "1e-9"), {"_insecure_noise": 3}, xs=[[0.6, 0.8]], ys=[[1.0]])
    assert len(release.result[0]) == 2


def test_the_same_rows_of_all_tables_are_drawn() -> None:
    text = (
        "pλ . ⟨xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻]⟩ ⇒ poisson[0.5] xs, ys { x, y ⇒ "
        f"given[1.0, 1e-6] <x, y> {{ ⟨{SUM.format('x')}, {SUM.format('y')}⟩ }} }}"
    )
    rows = [[at / 64] for at in range(64)]
    for seed in range(5):
        first, second = run(text, {"_insecure_noise": seed}, xs=rows, ys=rows).result
        assert first == second
        assert 0 < first < sum(row[0] for row in rows)


def test_a_run_wants_as_many_rows_of_all() -> None:
    with pytest.raises(DuetError) as caught:
        run(DESCENT.replace("RATE", "0.5"), xs=[[0.6, 0.8]] * 3, ys=[[1.0]] * 2)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "D0612"
    assert "3" not in diagnostic.message + diagnostic.help
