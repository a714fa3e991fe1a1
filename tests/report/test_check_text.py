import pytest

import duetpy
from duetpy.report.check_text import LONGEST, MOST_RELEASES, statement_text


def text(program: str, verbose: bool = False, **settings: object) -> str:
    return statement_text(duetpy.parse(program, name="x.duet").state(settings), verbose)


def test_a_number_that_overflows_is_not_called_infinite() -> None:
    assert text("sλ . x : ℝ ⇒ (ℝ⁺[1e300] / ℝ⁺[1e-300]) ⋅ x") == "x.duet: ok\n  x   sensitivity 1e600\n"


def test_what_is_plain_is_said_once() -> None:
    assert text("sλ . x : ℝ ⇒ 2.0 ⋅ x") == "x.duet: ok\n  x   sensitivity 2\n"
    assert text("sλ k : ℕ . x : ℝ, k : ℕ[k] ⇒ (real k) ⋅ x", k=3).splitlines()[1] == "  x   sensitivity k = 3"


def test_a_formula_that_nobody_reads_is_cut() -> None:
    variables = "abcdefgh"
    kinds = ", ".join(f"{name} : ℕ" for name in variables)
    factors = " ⋅ ".join(f"({' + '.join(variables)})" for _ in range(4))
    printed = text(f"sλ {kinds} . x : ℝ, y : ℝ⁺[{factors}] ⇒ y ⋅ x")
    first = printed.splitlines()[1]
    assert first.endswith("characters)")
    assert len(first) < LONGEST + 60


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
    def told(parameters: str, tables: str) -> str:
        releases = "".join(f"{name} ← laplace[1, 0.5] <{name}> {{ real (rows {name}) }} ; " for name in tables)
        program = duetpy.parse(f"pλ {parameters} ⇒ {releases}return {' + '.join(tables)}", notion=notion)
        return statement_text(program.check().statement)

    frame = "𝔻𝔽[age : 𝔻]"
    assert "rows in both a and b is protected less than each" in told(f"a : {frame}, b : {frame}", "ab")
    assert "rows in all of a, b and c is protected less than each" in told(
        f"a : {frame}, b : {frame}, c : {frame}", "abc"
    )
    assert "is protected less" not in told(f"a : {frame}", "a")
    assert "is protected less" not in told(f"⟨a : {frame}, b : {frame}⟩", "ab")
