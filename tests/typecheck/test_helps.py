"""Helps that somebody meets in the first hour: each names what to write."""

import pytest

from duetpy import parse

PEOPLE = "plam people : persons[patient : Str | visits : DF[ward : Str, cost : Disc, age : Disc?]] =>"
TABLE = "plam xs : DF[ward : Str, cost : Disc, age : Disc?] =>"
STATS = 'import "std:stats"; '


@pytest.mark.parametrize(
    ("code", "text", "help_"),
    [
        ("D0403", f"{TABLE} laplace[1, 1.0] <xs> {{ rows xs }}", "or use dlaplace"),
        ("D0403", f"{TABLE} gauss[1, 1.0, 1e-6] <xs> {{ rows xs }}", "or use dgauss"),
        ("D0005", "plam xs : DF[ward : Str], keys : Set Str => dlaplace[1, 1.0] <xs> { rows xs }", "`Set(Str)`"),
        (
            "D0004",
            "plam xs : DF[cost : Disc] => parallel[xs, Set{-1.0, 0.0}] { x => x.cost } { k, p => return k }",
            "`{ -1.0,",
        ),
        (
            "D0412",
            f"{STATS}plam xs : bag Disc in [0, 9] => noisy-median[1.0] xs",
            "noisy-median@[ . xs, lo, step, k, ε]",
        ),
        ("D0412", "plam xs : DF[a : Disc] => (plam xs : DF[a : Disc] => return 1)@[ . ]", "f@[ . xs]"),
        ("D0005", "plam <xs : DF[a : Disc], ys : DF[b : Disc]> => return 1", "`<|xs : …, ys : …|>`"),
        (
            "D0104",
            f'{PEOPLE} parallel[people, Set{{"A"}}] {{ p => p.visits.ward }} {{ w, part => return w }}',
            "mfold-row …, p.visits { last, row ⇒ row.ward }",
        ),
        (
            "D0104",
            f"{STATS}{PEOPLE} noisy-mean@[ . people.[cost], 0, 9, 1.0]",
            "bmap … { p ⇒ mfold-row …, p.visits { last, row ⇒ row.cost } }",
        ),
        (
            "D0205",
            f"{STATS}{PEOPLE} let cs = bmap people {{ p => mfold-row 0.0, p.visits {{ s, v => s + v.cost }} }} in "
            "noisy-mean@[ . cs, 0, 9, 1.0]",
            "start from disc 0.0",
        ),
        (
            "D0205",
            f"{STATS}{PEOPLE} let cs = bmap people {{ p => mfold-row (disc 0.0), p.visits {{ s, v => v.age }} }} in "
            "noisy-mean@[ . cs, 0, 9, 1.0]",
            "or-else 0",
        ),
        ("D0201", f"{STATS}{TABLE} noisy-sum@[ . xs.[ward], 9, 1.0]", "dlaplace[1, …] <…> { rows xs.[ward] }"),
        (
            "D0201",
            f"{STATS}{TABLE} noisy-sum@[ . xs.[age], 9, 1.0]",
            "bmap (mfilter xs.[age] { row ⇒ ¬ (is-missing row.age) }) { row ⇒ row.age or-else 0 }",
        ),
        ("D0201", f"{STATS}{TABLE} noisy-sum@[ . xs, 9, 1.0]", "choose one column: xs.[cost]"),
        (
            "D0104",
            f"{STATS}{PEOPLE} noisy-mean@[ . people.[cost], 0, 9, 1.0]",
            "or take at most k rows of each person: flat[k] … { p ⇒ p.visits }",
        ),
        (
            "D0101",
            f"{TABLE} dlaplace[1, 1] <xs> {{ rows (mfilter xs {{ r => cost == 1 }}) }}",
            "cost is a column: read it from a row, r.cost",
        ),
        ("D0102", "plam xs : DF[a : String] => return 1", "write 𝕊 for a text"),
        ("D0203", "sλ d : Date ⇒ (month d + 2) / 3", "write real (month d + 2)"),
        ("D0203", "sλ d : Date ⇒ abs (month d)", "write abs (real (month d))"),
        ("D0201", "sλ d : Date ⇒ clip[0, 4] (month d)", "real (month d)"),
        ("D0201", "sλ d : Date ⇒ let f = sλ a, n ⇒ month a < n in ⟨f d 3, f d 4⟩", "declare the parameter as ℕ"),
        ("D0203", 'sλ d : Date ⇒ d > "2024-01-31"', 'write a day as date "2024-01-31"'),
        ("D0102", "plam xs : DF[a : int] => return 1", "write 𝔻 for a number in a table, or 𝐝 ℕ for a code"),
        (
            "D0005",
            "plam xs : DF[a : Disc], eps : Real+ => laplace[1, eps] <xs> { 1.0 }",
            "write `static ε : ℝ⁺` for a number that is set",
        ),
        ("D0005", "plam xs : DF[a : Disc] => laplace[1, 1] xs { real (rows xs) }", "between `<` and `>`: `<xs> { … }`"),
        (
            "D0005",
            'plam xs : DF[a : Str] => parallel[xs, {"a"}] { x => x.a } { k, p => return k }',
            "write a set as `℘{…}`",
        ),
        ("D0104", f"{PEOPLE} dlaplace[1, 1.0] <people> {{ rows people.visits }}", "flat[3] people { p ⇒ p.visits }"),
        (
            "D0104",
            "plam xs : DF[d : Date] => dlaplace[1, 1.0] <xs> { rows (mfilter xs { r => r.d.year == 1 }) }",
            "year r.d",
        ),
        ("D0101", f"{TABLE} laplace[1, eps] <xs> {{ real (rows xs) }}", "static eps : ℝ⁺"),
        (
            "D0101",
            f"{TABLE[:-2]}, static epsilon : Real+ => laplace[1, eps] <xs> {{ real (rows xs) }}",
            "mean epsilon?",
        ),
        ("D0101", f"{PEOPLE} dlaplace[1, 1.0] <people> {{ rows (flat people) }}", "flat[3] people { p ⇒ p.visits }"),
        (
            "D0204",
            f"{TABLE} if 0 < 1 then {{ dlaplace[1, 1.0] <xs> {{ rows xs }} }} else {{ return 0 }}",
            "0.0 instead of 0",
        ),
        (
            "D0301",
            f"{TABLE[:-2]}, ys : DF[ward : Str] => dlaplace[1, 1.0] <xs, ys> {{ rows (joinDF1<.ward.>[xs, ys]) }}",
            "make them files of one table",
        ),
        (
            "D0416",
            f"{TABLE} parallel[xs, Set{{1}}] {{ x => 1 }} {{ k, p => return rows xs }}",
            "use the part in its place",
        ),
        (
            "D0416",
            f"{TABLE} parallel[xs, elements xs.[ward]] {{ x => x.ward }} {{ k, p => dlaplace[1, 1.0] <p> {{ rows p }} }}",
            "name the keys",
        ),
        (
            "D0416",
            "plam r : Set(Str), xs : persons[id : Str in r | v : DF[a : Disc]] => laplace[1.0, 1.0] <xs> { real (rows xs) }",
            "laplace[auto, ε] <xs>",
        ),
        (
            "D0203",
            'plam xs : DF[d : Date] => laplace[auto, 1.0] <xs> { count (bmap xs { x => x.d - date "2024-01-01" > 3 }) }',
            "days a b",
        ),
        ("D0105", 'import "std:stat"; 1', "import one of std:linear, std:stats"),
        ("D0005", "plam xs : DF[a : Disc in (0, 9)] => dlaplace[1, 1.0] <xs> { rows xs }", "write `in [0, 120]`"),
        ("D0005", f"{TABLE} dlaplace(1, 1.0) <xs> {{ rows xs }}", "in brackets: `laplace[1, ε]`"),
        ("D0005", f"{STATS}{TABLE} noisy-mean[xs.[cost], 1.0]", "a privacy function is called as `f[ε] xs`"),
        ("D0005", f"{STATS}{TABLE} noisy-count [1.0] xs", "touches the name"),
        ("D0005", f"{TABLE} return [1, 2]", "a pair as `⟨a, b⟩`"),
        ("D0005", f"{TABLE} return {{ a : 1 }}", "`{ a = … }`"),
        ("D0005", "plam xs : DF[a : Disc] -> return 1", "write `⇒`"),
        ("D0005", "plam (xs : DF[a : Disc]) => return 1", "without parentheses"),
        (
            "D0005",
            'plam xs : DF[a : Str in {"m"}] => dlaplace[1, 1.0] <xs> { rows xs }',
            "keep those that you want with mfilter",
        ),
        ("D0005", f'{TABLE} dlaplace[1, 1.0] <xs> {{ rows (mfilter xs {{ r => r.ward in {{"A"}} }}) }}', "`∈ ℘{…}`"),
        (
            "D0005",
            f"{TABLE} dlaplace[1, 1.0] <xs> {{ rows (mfilter xs {{ r => starts r.ward }}) }}",
            "an expression here",
        ),
        ("D0005", f"{TABLE} laplace[1, eps=0.5] <xs> {{ real (rows xs) }}", "write the value alone"),
        ("D0005", "plam xs : DF[a : disc] => return 1", "write 𝔻"),
        ("D0102", "plam xs : DF[a : str] => return 1", "write 𝕊"),
        (
            "D0101",
            f"{TABLE} dlaplace[1, 1.0] <xs> {{ rows (mfilter xs {{ r => starts (prefix r.ward) r.ward }}) }}",
            "`prefix[2] row.code`",
        ),
        ("D0201", f"{TABLE} x <- laplace[1, 1.0] <xs> {{ real (rows xs) }} ; return x ** 2", "a power as a product"),
        ("D0403", f"{TABLE} dlaplace[1, 1.0] <xs> {{ mode xs.[ward] }}", "use noisy-max"),
        ("D0210", f'{STATS}{TABLE} noisy-top[Set{{"A"}}, 3, 1.0] xs.[ward]', "give a table there"),
        ("D0220", f"{TABLE} dlaplace[1, 1.0] <xs> {{ rows (mfilter xs {{ r => r.age > 3 }}) }}", "`(r.age or-else 0)`"),
        (
            "D0203",
            "plam xs : DF[bmi : Disc, age : Disc] => dlaplace[1, 1.0] <xs> { rows (mfilter xs { age => age > 3 }) }",
            "one cell of the row: age.age",
        ),
        (
            "D0101",
            f"{TABLE[:-2]}, static eps : Real+ => laplace[1, EPS] <xs> {{ real (rows xs) }}",
            "did you mean eps?",
        ),
        ("D0102", f"{TABLE[:-2]}, e : Real+[eps] => laplace[1, e] <xs> {{ real (rows xs) }}", "pλ eps : ℝ⁺ ."),
    ],
)
def test_a_help_says_what_to_write(code: str, text: str, help_: str) -> None:
    _, diagnostics = parse(text, notion="approx" if "gauss" in text else "eps").try_check()
    assert diagnostics[0].code == code
    assert help_ in diagnostics[0].help


