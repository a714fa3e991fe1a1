from textwrap import dedent

from duetpy.diagnostics.diagnostic import Diagnostic, Label, Severity
from duetpy.diagnostics.text import LINE_WIDTH, Palette, render
from duetpy.source import Source, Span


def span(source: Source, text: str, occurrence: int = 0) -> Span:
    at = -1
    for _ in range(occurrence + 1):
        at = source.text.index(text, at + 1)
    return Span(source, at, at + len(text))


def shown(text: str) -> str:
    return dedent(text).lstrip("\n")


def test_a_diagnostic_with_everything() -> None:
    source = Source(
        "gd.ed.duet",
        "a\nb\nc\n    let s = ℝ⁺[1.0] / real (rows xs) in\n    g ← mgauss[s, ε, δ] <xs, ys> { ∇[LR | θ ; xs, ys] } ;\n",
    )
    diagnostic = Diagnostic(
        "D0311",
        "the gradient is more sensitive than claimed",
        span(source, "∇[LR | θ ; xs, ys]"),
        "xs has 2/m here",
        (Label(span(source, "ℝ⁺[1.0] / real (rows xs)"), "claims 1/m"),),
        ("each row has length at most 1",),
        "write mgauss[auto, ε, δ]",
    )
    assert render(diagnostic) == shown(
        """
        error[D0311]: the gradient is more sensitive than claimed
          --> gd.ed.duet:5:36
           |
         4 |     let s = ℝ⁺[1.0] / real (rows xs) in
           |             ------------------------ claims 1/m
         5 |     g ← mgauss[s, ε, δ] <xs, ys> { ∇[LR | θ ; xs, ys] } ;
           |                                    ^^^^^^^^^^^^^^^^^^ xs has 2/m here
           |
           = each row has length at most 1
        help: write mgauss[auto, ε, δ]
        more: duetpy explain D0311, duetpy why gd.ed.duet
        """
    )


