"""Foreign code as it runs: what it is given, what is done with what it returns, and what is said when it fails."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.diagnostics.error import DuetError

SECRET = "8675309"
TRUST = ("foreign_for_tests",)


def failing(x: Any) -> Any:
    raise ValueError(f"{x} {SECRET}")


def leaving(x: Any) -> Any:
    raise SystemExit(f"{x} {SECRET}")


@pytest.fixture(autouse=True)
def module() -> Iterator[ModuleType]:
    made = ModuleType(TRUST[0])
    vars(made).update(failing=failing, leaving=leaving, seen=[])
    sys.modules[TRUST[0]] = made
    yield made
    del sys.modules[TRUST[0]]


def value(text: str, **values: Any) -> Any:
    return duetpy.evaluate(text, _trust=TRUST, **values)


def code(text: str, how: dict[str, Any] | None = None, **values: Any) -> tuple[str, str]:
    with pytest.raises(DuetError) as caught:
        duetpy.evaluate(text, **(how if how is not None else {"_trust": TRUST}), **values)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic.code, str(caught.value) + repr(diagnostic)


def test_numbers_texts_pairs_sets_and_arrays_cross_both_ways(module: ModuleType) -> None:
    seen: list[Any] = []

    def echo(given: Any) -> Any:
        seen.append(given)
        return given

    module.__dict__["echo"] = echo
    for type_, given in [
        ("ℝ", 0.1),
        ("ℕ", 7),
        ("𝔹", True),
        ("𝕊", "text"),
        ("𝔻", -2.5),
        ("ℝ × 𝕊", (1.5, "a")),
        ("℘(ℕ)", frozenset({1, 2})),
        ("ℝ + ℕ", ("inr", 3)),
    ]:
        text = f'sλ x : {type_} ⇒ (opaque "{TRUST[0]}:echo" : ({type_}) ⊸ ({type_})) x'
        assert value(text, x=given) == given
        assert seen.pop() == given
    text = f'sλ n : ℕ . x : 𝕄 [L∞, U | 2, n⋅𝔻] ⇒ (opaque "{TRUST[0]}:echo" : ∀ k : ℕ . 𝕄 [L∞, U | 2, k⋅𝔻] ⊸ 𝕄 [L∞, U | 2, k⋅𝔻]) x'
    table = np.array([[4.0, 5.0, 6.0], [1.0, 2.0, 3.0]])
    assert np.array_equal(value(text, x=table), table)
    (crossed,) = seen
    assert isinstance(crossed, np.ndarray)
    crossed[0, 0] = 99.0
    assert table[0, 0] == 4.0, "what foreign code is given is its own"


def test_a_function_of_several_arguments_gets_them_in_order(module: ModuleType) -> None:
    module.__dict__["minus"] = lambda a, b, c: a - 10 * b + 100 * c
    text = f'sλ x : ℝ, y : ℝ, z : ℝ ⇒ (opaque "{TRUST[0]}:minus" : ℝ ⊸ ℝ ⊸ ℝ ⊸ ℝ) x y z'
    assert value(text, x=1.0, y=2.0, z=3.0) == 281.0


def test_a_row_body_calls_it_row_by_row(module: ModuleType) -> None:
    module.__dict__["double"] = lambda a: 2 * a
    call = f'(opaque "{TRUST[0]}:double" : 𝔻 ⊸ 𝔻)'
    rows = [[1.0], [2.0], [3.0]]
    head = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ "
    assert value(head + f"mmap xs {{ x ⇒ {call} x }}", xs=rows) == [[2.0], [4.0], [6.0]]
    assert value(head + f"mfilter xs {{ r ⇒ {call} (r#[0, 0]) < 5.0 }}", xs=rows) == [[1.0], [2.0]]
    fold = f"mfold-row 0.0, xs {{ a, r ⇒ a + clip[0.0, 9.0] ({call} (r#[0, 0])) }}"
    assert value(head + fold, xs=rows) == 12.0
    kept = f"let f = {call} in mfold-row 0.0, xs {{ a, r ⇒ 0.5 ⋅ a + clip[0.0, 9.0] (f (r#[0, 0])) }}"
    assert value(head + kept, xs=rows) == 8.5


def test_rows_whose_number_is_private_come_in_sorted_order(module: ModuleType) -> None:
    seen: list[Any] = []
    module.__dict__["look"] = lambda rows: seen.append(rows.tolist()) or 0.0
    text = f'sλ xs : 𝕄 [L∞, U | ★, 2⋅𝔻 else 0] ⇒ (opaque "{TRUST[0]}:look" : 𝕄 [L∞, U | ★, 2⋅𝔻 else 0] ⊸ 𝔻) xs'
    for rows in ([[2.0, 1.0], [1.0, 5.0], [1.0, 2.0]], [[1.0, 2.0], [2.0, 1.0], [1.0, 5.0]]):
        value(text, xs=rows)
    assert seen == [[[1.0, 2.0], [1.0, 5.0], [2.0, 1.0]]] * 2


@pytest.mark.parametrize(
    ("type_", "returned"),
    [
        ("ℝ", float("nan")),
        ("ℝ", "1.0"),
        ("ℕ", -1),
        ("ℕ", 0.5),
        ("𝕀[3]", 3),
        ("𝔹", 1),
        ("𝕊", 1),
        ("𝔻 × 𝔻", (1.0, 2.0, 3.0)),
        ("𝔻 + 𝔻", ("left", 1.0)),
        ("𝕄 [L∞, U | 1, 2⋅𝔻 else 0]", [[1.0]]),
        ("𝕄 [L∞, U | 1, 2⋅𝔻 else 0]", [[1.0, 2.0], [3.0, 4.0]]),
        ("𝕄 [L∞, L2 | 1, 2⋅𝔻 else 0]", [[1.0, 1.0]]),
        ("𝕄 [L∞, U | 1, 2⋅𝔻 else 0]", "/etc/hostname"),
        ("ℝ × 𝕄 [L∞, U | 1, 2⋅𝔻 else 0]", (1.0, [[1.0]])),
        ("𝔻", None),
    ],
)
def test_what_is_no_value_of_the_type_is_refused(module: ModuleType, type_: str, returned: object) -> None:
    module.__dict__["wrong"] = lambda x: returned
    text = f'sλ x : 𝔻 ⇒ (opaque "{TRUST[0]}:wrong" : 𝔻 ⊸ ({type_})) x'
    found, said = code(text, x=float(SECRET))
    assert found == "D0712"
    assert SECRET not in said


@pytest.mark.parametrize("name", ["failing", "leaving"])
def test_a_failure_says_nothing_of_the_values(name: str) -> None:
    found, said = code(f'sλ x : 𝔻 ⇒ (opaque "{TRUST[0]}:{name}" : 𝔻 ⊸ 𝔻) x', x=float(SECRET))
    assert found == "D0712"
    assert SECRET not in said


def test_nothing_is_imported_that_is_not_trusted() -> None:
    text = 'sλ x : 𝔻 ⇒ (opaque "this_would_print:f" : 𝔻 ⊸ 𝔻) x'
    assert code(text, {}, x=1.0)[0] == "D0710"
    assert code(text, {"_trust": ("this",)}, x=1.0)[0] == "D0710"
    assert code(text, {"_trust": ("this_would_print",)}, x=1.0)[0] == "D0711"


def test_a_check_imports_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loud_for_tests.py").write_text("raise RuntimeError\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    duetpy.parse('sλ x : 𝔻 ⇒ (opaque "loud_for_tests:f" : 𝔻 ⊸ 𝔻) x').check()
    assert "loud_for_tests" not in sys.modules


SUM = (
    "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ laplace[auto, 1.0] <xs> {{ mfold-row 0.0, xs "
    '{{ a, r ⇒ a + clip[0.0, 1.0] ((opaque "{}:{}" : 𝔻 ⊸ 𝔻) (r#[0, 0])) }} }}'
)


def test_a_run_that_fails_releases_nothing_unless_bad_rows_are_defaults() -> None:
    checked = duetpy.parse(SUM.format(TRUST[0], "failing"), notion="eps").check()
    rows = [[1.0], [2.0]]
    with pytest.raises(DuetError) as caught:
        checked.run(xs=rows, _trust=TRUST)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["D0712"]
    release = checked.run(xs=rows, _trust=TRUST, _on_bad_row="default", _insecure_noise="none")
    assert release.result == 0.0


@pytest.mark.parametrize(
    ("type_", "default"),
    [
        ("𝔻", 0.0),
        ("ℕ", 0),
        ("𝔹", False),
        ("𝕊", ""),
        ("𝕀[3]", 0),
        ("𝔻 × 𝕊", (0.0, "")),
        ("𝔻 + 𝕊", ("inl", 0.0)),
        ("℘(ℕ)", []),
        ("𝕄 [L∞, L2 | 2, 3⋅𝔻 else 0]", [[0.0] * 3] * 2),
        ("𝕄 [L∞, U | ★, 3⋅𝔻 else 0]", []),
    ],
)
def test_every_type_has_a_default(type_: str, default: object) -> None:
    text = f'pλ . x : 𝔻 ⇒ given[1.0] <x> {{ (opaque "{TRUST[0]}:failing" : 𝔻 ⊸ ({type_})) x }}'
    release = duetpy.parse(text, notion="eps").check().run(x=1.0, _trust=TRUST, _on_bad_row="default")
    assert release.result == default


def test_a_trusted_mechanism_is_reported_and_charged(module: ModuleType) -> None:
    module.__dict__["mean"] = lambda rows: float(rows.mean())
    text = (
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ "
        f'given[0.5] <xs> {{ (opaque "{TRUST[0]}:mean" : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⊸ ℝ) xs }}'
    )
    release = duetpy.parse(text, notion="eps").check().run(xs=[[1.0], [2.0]], _trust=TRUST)
    assert release.result == 1.5
    assert release.privacy["total"] == {"notion": "eps", "epsilon": 0.5}
    assert [done["mechanism"] for done in release.releases] == ["given"]


def test_a_table_that_is_used_twice_holds_one_answer_for_each_row(module: ModuleType) -> None:
    """Nothing promises that the function answers the same the next time."""
    seen: list[float] = []

    def counting(x: float) -> float:
        seen.append(x)
        return float(len(seen))

    module.__dict__["counting"] = counting
    total = "mfold-row 0.0, t { a, r ⇒ a + clip[0.0, 10.0] (r#[0, 0]) }"
    text = (
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ "
        f'let t = mmap xs {{ x ⇒ (opaque "{TRUST[0]}:counting" : 𝔻 ⊸ 𝔻) x }} in ⟨{total}, ⟨{total}, {total}⟩⟩'
    )
    assert value(text, xs=[[5.0], [7.0]]) == (3.0, (3.0, 3.0))
    assert len(seen) == 2
