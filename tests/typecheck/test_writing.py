"""The core of a program, printed, is a program: it has the same type, costs and releases, and its own core prints the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

import duetpy
from duetpy.grammar import ast
from duetpy.grammar.pretty import show_file
from duetpy.program import Program
from duetpy.report import core_text as printing
from duetpy.report.core_text import core_text
from duetpy.typecheck import core
from duetpy.typecheck.agreement import proves_the_same
from duetpy.typecheck.check import Typed
from duetpy.typecheck.lowering import MARK
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.writing import Writer
from tests.effort import often
from tests.soundness.generate import random_program
from tests.soundness.generate_boxed import random_boxed_program
from tests.soundness.generate_conditions import random_conditions, random_released_conditions
from tests.soundness.generate_drawn import random_drawn_program
from tests.soundness.generate_functions import random_function_program
from tests.soundness.generate_hiding import random_hiding_program
from tests.soundness.generate_private import random_private_program, random_sampling_program

ROOT = Path(__file__).parents[2]
MISTAKES = ROOT / "examples" / "mistakes"
PROGRAMS = sorted(
    path
    for folder in (ROOT / "examples", ROOT / "tests" / "cases" / "good", ROOT / "tests" / "grammar" / "programs")
    for path in folder.rglob("*.duet")
)


def typed_of(program: Program) -> Typed:
    assert program.typed is not None
    return program.typed


def typed(text: str, notion: str | None = None) -> Typed:
    return typed_of(duetpy.parse(text, notion=notion))


def printed(text: str, notion: str | None = None) -> str:
    """What is printed of a program, without its first line."""
    found = core_text(typed(text, notion))
    assert isinstance(found, str), found.label
    return found.split("\n", 2)[2].removesuffix("\n")


def reprinted(program: Typed) -> Typed:
    """The printed core, checked; it proves the same, and prints the same."""
    text = core_text(program)
    assert isinstance(text, str), text.label
    again = duetpy.parse(text, name="<core>")
    assert again.syntax == ()
    assert [found.code for found in typed_of(again).diagnostics if found.is_error] == []
    assert core_text(typed_of(again)) == text
    # A name that two binders have is marked in the core, but for those of foreign functions, which have none.
    bound = {name for node in core.nodes(typed_of(again).core) for _, names in core.scopes(node) for name in names}
    assert not any(MARK in name for name in bound if not name.startswith(MARK))
    return typed_of(again)


def accepted(path: Path, notion: str | None = None) -> Program | None:
    program = duetpy.load(str(path), notion=notion)
    return None if program.typed is None or program.typed.type is None else program


# ---------------------------------------------------------------------------------------------------------------------
# All programs


@pytest.mark.sparse(6)
@pytest.mark.parametrize("path", PROGRAMS, ids=[str(path.relative_to(ROOT)) for path in PROGRAMS])
def test_a_printed_core_proves_the_same(path: Path) -> None:
    # A part that others import states no notion.
    program = accepted(path, "approx" if path.name.endswith(".part.duet") else None)
    if program is None:
        assert "cases/good" not in str(path)
        return
    again = duetpy.parse(str(core_text(typed_of(program))), name="<core>")
    assert proves_the_same(typed_of(program), reprinted(typed_of(program)))
    before, after = program.state(), again.state()
    assert after.notion_origin == "notion line"
    for told in ("notion", "type", "parameters", "result", "requires", "neighbours", "foreign"):
        assert getattr(after, told) == getattr(before, told)
    assert [site.mechanism for site in after.releases] == [site.mechanism for site in before.releases]


@pytest.mark.parametrize("notion", list(Notion), ids=[notion.value for notion in Notion])
def test_it_does_in_every_notion(notion: Notion) -> None:
    count = 0
    for path in PROGRAMS[:: len(PROGRAMS) // often(len(PROGRAMS) // 3, 15)]:
        program = accepted(path, notion.value)
        if program is not None:
            count += 1
            assert proves_the_same(typed_of(program), reprinted(typed_of(program)))
    assert count > 5


RANDOM: dict[str, tuple[Callable[[int], ast.File | str], Notion]] = {
    "sensitivity": (random_program, Notion.APPROX),
    "private, eps": (lambda seed: random_private_program(seed, Notion.PURE), Notion.PURE),
    "private, ed": (lambda seed: random_private_program(seed, Notion.APPROX), Notion.APPROX),
    "private, zcdp": (lambda seed: random_private_program(seed, Notion.ZCDP), Notion.ZCDP),
    "functions": (lambda seed: random_function_program(seed, Notion.GDP), Notion.GDP),
    "sampling": (random_sampling_program, Notion.PURE),
    "boxes": (random_boxed_program, Notion.PURE),
    "drawn": (lambda seed: random_drawn_program(seed, 1).text, Notion.PURE),
    "hiding": (lambda seed: random_hiding_program(seed, 1, Notion.PURE).text, Notion.PURE),
    "conditions": (random_conditions, Notion.ZCDP),
    "conditions, released": (random_released_conditions, Notion.PURE),
}


@pytest.mark.parametrize("kind", list(RANDOM))
def test_the_core_of_random_programs_proves_the_same(kind: str) -> None:
    made, notion = RANDOM[kind]
    seeds = range(often(80, 10))
    # Read from text, because a random tree may hold one node twice.
    texts = [tree if isinstance(tree := made(seed), str) else show_file(tree) for seed in seeds]
    told = [program for text in texts if (program := typed(text, notion.value)).type is not None]
    for program in told:
        assert proves_the_same(program, reprinted(program))
    assert len(told) > len(seeds) / 4


# ---------------------------------------------------------------------------------------------------------------------
# What is compared

NOISY = "pλ ε : ℝ⁺ . x : ℝ, y : ℝ, ε : ℝ⁺[ε] ⇒ a ← laplace[2.0, ε] <x> { x }; laplace[2.0, ε] <y> { y }"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("laplace[2.0, ε] <x>", "laplace[3.0, ε] <x>"),
        ("laplace[2.0, ε] <x>", "laplace[2.0, 2.0 ⋅ ε] <x>"),
        ("a ← laplace[2.0, ε] <x> { x };", "a ← loop 2 on 0.0 <x> { i, s ⇒ laplace[2.0, ε / 2.0] <x> { x } };"),
        ("{ y }", "{ 0.5 ⋅ y }"),
        ("laplace[2.0, ε] <y>", "dlaplace[2.0, ε] <y>"),
        ("{ y }", "{ y + x }"),
        ("y : ℝ, ε", "y : ℝ, z : 𝔻, ε"),
        ("y : ℝ, ε", "z : ℝ, ε"),
    ],
)
def test_programs_that_prove_something_else_are_told_apart(old: str, new: str) -> None:
    assert proves_the_same(typed(NOISY, "eps"), typed(NOISY, "eps"))
    changed = NOISY.replace(old, new).replace("<y> { y }", "<z> { z }" if new.startswith("z :") else "<y> { y }")
    if old == "laplace[2.0, ε] <y>":
        changed = changed.replace("y : ℝ", "y : ℕ")
    other = typed(changed, "eps")
    assert other.type is not None
    assert not proves_the_same(typed(NOISY, "eps"), other)


AT_A_CALL = """sλ m : ℕ . t : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
  let f = (sλ m : ℕ, k : ℕ . u : 𝕄 [L∞, U | m, 1⋅𝔻], k : ℕ[k] ⇒ if rows u < k then disc 0.0 else u#[k, 0]) t in f 3"""
PROMISING = """pλ m : ℕ . t : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
  let f = pλ m : ℕ, e : ℝ⁺ . t : 𝕄 [L∞, U | m, 1⋅𝔻], e : ℝ⁺[e] ⇒ laplace[1.0, e] <t> { clip[0.0, 1.0] t#[0, 0] } ensures ε ≤ 2 in
  return f"""


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (AT_A_CALL, "f 3", "f 4"),
        (AT_A_CALL, "u#[k, 0]", "u#[k + 1, 0]"),
        (AT_A_CALL, "rows u < k", "rows u ≤ k"),
        (PROMISING, "ε ≤ 2", "ε ≤ 3"),
        (PROMISING, "t#[0, 0]", "t#[1, 0]"),
    ],
)
def test_what_is_demanded_of_numbers_is_compared(text: str, old: str, new: str) -> None:
    program = typed(text, "eps")
    assert proves_the_same(program, reprinted(program))
    other = typed(text.replace(old, new), "eps")
    assert other.type is not None
    assert not proves_the_same(program, other)


