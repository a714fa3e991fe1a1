"""Pages for a terminal: without the signs of Markdown, in columns, and as wide as is asked."""

import pytest

from duetpy.diagnostics.catalogue import codes, notion_page, page, rule_page, rules, terms
from duetpy.diagnostics.display import width
from duetpy.diagnostics.terminal import page_text

PAGE = """\
# A *title*

One **bold** word, a [link](x.md) and `a*b*c`; a long line that goes on
in the next one.

- an item that is longer than the line
- another

| a | b |
|---|---|
| 1 \\| 2 | `x` |
| three | 4 |

```duet fixed
sλ x : ℝ ⇒ x
```

    set in **as it is**
"""


def test_a_page_is_laid_out() -> None:
    assert (
        page_text(PAGE, 30)
        == """\
A title
=======

One bold word, a link and
`a*b*c`; a long line that goes
on in the next one.

- an item that is longer than
  the line

- another

a      b
-----  ---
1 | 2  `x`
three  4

corrected:

    sλ x : ℝ ⇒ x

    set in **as it is**
"""
    )


def test_cells_go_on_below_themselves_where_a_table_is_too_wide() -> None:
    wide = "| term | what it is |\n|---|---|\n| a long name | words that do not fit |\n| b | c |\n"
    lines = page_text(wide, 24).splitlines()
    assert lines == [
        "term         what it is",
        "-----------  -----------",
        "a long name  words that",
        "             do not fit",
        "b            c",
    ]
    assert page_text("| a | b |\n|---|---|\n| unbreakable | unbreakable |\n", 9).endswith(
        "\nunbreakable  unbreakable\n"
    )


@pytest.mark.parametrize("columns", [40, 100])
def test_every_page_fits_and_keeps_its_words(columns: int) -> None:
    pages = [page(code) for code in codes()] + [rule_page(rule) for rule in rules()] + [*terms().values()]
    pages += [notion_page(name) for name in ("eps", "zcdp", "tight")]
    assert len(pages) > 200
    for text in pages:
        assert text is not None
        shown = page_text(text, columns)
        assert "```" not in shown
        assert "](" not in shown
        assert shown.endswith("\n")
        lines = shown.splitlines()
        for line, below in zip(lines, [*lines[1:], ""], strict=True):
            is_prose = not line.startswith("    ") and "  " not in line.strip() and " " in line.strip()
            is_heading = bool(below) and set(below) in ({"="}, {"-"})
            assert not is_prose or is_heading or width(line) <= columns, line


def test_what_a_terminal_would_obey_is_shown_by_its_number() -> None:
    assert "\x1b" not in page_text("# a\x1b[2J\n\nb\x1b[2J\n\n    c\x1b[2J\n\n| d\x1b[2J |\n", 80)
