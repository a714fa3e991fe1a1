"""What Python and a notebook show of the values of the interface: one line, and HTML in which everything is escaped."""

import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import duetpy
from duetpy import DuetError
from duetpy.accounting.budget import parse_budget
from duetpy.ledger.store import Ledger, create
from tests.cli.programs import ALIGNED, MEAN
from tests.html import text_of_page

ROWS = [[20.0], [43.0]]
CANARY = "8675309"

TABLE = """\
pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  n ← laplace[ℝ⁺[1.0], ε] <xs> { real (rows xs) } ;
  m ← laplace[auto, ε] <xs> { mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 9.0] r.age } } ;
  return ⟨n, m⟩
"""


def the_values() -> Iterator[Any]:
    """One of each value that the interface returns."""
    program = duetpy.parse(MEAN, name="mean.eps.duet")
    checked = program.check()
    yield from (program, checked, *checked.parameters.values(), duetpy.parse(ALIGNED, notion="approx").check())
    yield from (program.compare({}), *checked.compare(ε=0.5).values(), *checked.compare().values())
    yield from next(iter(checked.compare(ε=0.5).values())).rows
    yield from (checked.why("table"), checked.calibrate("epsilon=1", "ε"))
    yield checked.run(table=ROWS, ε=0.5)
    yield checked.run(table=ROWS, ε=0.5, _insecure_noise="none")
    yield duetpy.parse(TABLE, name="two.eps.duet").check().run(xs=ROWS, ε=0.5)
    audit = checked.program.audit({"ε": 1}, trials=10)
    yield from (audit, *audit.layers)
    yield from (duetpy.parse("x +"), refusal("x +"), *refusal("x +").diagnostics, refusal("y"))


def refusal(text: str) -> DuetError:
    with pytest.raises(DuetError) as caught:
        duetpy.parse(text, name="bad.duet").check()
    return caught.value


def shown(value: Any) -> str:
    """The text of what a notebook shows."""
    return text_of_page(value._repr_html_())


def test_numbers_of_a_cost_are_a_dictionary_that_a_notebook_shows_as_a_table() -> None:
    checked = duetpy.parse(MEAN, name="mean.eps.duet").check()
    costs = checked.cost(ε=0.5)
    assert costs == {"table": {"epsilon": 0.5}, "ε": {"epsilon": 0.0}}
    assert repr(costs) == repr(dict(costs))
    assert "table" in shown(costs)
    assert "ε = 0.5" in shown(costs)
    assert "sensitivity 2" in shown(duetpy.parse("sλ x : ℝ ⇒ x + x").check().cost())


def test_parameters_are_found_under_either_spelling_and_a_misspelt_one_is_corrected() -> None:
    checked = duetpy.parse(MEAN, name="mean.eps.duet").check()
    assert checked.parameters["eps"] == checked.parameters["ε"]
    assert checked.cost(ε=0.5)["eps"] == {"epsilon": 0.0}
    with pytest.raises(KeyError, match="tabel; did you mean table"):
        checked.parameters["tabel"]
    with pytest.raises(DuetError, match="it declares m, ε, table; did you mean table"):
        checked.run(tabel=ROWS, ε=0.5)


def test_problems_are_counted() -> None:
    assert repr(duetpy.parse("x +")).endswith("; 1 problem>")
    assert repr(duetpy.parse("def x = ; def y = ; x")).endswith("; 2 problems>")


SUMS = """\
pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, pay : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  total ← laplace[auto, ε] <xs> { mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 1e5] r.pay } } ;
  return { total = total, half = total / 2.0, tiny = total / 1e12 }
"""


def test_large_numbers_are_shown_without_a_power_of_ten() -> None:
    """A released one as far as its error lets it be known, others to the whole number."""
    release = duetpy.parse(SUMS, name="sums.eps.duet").check().run(xs=[[1e5]] * 400, ε=1)
    total, half = release.result["total"], release.result["half"]
    assert abs(total - 4e7) < 1e7, "the noise is less than a quarter of the sum, but once in 10⁴³ runs"
    assert f">{total:.0f}<" in release._repr_html_()
    assert f">{half:.0f}<" in release._repr_html_()
    assert "e7" not in release._repr_html_()
    assert re.search(r">\d\.\d+e-5<", release._repr_html_()), "a small one has its power"


def test_every_value_has_a_short_line() -> None:
    for value in the_values():
        line = repr(value)
        assert "\n" not in line
        if not isinstance(value, duetpy.Diagnostic):
            assert re.fullmatch(rf"<{type(value).__name__}[ :].*>", line), line
            assert len(line) <= 240, line


def test_every_value_that_a_notebook_shows_is_well_formed_html() -> None:
    pages = [shown(value) for value in the_values() if hasattr(value, "_repr_html_")]
    assert len(pages) >= 12
    assert all(pages)