def test_what_follows_from_a_type_that_is_missing_is_not_told() -> None:
    _, errors = parse("plam xs : DF[a : int] => dlaplace[1, 1.0] <xs> { rows xs }", "eps").try_check()
    assert [each.code for each in errors] == ["D0102"]


@pytest.mark.parametrize(
    "text",
    [
        "# a title\nsλ xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒\n# the first cell\nxs#[0, 0]",
        "// a title\nsλ xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ xs # [0, 0] // the first cell",
    ],
)
def test_a_comment_of_another_language_is_one_mistake_and_is_skipped(text: str) -> None:
    _, diagnostics = parse(text).try_check()
    assert [(found.code, found.span.text) for found in diagnostics if found.span] == [
        ("D0001", text.partition("\n")[0]),
        ("D0001", "# the first cell" if text.startswith("#") else "// the first cell"),
    ]
    assert {found.help for found in diagnostics} == {"begin a comment with `--`"}


def test_a_text_in_single_quotes_is_one_mistake() -> None:
    _, diagnostics = parse("sλ x : 𝕊 ⇒ x ∈ ℘{'a', 'it is'}").try_check()
    assert [(found.span.text, found.help) for found in diagnostics if found.span] == [
        ("'a'", 'write a text in `"…"`'),
        ("'it is'", 'write a text in `"…"`'),
    ]


