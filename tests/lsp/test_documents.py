"""What the language server knows of a text, asked in this process: of each example, and of what one is while it is typed."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetpy import parse
from duetpy.lsp import server
from duetpy.lsp.actions import fixes
from duetpy.lsp.completion import completions, in_scope
from duetpy.lsp.documents import Document
from duetpy.lsp.hints import hints
from duetpy.lsp.hover import hover
from duetpy.lsp.positions import Position, Positions
from duetpy.lsp.renaming import NotRenamed, renamed, replaced
from duetpy.source import Source
from tests.effort import often

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("*.duet"))
REFUSED = sorted(
    path for path in (ROOT / "tests" / "cases" / "bad").rglob("*.duet") if path.with_suffix(".err").is_file()
)
ACCEPTED = [path for path in EXAMPLES if "mistakes" not in path.parts]


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def document(path: Path) -> Document:
    return Document.of(str(path), text_of(path))


# ---------------------------------------------------------------------------------------------------------------------
# Positions

LETTERS = st.text(alphabet="aé→𝔻\n🙂′", max_size=30)
ENCODINGS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


@given(LETTERS, st.sampled_from(sorted(ENCODINGS)))
def test_positions_count_units_of_the_encoding(text: str, encoding: str) -> None:
    codec, width = ENCODINGS[encoding]
    positions = Positions(Source("", text), encoding)
    for offset in range(len(text) + 1):
        line, before = text.count("\n", 0, offset), text[text.rfind("\n", 0, offset) + 1 : offset]
        found = positions.position(offset)
        assert found == Position(line, len(before.encode(codec)) // width)
        assert positions.offset(found) == offset


@pytest.mark.parametrize(
    ("line", "column", "offset"), [(0, 99, 2), (9, 0, 5), (1, 1, 3), (1, 2, 4), (-1, 0, 0)], ids=str
)
def test_positions_outside_of_a_line_and_inside_of_a_letter(line: int, column: int, offset: int) -> None:
    assert Positions(Source("", "ab\n𝔻c")).offset(Position(line, column)) == offset


def test_lines_end_as_the_protocol_says_and_nowhere_else() -> None:
    found = Document.of("x.duet", "a\r\nb\rc\nd\x0be\u2028f").source
    assert found.text.split("\n") == ["a", "b", "c", "d\x0be\u2028f"]


# ---------------------------------------------------------------------------------------------------------------------
# Incomplete programs


@settings(max_examples=often(120, 40))
@given(st.sampled_from(EXAMPLES + REFUSED), st.floats(0, 1), st.integers(0, 12), st.booleans())
def test_a_program_that_is_being_typed_is_answered(path: Path, share: float, length: int, to_end: bool) -> None:
    """Cut off at a place, or with a few letters missing there: every question has an answer, which lies in the text."""
    whole = text_of(path)
    at = int(share * len(whole))
    text = whole[:at] + ("" if to_end else whole[at + length :])
    found = Document.of(str(path), text)
    for diagnostic in found.diagnostics:
        assert diagnostic.code
    for offset in {0, at, max(0, at - 1), len(text)}:
        shown = hover(found, offset)
        assert shown is None or shown.text
        for offered in completions(found, offset)[:3]:
            assert 0 <= offered.start <= offset
    assert all(0 <= hint.offset <= len(text) for hint in hints(found, 0, len(text)))
    assert all(0 <= use.span.start < use.span.end <= len(text) for use in found.occurrences)
    if len(text) < 2_000:
        for fix in fixes(found, at, at):
            assert 0 <= fix.start <= fix.end <= len(text)


# ---------------------------------------------------------------------------------------------------------------------
# Names


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.name)
def test_every_name_of_an_accepted_program_is_bound(path: Path) -> None:
    found = document(path)
    assert found.occurrences
    for use in found.occurrences:
        assert use.binder is not None, use.span.text
        assert use.span.text == use.binder.name


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.name)
@pytest.mark.sparse(6)
def test_renaming_any_name_keeps_what_is_proved(path: Path) -> None:
    found = document(path)
    before = found.statement
    assert before is not None
    binders = {use.binder for use in found.occurrences if use.binder is not None and use.is_binding}
    assert binders
    for binder in binders:
        change = renamed(found, binder.start, "fresh-name")
        text = replaced(found.text, change.places[found.name], change.new)
        assert text.count("fresh-name") == len(found.uses(binder))
        after = found.with_text(text).statement
        assert after is not None
        assert after.ok
        assert len(after.releases) == len(before.releases)
        # Names of values stand in no type; those of sizes stand in it under the new name, and the names say in which order.
        assert sorted((after.type or "").replace("fresh-name", binder.name)) == sorted(before.type or "")


def test_a_name_inside_a_program_is_renamed_without_a_look_at_other_files() -> None:
    """A folder may hold very many of them, and none of them sees the name."""
    text = "def f = sλ x : ℝ ⇒ x + x\nf"
    here = Document.of("x.duet", text)
    others = iter([Document.of("y.duet", 'import "x.duet"; f', lambda _: here.source)])
    assert renamed(here, text.index("x"), "y", others).places.keys() == {"x.duet"}
    assert renamed(here, text.index("f ="), "g", others).places.keys() == {"x.duet", "y.duet"}


def test_nothing_is_renamed_where_a_file_might_be_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_FOLDERS", 2)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.duet").touch()
    assert len(list(server.programs_below(str(tmp_path / "a")))) == 1
    with pytest.raises(NotRenamed, match="more than 2 folders"):
        list(server.programs_below(str(tmp_path)))


def test_an_end_of_a_range_is_renamed_with_its_parameter() -> None:
    text = "let f = pλ xs : bag 𝔻 in [LOW, LOW + WIDE], LOW : ℝ, static WIDE : ℝ⁺ ⇒ return LOW + WIDE in 1"
    found = Document.of("x.duet", text)
    for name in ("LOW", "WIDE"):
        for at in (text.index(name), text.rindex(name)):
            change = renamed(found, at, "other")
            assert replaced(text, change.places["x.duet"], "other") == text.replace(name, "other")


def test_a_roster_is_renamed_with_its_parameter() -> None:
    text = "sλ roster : ℘(𝕊), people : persons[id : 𝕊 in roster | visits : 𝔻𝔽[cost : 𝔻]] ⇒ ⟨roster, rows people⟩"
    found = Document.of("x.duet", text)
    change = renamed(found, text.index("roster"), "members")
    assert replaced(text, change.places["x.duet"], "members") == text.replace("roster", "members")
    assert "distance: the number of persons whose rows differ" in told(text, "people").split("\n")


def test_one_name_for_two_things_is_renamed_as_both() -> None:
    text = "pλ xs : 𝕄 [L∞, U | m, age : 𝔻 ∷ []], static ε : ℝ⁺ ⇒ laplace[auto, ε] <xs> { real (rows xs) }"
    found = Document.of("x.eps.duet", text)
    change = renamed(found, text.index("ε :"), "η")
    assert [span.start for span in change.places["x.eps.duet"]] == [text.index("ε :"), text.index("ε]")]


@pytest.mark.parametrize(
    ("text", "name", "new"),
    [
        ("sλ x : ℝ ⇒ let y = x in x + y", "x", "y"),
        ("sλ y : ℝ ⇒ let x = y in y + x", "x", "y"),
        ("def f = sλ x : ℝ ⇒ x\ndef g = sλ x : ℝ ⇒ f x\nsλ f : ℝ ⇒ g f", "g", "f"),
        ("sλ m : ℕ, n : ℕ . x : 𝕄 [L∞, U | m, n⋅𝔻] ⇒ rows x", "m", "n"),
    ],
)
def test_a_name_that_is_taken_is_refused(text: str, name: str, new: str) -> None:
    found = Document.of("x.duet", text)
    with pytest.raises(NotRenamed, match="bound there already"):
        renamed(found, text.index(f"{name} "), new)


@pytest.mark.parametrize(
    "text", ["sλ r : 𝕄 [L∞, U | 1, age : 𝔻 ∷ []] ⇒ r.|age", "sλ x : ℝ ⇒ |unknown", "sλ x : ℝ ⇒ |real 2"]
)
def test_what_no_program_binds_is_not_renamed(text: str) -> None:
    at = text.index("|", text.index("⇒"))
    with pytest.raises(NotRenamed):
        renamed(Document.of("x.duet", text[:at] + text[at + 1 :]), at, "other")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("sλ x : ℝ ⇒ ^", ["x"]),
        ("sλ x : ℝ ⇒ let y = ^ in y", ["x"]),
        ("sλ x : ℝ ⇒ let y = x in ^", ["x", "y"]),
        ("def f = 1\ndef g = ^\ndef h = 2", ["f"]),
        ("sλ x : ℝ ⇒ let x = 1 in (^", ["x"]),
        ("sλ m : ℕ . x : 𝕄 [L∞, U | ^, 2⋅𝔻] ⇒ rows x", ["m"]),
        ("pλ . x : ℝ ⇒ y ← laplace[1.0, 1.0] <x> { ^ } ; return y", ["x"]),
        ("pλ . x : ℝ ⇒ y ← laplace[1.0, 1.0] <x> { x } ; ^", ["x", "y"]),
        ("sλ x : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ mfold-row 0.0, x { total, row ⇒ total + ^ }", ["x", "total", "row"]),
    ],
)
def test_the_names_in_scope(text: str, names: list[str]) -> None:
    at = text.index("^")
    found = Document.of("x.duet", text.replace("^", ""))
    assert list(in_scope(found, at, at)) == names


# ---------------------------------------------------------------------------------------------------------------------
# What is shown, and what is offered


def told(text: str, part: str, name: str = "x.eps.duet") -> str:
    """What hovering over a part of a text shows."""
    found = hover(Document.of(name, text), text.index(part))
    return "" if found is None else found.text


@pytest.mark.parametrize(
    ("type_", "distance"),
    [
        ("ℝ", "|x − y|"),
        ("𝔻", "0 if equal, otherwise 1"),
        ("𝕊?", "0 if equal, otherwise 1"),
        ("ℝ × 𝔻", "the sum of the distances of the parts"),
        ("ℝ & 𝔻", "the larger of the distances of the parts"),
        ("ℝ + 𝔻", "∞ from one side to the other, otherwise that of the values"),
        ("ℝ ⊸[1] ℝ", "the largest distance of their results, over all arguments"),
        ("𝕄 [L∞, U | 5, 2⋅𝔻]", "the number of rows that differ"),
        ("𝕄 [L2, U | 5, 2⋅ℝ]", "the sum over the rows of the L2-norm of the cells' distances"),
        ("𝕄 [L∞, U | ★, 2⋅𝔻]", "the number of rows that must be added and removed"),
        ("𝕄 [L∞, U | ★, 2⋅ℝ]", "the cheapest matching of the rows"),
        ("persons[name : 𝕊 | visits : 𝔻𝔽[cost : 𝔻]]", "the number of persons who must be added and removed"),
    ],
)
def test_hovering_shows_what_distance_means(type_: str, distance: str) -> None:
    shown = told(f"sλ x : {type_} ⇒ 1", "x")
    assert f"distance: {distance}" in shown.split("\n")


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.name)
@pytest.mark.sparse(4)
def test_hovering_says_of_every_mechanism_what_check_says(path: Path) -> None:
    found = document(path)
    assert found.statement is not None
    released = found.statement.released()
    assert released
    # Those of imported files stand in other texts.
    for each in (one for one in released if "file" not in one):
        lines = [token for token in found.tokens if token.kind == each["mechanism"]]
        places = [token.start for token in lines if found.source.line_column(token.start)[0] == each["line"]]
        shown = [hover(found, place) for place in places]
        assert any(one is not None and f"sensitivity {each['sensitivity']}" in one.text for one in shown)


CONDITIONAL = """notion tcdp;
let f = pλ k : ℕ, ω : ℝ⁺ . t : 𝕄 [L∞, U | k, 1⋅𝔻], ω : ℝ⁺[ω] ⇒
  sample[ℕ[4]] t { u ⇒ (pλ . v : ℝ ⇒ gauss[auto, 0.01, ω] <v> { v })@[ . 2.0 ⋅ clip[0.0, 1.0] (u#[3, 0])] } in
let g = pλ k : ℕ, ρ : ℝ⁺ . t : 𝕄 [L∞, U | k, 1⋅𝔻], ρ : ℝ⁺[ρ] ⇒
  gauss[auto, ρ, 9] <t> { clip[0.0, 1.0] (t#[5, 0]) } ensures ρ ≤ 7 in
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ laplace[auto, 1] <xs> { clip[0.0, 1.0] (xs#[1, 0]) }
"""
"""Functions that are never called, whose conditions the program does not require."""


@pytest.mark.parametrize(
    ("part", "required"),
    [
        ("sample", ["4 ≤ k", "2 < ω", "4/k ≤ 0.1", "12.5⋅㏒(k/4) ≤ ω/2"]),
        ("#[3, 0]", ["4 ≤ k", "1 < ω"]),
        ("gauss[auto, 0.01", ["4 ≤ k", "1 < ω"]),
        ("gauss[auto, ρ", ["6 ≤ k", "ρ ≤ 7"]),
        ("laplace", []),
    ],
)
def test_hovering_over_a_number_shows_what_it_rests_on(part: str, required: list[str]) -> None:
    shown = told(CONDITIONAL, part).split("\n")
    assert {f"- requires {each}" for each in ["2 ≤ m", *required]} <= set(shown)
    assert "sample" in part or sum("requires" in line for line in shown) == 1 + len(required)


def test_hints_say_what_their_numbers_rest_on() -> None:
    found = Document.of("x.duet", CONDITIONAL)
    rests = [hint.about.split("; ")[1:] for hint in hints(found, 0, len(found.text)) if hint.text == " = 1"]
    assert [each[1:] for each in rests] == [["requires 4 ≤ k", "1 more"], ["requires 6 ≤ k", "1 more"], []]
    assert {each[0] for each in rests} == {"requires 2 ≤ m"}


@pytest.mark.parametrize("part", ["(", ": 𝔻", "def", "⇒"])
def test_hovering_over_what_separates_shows_nothing(part: str) -> None:
    assert told("def f = sλ x : 𝔻 ⇒ (x)\nf", part) == ""


def test_hovering_shows_the_name_of_a_file_as_it_is() -> None:
    """A name may hold an image or a link in Markdown, which an editor would fetch or follow."""
    name = "![a](https:`b`).duet"
    asked = Document.of("x.duet", f'import "{name}";\ntwo', lambda path: Source(path, "def two = 2.0"))
    found = hover(asked, len(asked.text))
    assert found is not None
    assert found.text.endswith(f"\ndefined in `` {name} ``")


def test_hovering_over_a_primitive_that_is_not_applied_shows_its_declaration() -> None:
    shown = told("sλ x : ℝ ⇒ floor", "floor")
    assert "prim floor : ℝ ⊸[∞] ℝ" in shown


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.name)
def test_hints_say_what_check_says(path: Path) -> None:
    found = document(path)
    assert found.statement is not None
    inferred = [hint.text for hint in hints(found, 0, len(found.text)) if hint.text.startswith(" = ")]
    released = [f" = {each['sensitivity']}" for each in found.statement.released()]
    assert set(inferred) <= set(released)
    assert len(inferred) == text_of(path).count("[auto")


@pytest.mark.parametrize(
    "path", [path for path in REFUSED if path.parent.name != "imports"], ids=lambda path: path.name
)
@pytest.mark.sparse(7)
def test_an_edit_that_is_offered_removes_its_diagnostic(path: Path) -> None:
    """The program is read again from its text: nothing that the edit was tried with is used."""
    text = text_of(path)
    found = Document.of(str(path), text)
    _, before = parse(found.text, name=str(path)).try_check()
    for fix in fixes(found, 0, len(found.text)):
        _, after = parse(found.text[: fix.start] + fix.text + found.text[fix.end :], name=str(path)).try_check()
        messages = [(each.code, each.message) for each in before]
        assert messages.count((fix.diagnostic.code, fix.diagnostic.message)) > [
            (each.code, each.message) for each in after
        ].count((fix.diagnostic.code, fix.diagnostic.message))


def offered(text: str) -> list[str]:
    found = Document.of("x.eps.duet", text)
    return [found.text[: fix.start] + fix.text + found.text[fix.end :] for fix in fixes(found, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "better"),
    [
        ("sλ x : ℝ ⇒ 2.0 · x", "sλ x : ℝ ⇒ 2.0 ⋅ x"),
        ("sλ total : ℝ ⇒ totl + 1.0", "sλ total : ℝ ⇒ total + 1.0"),
        ("sλ x : ℝ ⇒ (x + x", "sλ x : ℝ ⇒ (x + x)"),
        (
            "pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> { x + x }",
            "pλ . x : ℝ ⇒ laplace[auto, 1.0] <x> { x + x }",
        ),
        (
            "pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> { x + x }",
            "pλ . x : ℝ ⇒ laplace[2, 1.0] <x> { x + x }",
        ),
    ],
)
def test_helps_that_are_edits_are_offered(text: str, better: str) -> None:
    assert better in offered(text)


@pytest.mark.parametrize("text", ["sλ x : ℝ ⇒ x", "sλ x : ℝ ⇒ unheard-of", "sλ x : ℝ ⇒ ! x"])
def test_a_help_that_is_no_edit_offers_nothing(text: str) -> None:
    assert offered(text) == []
