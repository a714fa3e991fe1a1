import re

import pytest

import duetpy
from duetpy.cli.console import Console
from duetpy.report.check_text import LONGEST, MOST_RELEASES, statement_text
from duetpy.report.comparison import INDENT, comparison_text


def text(program: str, verbose: bool = False, **settings: object) -> str:
    return statement_text(duetpy.parse(program, name="x.duet").state(settings), verbose)


def test_a_number_that_overflows_is_not_called_infinite() -> None:
    assert text("sλ . x : ℝ ⇒ (ℝ⁺[1e300] / ℝ⁺[1e-300]) ⋅ x") == "x.duet: ok\n  x   sensitivity 1e600\n"


def test_what_is_plain_is_said_once() -> None:
    assert text("sλ . x : ℝ ⇒ 2.0 ⋅ x") == "x.duet: ok\n  x   sensitivity 2\n"
    for hundredths in range(1, 400):
        assert text(f"sλ . x : ℝ ⇒ {hundredths / 100} ⋅ x").endswith(f"sensitivity {hundredths / 100:g}\n")
    assert text("sλ k : ℕ . x : ℝ, k : ℕ[k] ⇒ (real k) ⋅ x", k=3).splitlines()[1] == "  x   sensitivity k = 3"


def test_a_formula_that_nobody_reads_is_cut() -> None:
    variables = "abcdefgh"
    kinds = ", ".join(f"{name} : ℕ" for name in variables)
    factors = " ⋅ ".join(f"({' + '.join(variables)})" for _ in range(4))
    printed = text(f"sλ {kinds} . x : ℝ, y : ℝ⁺[{factors}] ⇒ y ⋅ x")
    first = printed.splitlines()[1]
    assert first.endswith("characters)")
    assert len(first) < LONGEST + 60


def test_what_is_printed_of_a_release_is_no_less_than_the_truth() -> None:
    mean = "(mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 100.0] r.a }) / real ℕ[m]"
    program = f"pλ xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ []], static ε : ℝ⁺ ⇒ laplace[auto, ε] <xs> {{ {mean} }}"
    assert "sensitivity 33.334, scale 33.3333, ±99.858 (95 %)" in text(program, m=3, ε=1)
    count = "laplace[auto, ε] <xs> { real (rows xs) }"
    loop = f"pλ xs : 𝕄 [L∞, U | ★, 1⋅𝔻], static ε : ℝ⁺ ⇒ loop 1234567 on 0.0 {{ i, z ⇒ {count} }}"
    assert "laplace at line 1, 1234567 times: sensitivity 1" in text(loop)


@pytest.mark.parametrize(("digits", "error"), [(3, "10.894"), (8, "17.301"), (150, "74.292"), (151, "∞")])
def test_the_error_of_all_entries_is_that_of_as_many_as_there_are(digits: int, error: str) -> None:
    """The largest of n entries of N(0, 4) is in 95 of 100 cases within 2z, 2Φ(−z) = 1 − 0.95^{1/n}."""
    table = "xs : 𝕄 [L∞, U | m, n⋅𝔻]"
    program = f"pλ m : ℕ, n : ℕ . {table}, static ρ : ℝ⁺ ⇒ mgauss[auto, ρ] <xs> {{ mconv (mclip[L1] xs) }}"
    printed = statement_text(duetpy.parse(program, notion="zcdp").state({"m": 10**digits, "n": 10**digits, "ρ": 0.5}))
    assert f"σ 2, ±{error} for all entries (95 %)" in printed


@pytest.mark.parametrize("power", ["1.1", "3", "5.9", "10.5", "19.0"])
def test_an_error_in_a_formula_is_no_less_than_in_numbers(power: str) -> None:
    program = f"pλ xs : 𝕄 [L∞, U | ★, 1⋅𝔻], static θ : ℝ⁺ ⇒ ggauss[auto, {power}, θ] <xs> {{ real (rows xs) }}"
    (found,) = duetpy.parse(program, notion="rao").state({"θ": 1}).released()
    number, _, below = str(found["error95"]).partition("/")
    assert below == "θ"
    assert isinstance(found["value"], dict)
    assert found["value"]["error95"] <= float(number) <= found["value"]["error95"] * (1 + 1e-4)


def test_many_releases_are_counted() -> None:
    binds = "".join(f"  y{i} ← laplace[ℝ⁺[1.0], ℝ⁺[0.01]] <x> {{ x }} ;\n" for i in range(30))
    program = f"pλ . x : ℝ ⇒\n{binds}  return y0\n"
    quiet, loud = text(program), text(program, verbose=True)
    assert quiet.count("release laplace at line") == MOST_RELEASES
    assert "  and 10 more releases (-v shows all)\n" in quiet
    assert loud.count("release laplace at line") == 30
    assert "costs ⟨0.3, 0⟩" in quiet


@pytest.mark.parametrize("notion", ["eps", "approx", "renyi", "zcdp", "tcdp", "gdp"])
def test_a_setting_is_never_told_to_be_released(notion: str) -> None:
    """An order of ∞ is the order of a cost of nothing."""
    program = duetpy.parse(
        "pλ ε : ℝ⁺ . x : ℝ, y : ℝ, ε : ℝ⁺[ε] ⇒ a ← laplace[1.0, ε] <x> { x } ; return a + y", notion=notion
    )
    lines = statement_text(program.state({}), False).splitlines()
    assert [line.split()[0] for line in lines if "not protected" in line] == ["y"]


@pytest.mark.parametrize("notion", ["eps", "approx", "zcdp", "gdp", "renyi", "tcdp"])
def test_several_tables_may_hold_one_person(notion: str) -> None:
    def told(parameters: str, tables: str) -> list[str]:
        """What the text and the tables of `check`, and those of `cost`, say of a person in several tables."""
        releases = "".join(f"{name} ← laplace[1, 0.5] <{name}> {{ real (rows {name}) }} ; " for name in tables)
        program = duetpy.parse(f"pλ {parameters} ⇒ {releases}return {' + '.join(tables)}", notion=notion)
        checked = program.check()
        compared = program.compare()
        places = (
            statement_text(checked.statement),
            checked._repr_html_(),
            comparison_text(compared, Console().answers_laid_out(INDENT)),
            *(unit._repr_html_() for unit in checked.compare().values()),
        )
        return ["".join(re.findall("rows in (.*?) is protected less than each", place)) for place in places]

    frame = "𝔻𝔽[age : 𝔻]"
    assert told(f"a : {frame}, b : {frame}", "ab") == ["both a and b"] * 5
    assert told(f"a : {frame}, b : {frame}, c : {frame}", "abc") == ["all of a, b and c"] * 6
    assert told(f"p : persons[id : 𝕊 | v : {frame}], a : {frame}", "pa") == ["both p and a"] * 5
    assert told(f"a : {frame}", "a") == [""] * 4
    assert told(f"⟨a : {frame}, b : {frame}⟩", "ab") == [""] * 4
