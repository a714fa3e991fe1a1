"""What stands in several tables stands in all of them alike: notions, letters, mechanisms, conversions."""

import re
from pathlib import Path

import pytest

import duetpy
from duetpy.accounting.mechanisms.table import LAWS, MECHANISMS
from duetpy.grammar import tables, words
from duetpy.grammar.declared import BEFORE_TWO, PREFIXES
from duetpy.grammar.spelling import GREEK, LETTERS, RESERVED, SIGNS, SOFT, WORDS
from duetpy.runtime.evaluation.kernels import KERNELS
from duetpy.settings import folded, resolve
from duetpy.typecheck import prelude
from duetpy.typecheck.mechanism_rows import FORMS, ROWS, RULES
from duetpy.typecheck.notions import BY_BLOCK, BY_WORD, NOTION_WORDS, Notion
from duetpy.typecheck.notions import LETTERS as NAMED
from duetpy.typecheck.show import show_type

PACKAGE = Path(duetpy.__file__).parent


def test_the_words_of_notions_are_those_of_their_facts() -> None:
    assert sorted(NOTION_WORDS) == sorted(BY_WORD)
    assert set(BY_WORD.values()) == set(Notion)


@pytest.mark.parametrize("notion", list(Notion))
def test_a_cost_has_one_part_that_is_no_order(notion: Notion) -> None:
    """But for δ, which comes with ε."""
    assert [part.key for part in notion.info.parts if not part.is_order and part.key != "delta"] == [notion.measure]


def test_letters_have_one_name() -> None:
    assert set(NAMED.values()) == set(LETTERS)
    assert LETTERS.items() <= GREEK.items()


def test_the_mechanisms_of_the_parser_are_those_of_the_checker() -> None:
    assert RULES.keys() | FORMS.keys() == words.MECHANISMS
    assert not RULES.keys() & FORMS.keys()
    assert tables.load().words("selection_word") < words.MECHANISMS
    assert set(BY_BLOCK) == words.CONVERSIONS


def test_the_classes_of_mechanisms_hold_mechanisms() -> None:
    noises = {form.noise for form in FORMS.values()}
    assert noises == set(LAWS) == {row.name for row in ROWS.values() if row.parameters}
    assert MECHANISMS.keys() == ROWS.keys()
    assert {row.name for row in ROWS.values() if not row.rules} == noises
    whole = {form.noise for form in FORMS.values() if form.takes == "natural"}
    assert whole == {row.name for row in ROWS.values() if row.is_whole}


def test_no_list_of_mechanisms_stands_twice() -> None:
    """A set of mechanisms is written down in one place, and imported elsewhere: two lists come to differ."""
    places = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for name in re.findall(r"^(\w+)(?:: [^=\n]+)? = frozenset\(", path.read_text("utf-8"), re.MULTILINE)
    ]
    names = [place.partition(": ")[2] for place in places]
    assert [place for place in places if names.count(place.partition(": ")[2]) > 1 and "ORDERS" not in place] == []


def test_primitives_are_words_of_the_language_and_have_kernels() -> None:
    declared = set(prelude.names())
    assert declared == set(KERNELS)
    judged_apart = {"box", "unbox", "idx", "discf", "clip", "addColDF", "inl", "inr", "¬"}
    # A name stands before what a function is called on: f[ε] xs.
    before_an_operand = tables.load().prefixes - {"BEFORE_ONE", "BEFORE_TWO", "FIELDS", "VAR"} | PREFIXES | BEFORE_TWO
    assert declared | judged_apart >= before_an_operand
    assert WORDS.keys() | SIGNS.keys() >= before_an_operand
    assert not RESERVED & SOFT


# ---------------------------------------------------------------------------------------------------------------------
# One table of letters and one of signs


@pytest.mark.parametrize("letter", list(GREEK))
def test_every_greek_letter_goes_by_its_name_on_the_command_line(letter: str) -> None:
    assert folded(letter) == GREEK[letter]
    assert resolve(GREEK[letter], [letter]) == letter
    assert resolve(letter, [GREEK[letter]]) == GREEK[letter]


def test_a_setting_of_lambda_is_one_of_its_letter(capsys: pytest.CaptureFixture[str]) -> None:
    from duetpy.cli.main import main

    program = Path(__file__).parents[1] / "examples" / "last-iterate.gdp.duet"
    printed = []
    for name in ("λ", "lambda"):
        words = ["m=427", "E=20", "b=61", "eta=4", f"{name}=0.05", "sigma=0.05"]
        assert main(["check", str(program), *(word for each in words for word in ("--set", each))]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert "tight" in printed[0]


def test_a_name_that_is_bound_as_a_letter_is_proposed() -> None:
    _, diagnostics = duetpy.parse("sλ η : ℝ ⇒ eta").try_check()
    assert [diagnostic.help.partition(":")[0] for diagnostic in diagnostics] == ["write η"]


def test_a_type_in_ascii_has_no_other_signs() -> None:
    text = "sλ t : ☆K, k : ℕ . f : (t ⊸[k] t), x : t, s : ℘(𝐝 ℕ), y : 𝕄 [L∞, L2≤2 | ★, 1⋅𝔻] & 𝕀[k] ⇒ f x"
    typed = duetpy.parse(text).typed
    assert typed is not None
    assert typed.type is not None
    shown = show_type(typed.type, ascii=True)
    assert shown.isascii(), shown
    assert "Type" in shown
