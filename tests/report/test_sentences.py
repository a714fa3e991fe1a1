"""What a program does to the data, in numbered sentences: complete, in order, in the program's own names."""

import re
from pathlib import Path

import pytest

import duetpy
from duetpy.report.sentences import sentences, sentences_text
from duetpy.typecheck.mechanism_rows import RULES
from tests.test_examples import GOOD

CASES = Path(__file__).parents[1] / "cases" / "good"

MEAN = """\
pλ m : ℕ, ε : ℝ⁺ . table : 𝕄 [L∞, U | m, age : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <table> { (mfold-row 0.0, table { total, row ⇒ total + clip[0.0, 100.0] row.age }) / real (rows table) }
"""
BRANCHES = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], other : ℝ ⇒
  let total = sλ k : ℕ . t : 𝕄 [L∞, U | k, 1⋅𝔻] ⇒ mfold-row 0.0, t { a, r ⇒ a + clip[0.0, 1.0] r#[0, 0] } in
  if rows xs ≤ 9
  then { n ← laplace[auto, 1.0] <xs> { total xs } ; return n + other }
  else { sample[ℕ[10]] xs { part ⇒ laplace[auto, 1.0] <part> { total part } } }
"""


def told(text: str, notion: str = "eps", **settings: object) -> list[str]:
    program = duetpy.parse(text, notion=notion, name="x.duet")
    assert program.typed is not None
    found = sentences(program.typed.core, program.state(settings))
    return [f"{number} {sentence}" for number, sentence in found]


def test_a_release_stands_above_what_is_computed_for_it() -> None:
    assert told(MEAN) == [
        "1 Take table, which is protected: one row of it may be replaced by another.",
        "2 Release `(mfold-row 0.0, table { total, row ⇒ total + clip[0.0, 100.…` with noise (laplace, scale 100/(m⋅ε)): "
        "it differs by at most 100/m between neighbours (2:3).",
        "2.1 Read the rows of table and add up `clip[0.0, 100.0] row.age` (2:31).",
    ]
    assert "scale 20): it differs by at most 10 between" in told(MEAN, m=10, ε=0.5)[1]


def test_how_a_neighbour_differs_is_said_of_every_kind_of_rows() -> None:
    body = "laplace[auto, ε] <p> {{ real (rows (mfilter p {{ q ⇒ 0 < rows q.v }})) }}"
    persons = f"p : persons[id : 𝕊{{}} | v : 𝔻𝔽[a : 𝔻]], static ε : ℝ⁺ ⇒ {body}"
    assert "one person may be added to it or removed" in told(f"pλ {persons.format('')}")[0]
    on_roster = told(f"pλ who : ℘(𝕊), {persons.format(' in who')}")
    assert "all rows of one person in it may be replaced by others" in on_roster[1]


def test_branches_stand_below_their_conditions() -> None:
    assert told(BRANCHES) == [
        "1 Take xs, which is protected: one row of it may be replaced by another.",
        "2 Take other, which is not protected.",
        "3 When total is called, with its own k (2:15):",
        "3.1 Read the rows of t and add up `clip[0.0, 1.0] r#[0, 0]` (2:51).",
        "4 If rows xs ≤ 9 (3:3):",
        "4.1 Release `total xs` as n with noise (laplace, scale 1): it differs by at most 1 between neighbours (4:14).",
        "4.1.1 Call total (4:40).",
        "4.2 Return `n + other` (4:53).",
        "5 Otherwise:",
        "5.1 Draw 10 of the rows of xs at random, called part (5:10):",
        "5.1.1 Release `total part` with noise (laplace, scale 1): it differs by at most 1 between neighbours (5:36).",
        "5.1.1.1 Call total (5:64).",
    ]


@pytest.mark.parametrize(
    ("type_", "change"),
    [
        ("𝕄 [L∞, U | m, age : 𝔻 ∷ []]", "one row of it may be replaced by another"),
        ("𝔻", "its value may be replaced by another"),
        ("℘(𝕊)", "its value may be replaced by another"),
        ("𝐝 𝕄 [L∞, U | 1, age : 𝔻 ∷ []]", "its value may be replaced by another"),
        ("𝔻 × 𝔻?", "one value in it may be replaced by another"),
        ("𝕄 [L∞, U | m, age : 𝔻 ∷ []] × 𝔻", "one row or one value in it may be replaced by another"),
        ("𝔻𝔽[age : 𝔻]", "one row may be added to it or removed"),
        ("ℝ", "it may move by one step of its distance"),
    ],
)
def test_what_a_neighbour_changes(type_: str, change: str) -> None:
    """Only a table has rows."""
    first = told(f"pλ m : ℕ . x : {type_} ⇒ given[1.0] <x> {{ x }}")[0]
    assert first == f"1 Take x, which is protected: {change}."


def test_a_function_says_which_letters_are_its_own() -> None:
    text = (
        "def f = pλ τ : ☆K, ε : ℝ⁺, m : ℕ . t : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε], x : τ ⇒ laplace[1.0, ε] <t> { real (rows t) }\n"
        "pλ ε : ℝ⁺, n : ℕ . xs : 𝕄 [L∞, U | n, 1⋅𝔻], ε : ℝ⁺[ε] ⇒ f@[ . xs, ε / 2.0, 1.0]"
    )
    assert told(text, ε=1)[:2] == [
        "1 When f is called, with its own ε and m (1:9):",
        "1.1 Release `real (rows t)` with noise (laplace, scale 1/ε): it differs by at most 1 between neighbours (1:79).",
    ]


FRAME = "pλ xs : 𝔻𝔽[g : 𝕊, age : 𝔻] ⇒ "
COUNT = "laplace[1, 1] <xs> {{ real (rows {}) }}"
OLD = COUNT.format("(mfilter xs { r ⇒ r.age > 3 })")
FORMS = {
    OLD: "Keep the rows of xs for which `r.age > 3` holds",
    f"n ← {COUNT.format('xs')} ; return n": "Release `real (rows xs)` as n with noise (laplace, scale 1)",
    f"loop ℕ[3] on 0.0 <xs> {{ i, s ⇒ {COUNT.format('xs')} }}": "Repeat 3 times",
    f"poisson[0.5] xs {{ xs ⇒ {COUNT.format('xs')} }}": "Draw each row of xs with probability 0.5, called xs",
    "laplace[auto, 1] <xs> { mfold-row 0, xs { s, r ⇒ s ⊔ clip[0, 9] r.age } }": "take the largest of `clip[0, 9] r.age`",
    COUNT.format("(mapDF xs { r ⇒ { a = r.age } })"): "Compute `{ a = r.age }` from each row of xs",
    f'parallel[xs, ℘{{"a"}}] {{ r ⇒ r.g }} {{ k, xs ⇒ {COUNT.format("xs")} }}': "Divide the rows of xs by `r.g` into one part per "
    'key of `℘{"a"}`; rows with other keys are in no part; for each k and its rows, xs',
    "key-counts[1, 1, 1e-6] xs { r ⇒ r.g }": "the keys that enough rows have, with noisy numbers of their rows",
    "keys[1, 1, 1e-6] xs { r ⇒ r.g }": "Release the keys that enough rows have",
    "given[1, 1e-6] <xs> { real (rows xs) }": "the cost that the program states is trusted, not verified",
}


@pytest.mark.parametrize("body", FORMS)
def test_forms_in_words(body: str) -> None:
    found = told(FRAME + body, "approx")
    assert any(FORMS[body] in line for line in found), found


def test_forms_of_matrices_in_words() -> None:
    head = "pλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ "
    released = "laplace[auto, 1.0] <column> { mfold-row 0.0, column { s, r ⇒ s + clip[0.0, 1.0] r#[0, 0] } }"
    assert told(head + f"pmap-col xs {{ column ⇒ {released} }}")[1].startswith("2 For each column of xs (")
    cells = "mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ 1.0 }"
    each = told(head + f"mmapp {cells} {{ x ⇒ laplace[1.0, 1.0] <xs> {{ real (rows xs) }} }}")
    assert any(line.partition(" ")[2].startswith("For each cell of") for line in each), each
    steps = "let θ = mcreate[L∞ | ℕ[1], cols xs] { i, j ⇒ 0.0 } in mgauss[auto, 1.0] <xs> { ∇[LR | θ ; mclip[L2, 5.0] xs, ys] }"
    found = told(head + steps, "zcdp")
    assert any("Shorten the rows of xs that are too long in L2, `mclip[L2, 5.0] xs`" in line for line in found)
    assert not any("Shorten" in line and "∇" in line for line in found)


@pytest.mark.parametrize("word", RULES)
def test_every_mechanism_with_a_rule_of_its_own_has_its_words(word: str) -> None:
    path = next(path for path in sorted(CASES.rglob("*.duet")) if f"{word}[" in path.read_text(encoding="utf-8"))
    program = duetpy.load(path)
    assert program.typed is not None
    text = sentences_text(program.typed.core, program.state({}))
    assert "trusted, not verified" in text if word == "given" else f"({word}" in text
    assert f"with noise ({word}" not in text


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.name)
def test_every_example_is_told_with_every_release(path: Path) -> None:
    program = duetpy.load(path)
    assert program.typed is not None
    statement = program.state({})
    found = sentences(program.typed.core, statement)
    text = sentences_text(program.typed.core, statement)
    assert text.count("\n") == len(found) + 1
    releases = [line for _, line in found if line.startswith(("Release", "Choose"))]
    assert len(releases) >= len({site.span.place for site in statement.releases}) > 0
    # Each step below another one has its number first, and none is left out.
    seen: set[str] = set()
    for number, line in found:
        assert re.fullmatch(r"[1-9]\d*(\.[1-9]\d*)*", number)
        before, _, last = number.rpartition(".")
        assert int(last) == 1 or f"{before}.{int(last) - 1}".lstrip(".") in seen
        assert not before or before in seen
        assert line[0] == line[0].upper()
        assert line.endswith((".", ":"))
        seen.add(number)


def test_a_long_program_is_walked_without_recursion() -> None:
    binds = "".join(f"x{i} ← laplace[1, 1] <xs> {{ real (rows xs) }} ; " for i in range(2_000))
    assert len(told(f"pλ xs : 𝔻𝔽[age : 𝔻] ⇒ {binds}return x0")) == 2_002