def test_a_checked_program_says_what_it_costs() -> None:
    checked = duetpy.parse(MEAN, name="mean.eps.duet").check()
    assert repr(checked) == "<Checked mean.eps.duet: ε-differential privacy; table costs ε>"
    assert "laplace" in shown(checked)
    assert "costs ε" in shown(checked)
    assert repr(checked.parameters["table"]) == "<Parameter table: costs ε = ε>"
    sensitive = duetpy.parse("sλ x : ℝ ⇒ x + x", name="f.duet").check()
    assert repr(sensitive) == "<Checked f.duet: x sensitivity 2>"
    assert repr(sensitive.parameters["x"]) == "<Parameter x: sensitivity 2>"


def test_a_release_says_what_was_found_and_what_protects_it() -> None:
    checked = duetpy.parse(TABLE, name="two.eps.duet").check()
    release = checked.run(xs=ROWS, ε=0.5)
    assert re.fullmatch(r"<Release of two.eps.duet: n = \S+, m = \S+; ε = 1 \(pure\)>", repr(release))
    page = shown(release)
    assert "n (± 5.9915, 95 %)" in page
    assert "is protected with ε = 1" in page
    assert repr(pickle.loads(pickle.dumps(release))) == repr(release)
    one = duetpy.parse(MEAN, name="mean.eps.duet").check().run(table=ROWS, ε=0.5)
    assert re.fullmatch(r"<Release of mean.eps.duet: \S+ +± \S+ \(95 %\); ε = 0.5 \(pure\)>", repr(one))


def test_an_insecure_release_shows_nothing_in_its_line_and_says_so_in_its_page() -> None:
    checked = duetpy.parse(
        "pλ ε : ℝ⁺ . x : 𝔻, ε : ℝ⁺[ε] ⇒ laplace[auto, ε] <x> { clip[0.0, 1e9] x }", name="x.eps.duet"
    ).check()
    release = checked.run(x=float(CANARY), ε=0.5, _insecure_noise="none")
    assert CANARY in release.to_json()
    assert repr(release) == "<Release of x.eps.duet: INSECURE, protects nobody>"
    assert "INSECURE" in shown(release)
    assert "protected with" not in shown(release)


def test_a_release_says_what_is_trusted() -> None:
    text = 'pλ x : 𝔻 ⇒ given[1.0] <x> { (opaque "math:fabs" : 𝔻 ⊸ 𝔻) x }'
    release = duetpy.parse(text, name="g.eps.duet").check().run(x=3.0, _trust=["math"])
    assert repr(release) == (
        "<Release of g.eps.duet: 3; ε = 1 (pure); trusted: the code of math:fabs, the release by given at line 1>"
    )


def test_a_refusal_says_its_first_error_and_how_many_more() -> None:
    assert repr(refusal("x + y")) == "<DuetError D0101: unknown name `x` (and 1 more)>"
    assert repr(refusal("x")) == "<DuetError D0101: unknown name `x`>"
    assert shown(refusal("x + y")).count("D0101") == 4


def test_names_and_texts_are_escaped() -> None:
    hostile = "pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, 1⋅𝐝 𝕊], ε : ℝ⁺[ε] ⇒\n"
    hostile += '  c ← laplace[auto, ε] <xs> { real (rows xs) } ; return ⟨"<b>&\\"", c⟩'
    name = "<script>alert(1)</script>\x1b[2J\n.eps.duet"
    program = duetpy.parse(hostile, name=name)
    checked = program.check()
    release = checked.run(xs=[["a"]], ε=1.0)
    for value in (
        program,
        checked,
        release,
        checked.calibrate("epsilon=1", "ε"),
        checked.why("xs"),
        checked.compare(ε=1)["xs"],
    ):
        shown(value)
        assert "\x1b" not in repr(value) + value._repr_html_()
        assert "<script" not in value._repr_html_()
        assert "\n" not in repr(value)
    assert '<b>&"' in shown(release)


def test_a_large_result_is_cut() -> None:
    text = "pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 2⋅𝔻], ε : ℝ⁺[ε] ⇒ mlaplace[auto, ε] <xs> { mconv (mclip[L1] xs) }"
    release = duetpy.parse(text, name="all.eps.duet").check().run(xs=[[0.1, 0.2]] * 100, ε=1.0)
    assert repr(release).startswith("<Release of all.eps.duet: 100 rows of column_1, column_2; ε = ")
    assert "40 more rows" in shown(release)


def test_a_ledger_says_its_file_and_no_key(tmp_path: Path) -> None:
    path = tmp_path / "people.ledger"
    create(path, parse_budget("epsilon=1"), "people")
    state = Ledger(path).state()
    assert repr(Ledger(path)) == f"<Ledger {path}>"
    assert repr(state) == "<State of people: 0 entries>"