def test_other_notions_and_other_units_are_told_apart() -> None:
    text = "pλ m : ℕ . ⟨xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻]⟩ ⇒ laplace[1, ℝ⁺[1]] <xs, ys> { rows xs }"
    text = text.replace("rows xs", "mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] r#[0, 0] }")
    apart = text.replace("⟨", "").replace("⟩", "")
    assert proves_the_same(typed(text, "eps"), typed(text, "eps"))
    assert not proves_the_same(typed(text, "eps"), typed(apart, "eps"))
    assert not proves_the_same(typed(text, "eps"), typed(text, "ed"))


def test_what_is_not_proved_to_be_the_same_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A printer that doubles what ``auto`` stands for."""
    program = typed("pλ . x : ℝ ⇒ laplace[auto, ℝ⁺[1.0]] <x> { 3.0 ⋅ x }", "eps")
    assert isinstance(core_text(program), str)
    right = Writer.inferred

    def wrong(writer: Writer, node: core.Mechanism) -> ast.SExp | None:
        return right(writer, evolve(node, site=evolve(node.site, sensitivity=node.site.sensitivity * 2)))

    monkeypatch.setattr(Writer, "inferred", wrong)
    refused = core_text(program)
    assert not isinstance(refused, str)
    assert (refused.code, refused.is_error) == ("D0092", True)


def test_what_does_not_check_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "show_file", lambda file: "1 + true\n")
    refused = core_text(typed("sλ . x : ℝ ⇒ x"))
    assert not isinstance(refused, str)
    assert refused.code == "D0092"


# ---------------------------------------------------------------------------------------------------------------------
# What is printed


def test_the_notion_comes_first() -> None:
    text = core_text(typed("sλ . x : ℝ ⇒ x", "zcdp"))
    assert text == "notion zcdp;\n\nsλ . x : ℝ ⇒ x\n"


def test_what_was_inferred_is_written() -> None:
    text = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ let f = sλ r ⇒ clip[0.0, 1.0] r#[0, 0] in "
    text += "laplace[auto, ℝ⁺[0.5]] <xs> { mfold-row 0.0, xs { a, r ⇒ a + 3.0 ⋅ f r } }"
    shown = printed(text, "eps")
    assert "sλ . r : 𝕄 [L∞, U | 1, 1⋅𝔻] ⇒" in shown
    assert "laplace[ℝ⁺[3], ℝ⁺[0.5]] <xs>" in shown


def test_definitions_are_lets_and_every_name_is_bound_once() -> None:
    text = "def twice = sλ x : ℝ ⇒ x + x; def main = sλ x : ℝ, y : ℝ ⇒ let x = twice x in twice (x + y)"
    lines = printed(text).split("\n")
    # The program's own parameters keep their names: arguments are given by these.
    assert lines[:2] == ["let twice = sλ . x_2 : ℝ ⇒ x_2 + x_2 in", "let main = sλ . x : ℝ, y : ℝ ⇒"]
    assert "let x_3 = twice x in" in lines[2]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("sλ x' : ℝ ⇒ (sλ x' : ℝ ⇒ x') x'", "sλ . x' : ℝ ⇒ (sλ . x'_2 : ℝ ⇒ x'_2) x'"),
        ("(sλ n : ℕ ⇒ sλ x : ℝ, m : ℝ ⇒ x) 3", "(sλ . n : ℕ ⇒ sλ . x : ℝ, m : ℝ ⇒ x) 3"),
        ("(sλ x : ℝ⁺[2] ⇒ sλ x : ℝ ⇒ x) 2.0", "(sλ . x_2 : ℝ⁺[2] ⇒ sλ . x : ℝ ⇒ x) 2.0"),
        ("if 1 < 2 then sλ x : ℝ ⇒ x else sλ x : ℝ ⇒ x", "else { sλ . x : ℝ ⇒ x }"),
        ("sλ inf : ℝ⁺ . x : ℝ, e : ℝ⁺[2 ⋅ inf] ⇒ e ⋅ x", "e : ℝ⁺[2⋅inf] ⇒"),
        ("sλ max : ℝ, min : ℝ ⇒ max + min", "sλ . max : ℝ, min : ℝ ⇒ max + min"),
    ],
)
def test_the_parameters_of_the_program_keep_their_names(text: str, kept: str) -> None:
    assert kept in printed(text)
    reprinted(typed(text))


def test_imported_names_are_written_as_names(tmp_path: Path) -> None:
    (tmp_path / "a.duet").write_text("def f = sλ x : ℝ ⇒ 2.0 ⋅ x", encoding="utf-8")
    (tmp_path / "b.duet").write_text('import "a.duet"; def g = sλ x : ℝ ⇒ f x; def max = 3.0', encoding="utf-8")
    (tmp_path / "c.duet").write_text('import "b.duet"; def f = sλ x : ℝ ⇒ g x; sλ x : ℝ ⇒ max ⋅ f x', encoding="utf-8")
    again = reprinted(typed_of(duetpy.load(str(tmp_path / "c.duet"))))
    assert not again.file.imports
    assert not again.file.definitions
    assert again.type is not None
    assert "max_" in str(core_text(again))


@pytest.mark.parametrize(
    ("text", "notion", "kept"),
    [
        (
            "pλ . x : ℝ ⇒ aloop[ℝ⁺[1e-6]] 5 on 0.0 <x> { i, s ⇒ gauss[auto, ℝ⁺[0.1], ℝ⁺[1e-7]] <x> { x } }",
            "ed",
            "aloop[ℝ⁺[1e-6]]",
        ),
        ("pλ . x : ℝ ⇒ (ZCDP[ℝ⁺[1e-6]] { gauss[auto, ℝ⁺[0.1]] <x> { x } })", "ed", "ZCDP[ℝ⁺[1e-6]]"),
        ("pλ . x : ℝ ⇒ laplace[1, ℝ⁺[0.5]] <x> { x } ensures ε ≤ 1", "eps", "ensures ε ≤ 1"),
        ("sλ m : ℕ . x : ℝ ⇒ mcreate[L2 | ℕ[m], ℕ[2]] { i, j ⇒ x }", "eps", "mcreate[L2 | ℕ[m], ℕ[2]]"),
        ("sλ . x : ℝ ⇒ ⟨x & x + x⟩", "eps", "⟨x & x + x⟩"),
        ("sλ . x : ℝ ⇒ inl[𝔻] x", "eps", "inl[𝔻] x"),
        ("sλ . x : ℝ ⇒ (sλ η : ℝ⁺ . y : ℝ ⇒ ℝ⁺[η] ⋅ y)@[1/3] x", "eps", "@[1/3] x"),
        ("sλ . x : 𝔻 ⇒ let f = sλ y : box[x@2] 𝔻 ⇒ unbox y in f (box x)", "eps", "y : box[x@2] 𝔻"),
        ('opaque "math:floor" : 𝔻 ⊸[5] 𝔻', "eps", 'opaque "math:floor" : 𝔻 ⊸[1] 𝔻'),
        ("sλ f : (∀ m : ℕ . 𝕄 [L∞, U | m, 1⋅𝔻]@2 ⊸⋆ ℝ) ⇒ 1", "eps", "𝕄 [L∞, U | m, 1⋅𝔻]@2 ⊸⋆ ℝ"),
    ],
)
def test_what_the_type_and_the_cost_rest_on_is_kept(text: str, notion: str, kept: str) -> None:
    assert kept in printed(text, notion)
    assert proves_the_same(typed(text, notion), reprinted(typed(text, notion)))


def test_a_type_that_cannot_be_written_stays_left_out() -> None:
    """That of a function that is a part of what is printed, with a cost that was found."""
    text = (
        "pλ . x : ℝ ⇒ let call = pλ f, y : ℝ ⇒ f@[ . y] in call@[ . pλ z : ℝ ⇒ laplace[1, ℝ⁺[0.5]] <z> { z + 0.0 }, x]"
    )
    assert "pλ . f, y : ℝ ⇒" in printed(text, "eps")


def test_a_sensitivity_without_a_numeral_stays_auto() -> None:
    assert "laplace[auto, " in printed("pλ . x : ℝ ⇒ laplace[auto, ℝ⁺[1]] <x> { 1e-50 ⋅ x / 3.0 }", "eps")
    assert "laplace[ℝ⁺[1e-60], " in printed("pλ . x : ℝ ⇒ laplace[auto, ℝ⁺[1]] <x> { 1e-30 ⋅ (1e-30 ⋅ x) }", "eps")


def test_a_number_without_a_numeral_is_refused() -> None:
    refused = core_text(typed("sλ . x : ℝ ⇒ ℝ⁺[1e-50 / 3] ⋅ x"))
    assert not isinstance(refused, str)
    assert refused.code == "D0092"
    assert refused.span is not None
    assert refused.span.text == "ℝ⁺[1e-50 / 3]"


def test_long_chains_are_printed() -> None:
    lets = "".join(f"let y{i + 1} = y{i} in " for i in range(500))
    assert printed(f"sλ y0 : ℝ ⇒ {lets}y500").endswith("y500")
    assert printed(f"sλ x : ℝ ⇒ {' + '.join(['x'] * 500)}").count("x") == 501