def test_what_is_not_a_matter_of_persons_or_missing_cells_is_told_as_before() -> None:
    text = f"{TABLE} laplace[1, 1.0] <xs> {{ mfold-row 0.0, xs {{ s, x => s + x.cost }} }}"
    _, diagnostics = parse(text, notion="eps").try_check()
    assert "disc 0.0" not in diagnostics[0].help


def test_a_table_without_columns_is_no_column_of_numbers() -> None:
    _, diagnostics = parse("sλ xs : 𝕄 [L∞, U | 6, []] ⇒ (sλ ys : 𝕄 [L∞, U | 6, 1⋅𝔻] ⇒ ys) xs").try_check()
    assert [found.code for found in diagnostics] == ["D0501", "D0201"]
    assert diagnostics[1].help == "make the columns agree in number and type"


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        ("sλ p : ℝ × record[age : ℝ] ⇒ 1.0 + snd p", "snd p", "(snd p).age"),
        (
            "sλ r : record[age : ℝ] ⇒ 1.0 + (if true then r else r)",
            "(if true then r else r)",
            "(if true then r else r).age",
        ),
        ("sλ p : ℝ × Date ⇒ (snd p).year", "(snd p).year", "year (snd p)"),
        ("sλ r : record[day : Date] ⇒ r.day.year", "r.day.year", "year r.day"),
    ],
)
def test_what_is_more_than_a_word_stands_in_parentheses(text: str, wrong: str, right: str) -> None:
    _, (refused,) = parse(text).try_check()
    assert refused.help.endswith(f": {right}")
    assert not parse(text.replace(wrong, right)).try_check()[1]
