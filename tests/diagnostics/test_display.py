import shlex
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetpy.diagnostics.display import as_word, cells, given_with_set, visible, width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("ε ∷ 𝕄 ⇒ ℝ⁺", "ε ∷ 𝕄 ⇒ ℝ⁺"),
        ("\x1b[31mred", "\\u{1b}[31mred"),
        ("a\rb", "a\\u{d}b"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("a\u202eb", "a\\u{202e}b"),
        ("a\u2066b\u200b", "a\\u{2066}b\\u{200b}"),
        ("a\u2028b", "a\\u{2028}b"),
        ("\udc80", "\\u{dc80}"),
        ("\x9b31m", "\\u{9b}31m"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_by_number(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_wide_and_combining_characters_have_their_columns() -> None:
    assert width("年齢") == 4
    assert width("e\u0301") == 1
    assert width("ε𝕄") == 2


def test_tabs_reach_to_the_next_stop() -> None:
    assert cells("\tx\ty") == ("    x   y", [0, 4, 5, 8, 9])
    assert cells("年\tx") == ("年  x", [0, 2, 4, 5])


@given(st.text(st.characters(), max_size=30))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_no_text_reaches_the_terminal_with_a_control_in_it(text: str) -> None:
    printed, columns = cells(text)
    for character in printed + visible(text):
        assert unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert len(columns) == len(text) + 1
    assert columns[-1] == width(printed)
    assert columns == sorted(columns)


@given(st.text(st.characters() | st.sampled_from(" '\"$`!\\\\ε"), max_size=12))
def test_a_name_is_one_word_of_a_command(name: str) -> None:
    assert shlex.split(as_word(name)) == [visible(name if name[:1] != "-" or name == "-" else f"./{name}")]


def test_names_in_commands_are_quoted_where_they_must_be() -> None:
    assert given_with_set(["ε", "δ'"]) == """--set ε=… --set "δ'"=…"""
    assert as_word("$(id).duet") == "'$(id).duet'"
    assert (as_word("a b"), as_word("-a"), as_word("-")) == ("'a b'", "./-a", "-")
