"""Wherever a number of a program is shown, there stands what it rests on: conditions, trust, persons."""

import json

import pytest

from duetpy.diagnostics.error import DuetError
from duetpy.lsp.documents import Document
from duetpy.lsp.hints import hints
from duetpy.lsp.hover import hover
from duetpy.program import Checked, parse
from tests.cli.harness import Duetpy, Write

INDEX = """\
pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, age : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <xs> { clip[0.0, 1.0] xs#[2, 0] }
"""
STATED = """\
pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 2⋅𝔻], ε : ℝ⁺[ε] ⇒
  given[ε] <xs> { (opaque "elsewhere:mean" : 𝕄 [L∞, U | m, 2⋅𝔻] ⊸ ℝ) xs }
"""
TWO = """\
pλ ε : ℝ⁺ . xs : 𝔻𝔽[a : 𝔻], ys : 𝔻𝔽[a : 𝔻], ε : ℝ⁺[ε] ⇒
  a ← laplace[auto, ε] <xs> { real (rows xs) } ; laplace[auto, ε] <ys> { real (rows ys) }
"""
PROMISED = """\
pλ ε : ℝ⁺, δ : ℝ⁺ . xs : 𝔻𝔽[a : 𝔻], ε : ℝ⁺[ε], δ : ℝ⁺[δ] ⇒
  given[ε, δ] <xs> { 0.0 } ensures δ ≤ 1e-6
"""
CASES = {
    "index.eps.duet": (INDEX, ("requires 3 ≤ m",)),
    "stated.eps.duet": (
        STATED,
        (
            "given at line 2: its stated cost is trusted, not verified",
            "elsewhere:mean: foreign code; only its type is known",
        ),
    ),
    "two.eps.duet": (TWO, ("a person with rows in both xs and ys is protected less than each of these costs says",)),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, write: Write) -> tuple[str, Checked, tuple[str, ...]]:
    text, wanted = CASES[request.param]
    write(request.param, text)
    return request.param, parse(text, name=request.param).check(), wanted


COMMANDS = [
    ("check", "--set", "ε=1"),
    ("cost", "--set", "ε=1"),
    ("why", "--set", "ε=1"),
    ("calibrate", "--budget", "epsilon=1", "--vary", "ε"),
]


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command(duetpy: Duetpy, case: tuple[str, Checked, tuple[str, ...]], words: tuple[str, ...]) -> None:
    name, _, wanted = case
    command, *rest = words
    shown = duetpy(command, name, *rest).out
    found = json.loads(duetpy(command, name, *rest, "--format", "json").out)
    for text in wanted:
        assert text in shown
        if "is protected less" not in text:
            assert any(text in f"requires {each}" for each in [*found["requires"], *found.get("trusted", ())])


def test_every_value(case: tuple[str, Checked, tuple[str, ...]]) -> None:
    _, checked, wanted = case
    costs, compared = checked.cost(ε=1), checked.compare(ε=1)
    found = checked.calibrate("epsilon=1", "ε")
    shown = [
        checked._repr_html_(),
        costs._repr_html_(),
        str(costs.premises),
        found._repr_html_(),
        str(checked.why("xs")),
    ]
    shown += [unit._repr_html_() for unit in compared.values()] + [checked.program.compare({"ε": 1})._repr_html_()]
    lines = [repr(checked), repr(found), *map(repr, compared.values())]
    for text in wanted:
        assert all(text in each for each in shown)
        assert all(text in each or "is protected less" in text for each in lines)


def test_an_editor(case: tuple[str, Checked, tuple[str, ...]]) -> None:
    name, checked, wanted = case
    assert checked.program.file is not None
    document = Document.of(name, checked.program.file.span.source.text)
    places = [document.text.index(each) for each in ("xs :", "{", "laplace", "given") if each in document.text]
    pages = [shown.text for each in places if (shown := hover(document, each)) is not None]
    assert len(pages) >= 2
    assert all(text in each for each in pages for text in wanted)
    for hint in hints(document, 0, len(document.text)):
        assert all(text in hint.about or "is protected less" in text for text in wanted)


def test_a_picture(case: tuple[str, Checked, tuple[str, ...]]) -> None:
    pytest.importorskip("matplotlib")
    _, checked, wanted = case
    assert all(text in checked.plot(ε=1).figure.get_supxlabel() for text in wanted)


def test_a_promise_that_is_open_is_a_premise() -> None:
    checked = parse(PROMISED, "approx").check()
    assert checked.requires == ("δ < 1", "δ ≤ 1e-6")
    assert tuple(checked.why("xs").statement.premises)[:2] == ("requires δ < 1", "requires δ ≤ 1e-6")


def test_what_is_trusted_is_told_however_many_releases_there_are(duetpy: Duetpy, write: Write) -> None:
    steps = "".join(f"a{at} ← laplace[auto, 1.0] <x> {{ {at}.0 ⋅ x }} ; " for at in range(1, 25))
    write("many.eps.duet", f"pλ x : ℝ ⇒ {steps} given[1.0] <x> {{ x }}\n")
    shown = duetpy("check", "many.eps.duet").out
    assert "and 4 more releases (-v shows all)" in shown
    assert "release given at line 1: its stated cost is trusted, not verified" in shown


def test_a_line_names_the_first_premises_and_counts_the_others() -> None:
    text = 'pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ given[1.0] <xs> { (opaque "a:b" : 𝔻 ⊸ 𝔻) (xs#[2, 0]) }'
    assert repr(parse(text, "eps").check()).endswith(
        "; requires 3 ≤ m; release given at line 1: its stated cost is trusted, not verified; 1 more>"
    )


def test_nothing_is_explained_of_numbers_that_are_refused() -> None:
    with pytest.raises(DuetError, match="D0501"):
        parse(INDEX, "eps").check().why("xs", m=2)
