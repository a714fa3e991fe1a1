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
    ],
)
def test_a_help_says_what_to_write(code: str, text: str, help_: str) -> None:
    _, diagnostics = parse(text, notion="approx" if "gauss" in text else "eps").try_check()
    assert diagnostics[0].code == code
    assert help_ in diagnostics[0].help


def test_what_is_not_a_matter_of_persons_or_missing_cells_is_told_as_before() -> None:
    text = f"{TABLE} laplace[1, 1.0] <xs> {{ mfold-row 0.0, xs {{ s, x => s + x.cost }} }}"
    _, diagnostics = parse(text, notion="eps").try_check()
    assert "disc 0.0" not in diagnostics[0].help