def test_lines_between_two_places_are_left_out_but_a_single_one_is_kept() -> None:
    source = Source("x.duet", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n")
    labels = (Label(span(source, "three"), "here"), Label(span(source, "seven"), "there"))
    text = render(Diagnostic("D0101", "wrong", span(source, "one"), "this", labels))
    assert text.splitlines()[3:-2] == [
        " 1 | one",
        "   | ^^^ this",
        " 2 | two",
        " 3 | three",
        "   | ----- here",
        "...",
        " 7 | seven",
        "   | ----- there",
    ]


def test_several_messages_on_one_line_hang_below_each_other() -> None:
    source = Source("x.duet", "let s = 1 in f s t\n")
    labels = (Label(span(source, "s"), "the first"), Label(span(source, "s", 1), "the second"))
    text = render(Diagnostic("D0101", "wrong", span(source, "t", 1), "the last", labels))
    assert text.splitlines()[3:-2] == [
        " 1 | let s = 1 in f s t",
        "   |     -          - ^ the last",
        "   |     |          |",
        "   |     |          the second",
        "   |     the first",
    ]


def test_a_place_inside_another_keeps_both_visible() -> None:
    source = Source("x.duet", "f (g x) y\n")
    text = render(
        Diagnostic("D0101", "wrong", span(source, "g x"), "inner", (Label(span(source, "f (g x) y"), "outer"),))
    )
    assert text.splitlines()[3:-2] == [
        " 1 | f (g x) y",
        "   | ---^^^---",
        "   | |  |",
        "   | |  inner",
        "   | outer",
    ]


def test_carets_stand_under_wide_characters_and_tabs() -> None:
    source = Source("x.duet", "\t年齢 + bad\n")
    text = render(Diagnostic("D0101", "wrong", span(source, "bad"), "no"))
    assert text.splitlines()[3:5] == [" 1 |     年齢 + bad", "   |            ^^^ no"]


def test_a_span_of_several_lines_is_marked_on_its_first() -> None:
    source = Source("x.duet", "f (a\n  b\n  c)\n")
    text = render(Diagnostic("D0101", "wrong", span(source, "(a\n  b\n  c)"), "all this"))
    assert text.splitlines()[3:5] == [" 1 | f (a", "   |   ^^ all this (to line 3)"]


def test_the_end_of_a_file_can_be_pointed_at() -> None:
    for text in ("", "let", "let\n"):
        source = Source("x.duet", text)
        rendered = render(Diagnostic("D0002", "ended", Span(source, len(text), len(text)), "here"))
        assert "^ here" in rendered
        line = text.count("\n") + 1
        assert f"x.duet:{line}:{len(text.splitlines()[-1]) + 1 if line == 1 and text else 1}" in rendered


def test_a_span_that_ends_with_a_line_end_stays_on_its_line() -> None:
    source = Source("x.duet", "abc\nd\n")
    lines = render(Diagnostic("D0002", "wrong", Span(source, 0, 4), "here")).splitlines()
    assert lines[3:6] == [" 1 | abc", "   | ^^^ here", "   |"]


def test_a_long_line_is_cut_around_the_place() -> None:
    source = Source("x.duet", "x" * 5_000 + " bad " + "y" * 5_000 + "\n")
    lines = render(Diagnostic("D0101", "wrong", span(source, "bad"), "no")).splitlines()
    assert len(lines[3]) < LINE_WIDTH + 12
    assert lines[3].startswith(" 1 | …x")
    assert lines[3].endswith("y…")
    start = lines[4].index("^")
    assert lines[3][start : start + 3] == "bad"


def test_a_line_of_controls_is_cut_too() -> None:
    source = Source("x.duet", "\x1b" * 5_000 + " bad\n")
    lines = render(Diagnostic("D0101", "wrong", span(source, "bad"), "no")).splitlines()
    assert "\x1b" not in "".join(lines)
    assert len(lines[3]) < 500


def test_a_hostile_text_cannot_drive_the_terminal() -> None:
    source = Source("evil\x1b[2J.duet", "f \x1b[31m\u202e x\n")
    diagnostic = Diagnostic(
        "D0101",
        "no name \x1b]0;title\x07",
        span(source, "x"),
        "\x1b[0m",
        (Label(span(source, "f"), "\r"),),
        ("note\x1b",),
        "help\x1b",
        where="file\x1b, line 1",
    )
    text = render(diagnostic)
    assert "\x1b" not in text
    assert "\r" not in text
    assert "\u202e" not in text
    assert "\x07" not in text


def test_a_diagnostic_without_text_to_point_at() -> None:
    diagnostic = Diagnostic(
        "D0604", "not a number", where="people.csv, line 418, column 'age'", help="correct the cell"
    )
    assert render(diagnostic) == shown(
        """
        error[D0604]: people.csv, line 418, column 'age': not a number
        help: correct the cell
        more: duetpy explain D0604
        """
    )


def test_a_place_in_another_file_is_shown_under_its_name() -> None:
    here, there = Source("a.duet", "use x\n"), Source("b.duet", "\n\ndef x = 1\n")
    text = render(Diagnostic("D0101", "wrong", span(here, "x"), "used", (Label(span(there, "x"), "defined"),)))
    assert text.splitlines()[1:-1] == [
        "  --> a.duet:1:5",
        "   |",
        " 1 | use x",
        "   |     ^ used",
        "   |",
        "  ::: b.duet:3:5",
        "   |",
        " 3 | def x = 1",
        "   |     - defined",
        "   |",
    ]


def test_warnings_say_so_and_colours_are_asked_for() -> None:
    source = Source("x.duet", "f x\n")
    diagnostic = Diagnostic("D0101", "wrong", span(source, "x"), "no", severity=Severity.WARNING)
    assert render(diagnostic).startswith("warning[D0101]: wrong\n")
    assert "\x1b" not in render(diagnostic)
    coloured = render(diagnostic, Palette(enabled=True))
    assert coloured.startswith("\x1b[1;33mwarning[D0101]\x1b[0m")
