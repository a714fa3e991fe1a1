"""Functions of texts: what they compute, the same on every machine, and that no result is longer than what it was made of."""

import random
import unicodedata
from typing import Any

import pytest

from duetpy.runtime.evaluation import texts
from duetpy.runtime.release.noiseless import evaluate
from duetpy.runtime.values import letters
from duetpy.runtime.values.values import Texts, Truths, texts_of

ODD = (
    "",
    " ",
    "\u00a0x\u3000",
    "straße",
    "İstanbul ı",
    "ΣΊΣΥΦΟΣ σς",
    "ЁЖ ёж Ґ",
    "ÿŸ",
    "ŉ",
    "ﬁ",
    "🙂a",
    "a\u0301",
    "\ud800",
    "NY",
    "\x1c a",
)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("length s", 8),
        ("prefix[3] s", "New"),
        ("prefix[0] s", ""),
        ("prefix[99] s", "New York"),
        ("suffix[4] s", "York"),
        ("suffix[0] s", ""),
        ("suffix[99] s", "New York"),
        ("lower s", "new york"),
        ("upper s", "NEW YORK"),
        ('contains s "w Y"', True),
        ('contains s ""', True),
        ('contains s "york"', False),
        ('starts s "New"', True),
        ('starts s "York"', False),
        ('trim " \\t s\\u{A0}"', "s"),
        ("number s", None),
        ('number " -1.5e2 "', -150),
        ('number "١"', None),
        ('number "nan"', None),
        ('number "1_0"', None),
        ("text 12", "12"),
        ("text (3 < 2)", "false"),
        ("text (length s)", "8"),
        ("prefix[length (trim (prefix[4] s))] s", "New"),
    ],
)
def test_what_is_computed_of_a_text(expression: str, wanted: Any) -> None:
    assert evaluate(f"sλ s : 𝕊 ⇒ {expression}", s="New York") == wanted
    table = evaluate(f"sλ xs : 𝔻𝔽[s : 𝕊] ⇒ bmap xs {{ r ⇒ let s = r.s in {expression} }}", xs=[["New York"]] * 2)
    assert [row[0] for row in table] == [wanted] * 2


@pytest.mark.parametrize("name", ["lowered", "raised", "trimmed", "length", "number"])
def test_a_row_is_computed_as_it_is_alone(name: str) -> None:
    function = getattr(texts, name)
    alone = [function(text) for text in ODD]
    together = function(texts_of(ODD))
    from duetpy.runtime.values.batching import lane
    from duetpy.runtime.values.values import Missing

    for at, one in enumerate(alone):
        found = lane(together, at)
        assert isinstance(found, Missing) if isinstance(one, Missing) else found == one


def test_the_letters_of_the_table_are_all_pairs_of_the_blocks_that_unicode_has() -> None:
    """The names of Romanians, Vietnamese, Azerbaijanis, Kazakhs, Tatars and Chechens have letters of the later blocks."""
    blocks = [*range(0x2B0), *range(0x370, 0x530), *range(0x1E00, 0x1F00)]
    pairs = {capital: chr(capital).lower() for capital in blocks if unicodedata.category(chr(capital)) == "Lu"}
    assert {
        capital: ord(small)
        for capital, small in pairs.items()
        if len(small) == 1 and small != chr(capital) and ord(small) in blocks and small.upper() == chr(capital)
    } == letters.SMALL
    assert letters.CAPITAL[ord("ς")] == ord("Σ")
    assert len(letters.CAPITAL) == len(letters.SMALL) + 1


@pytest.mark.parametrize("capitals", ["ȘTEFAN ȚEPEȘ", "NGUYỄN ƯƠNG", "ƏHMƏD", "ӘЛИЯ ӨМІР", "ӀИСА", "ĠĦAWDEX", "ΈΛΛΗΝ"])
def test_names_are_written_in_small_letters(capitals: str) -> None:
    assert texts.lowered(capitals) == capitals.lower()
    assert texts.raised(capitals.lower()) == capitals


def test_case_is_changed_one_for_one_and_twice_changes_nothing_more() -> None:
    for text in ODD:
        for function in (texts.lowered, texts.raised):
            once = function(text)
            assert isinstance(once, str)
            assert len(once) == len(text)
            assert function(once) == once


def test_no_letter_outside_of_the_table_changes() -> None:
    others = "".join(chr(at) for at in range(0x3000) if at not in letters.SMALL and at not in letters.CAPITAL)
    assert texts.lowered(others) == others
    assert texts.raised(others) == others


def test_nothing_gets_longer() -> None:
    source = random.Random(7)
    for _ in range(200):
        text = "".join(source.choice("aB ßÿΣ\u00a0é🙂") for _ in range(source.randrange(12)))
        count = source.randrange(15)
        for made in (
            texts.lowered(text),
            texts.raised(text),
            texts.trimmed(text),
            texts.beginning(count, text),
            texts.end(count, text),
        ):
            assert isinstance(made, str)
            assert len(made) <= len(text)


def test_the_longest_number_is_written() -> None:
    assert len(str(texts.written(1 << 1024))) == 309


def test_questions_of_two_texts_in_lanes() -> None:
    whole, part = texts_of(ODD), texts_of([text[1:] for text in ODD])
    assert isinstance(whole, Texts)
    answers = texts.contains(whole, part)
    assert isinstance(answers, Truths)
    assert answers.values.all()
    answers = texts.starts(whole, "N")
    assert isinstance(answers, Truths)
    assert answers.values.tolist() == [text.startswith("N") for text in ODD]


def test_beginnings_of_different_lengths() -> None:
    program = "sλ xs : 𝔻𝔽[s : 𝕊, n : 𝐝 ℕ] ⇒ bmap xs { r ⇒ ⟨prefix[r.n] r.s, suffix[r.n] r.s⟩ }"
    rows = evaluate(program, xs=[["abc", 0], ["abc", 2], ["abc", 5]])
    assert [row[0] for row in rows] == [("", ""), ("ab", "bc"), ("abc", "abc")]
