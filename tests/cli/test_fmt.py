"""``duetpy fmt``: files in place, standard input, what it prints, and its exit codes."""

import io
import os
import stat
import sys
from pathlib import Path

import pytest

from duetpy.cli import fmt
from tests.cli.harness import Duetpy, Write

UNTIDY = "pλ ε:ℝ⁺. x:ℝ,ε:ℝ⁺[ε]⇒laplace[1.0,ε]<x>{x} -- one number"
TIDY = "pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <x> { x }  -- one number\n"
ASCII = "plam ε : Real+ . x : Real, ε : Real+[ε] => laplace[1.0, ε] <x> { x }  -- one number\n"


def test_a_file_is_rewritten_in_place(duetpy: Duetpy, write: Write) -> None:
    path, other = write("x.eps.duet", UNTIDY), write("y.eps.duet", TIDY)
    outcome = duetpy("fmt", "x.eps.duet", "y.eps.duet")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "x.eps.duet reformatted\n")
    assert path.read_text(encoding="utf-8") == other.read_text(encoding="utf-8") == TIDY
    assert (duetpy("fmt", "x.eps.duet").err, sorted(os.listdir())) == ("", ["x.eps.duet", "y.eps.duet"])


@pytest.mark.parametrize("options", [("--check",), ("--diff",), ("--check", "--diff")])
def test_what_only_looks_writes_nothing(duetpy: Duetpy, write: Write, options: tuple[str, ...]) -> None:
    path = write("x.eps.duet", UNTIDY)
    outcome = duetpy("fmt", *options, "x.eps.duet")
    assert outcome.code == 1
    assert path.read_text(encoding="utf-8") == UNTIDY
    assert outcome.err == ("x.eps.duet would be reformatted\n" if "--check" in options else "")
    assert (f"-{UNTIDY}" in outcome.out and f"+{TIDY}" in outcome.out) == ("--diff" in options)
    path.write_text(TIDY, encoding="utf-8")
    again = duetpy("fmt", *options, "x.eps.duet")
    assert (again.code, again.out, again.err) == (0, "", "")


@pytest.mark.parametrize(("option", "text"), [("--ascii", ASCII), ("--unicode", TIDY)])
def test_the_spelling_is_chosen(duetpy: Duetpy, write: Write, option: str, text: str) -> None:
    path = write("x.eps.duet", UNTIDY)
    assert duetpy("fmt", option, "x.eps.duet").code == 0
    assert path.read_text(encoding="utf-8") == text
    assert duetpy("fmt", "--check", "x.eps.duet").code == 0
    assert duetpy("fmt", "--ascii", "--unicode", "x.eps.duet").code == 2


@pytest.mark.parametrize("text", [UNTIDY, TIDY])
def test_standard_input_goes_to_standard_output(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    outcome = duetpy("fmt", "-")
    assert (outcome.code, outcome.out, outcome.err) == (0, TIDY, "")
    assert duetpy("fmt", "-", "-").code == 2


def test_line_ends_and_the_byte_order_mark_stay(duetpy: Duetpy, tmp_path: Path) -> None:
    path = tmp_path / "x.eps.duet"
    path.write_bytes(b"\xef\xbb\xbf" + UNTIDY.replace("⇒", "⇒\r\n").encode() + b"\r\n")
    assert duetpy("fmt", "x.eps.duet").code == 0
    content = path.read_bytes()
    assert content.startswith(b"\xef\xbb\xbfp")
    assert content.count(b"\n") == content.count(b"\r\n") == 2
    assert duetpy("fmt", "--check", "x.eps.duet").code == 0


def test_the_mode_stays_and_a_link_stays_a_link(duetpy: Duetpy, write: Write, tmp_path: Path) -> None:
    path = write("x.eps.duet", UNTIDY)
    path.chmod(0o640)
    (tmp_path / "link.eps.duet").symlink_to("x.eps.duet")
    assert duetpy("fmt", "link.eps.duet").code == 0
    assert (tmp_path / "link.eps.duet").is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.read_text(encoding="utf-8") == TIDY


def test_what_cannot_be_read_is_left_alone_and_the_rest_is_formatted(duetpy: Duetpy, write: Write) -> None:
    wrong, right = write("wrong.duet", "let x =  in"), write("right.eps.duet", UNTIDY)
    outcome = duetpy("fmt", "wrong.duet", "nowhere.duet", "right.eps.duet")
    assert (outcome.code, outcome.out) == (1, "")
    assert "error[D00" in outcome.err
    assert "error[D0090]" in outcome.err
    assert wrong.read_text(encoding="utf-8") == "let x =  in"
    assert right.read_text(encoding="utf-8") == TIDY


def test_a_file_that_cannot_be_written_stays_whole(
    duetpy: Duetpy, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("x.eps.duet", UNTIDY)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fmt.os, "fsync", full)
    outcome = duetpy("fmt", "x.eps.duet")
    assert (outcome.code, outcome.out) == (70, "")
    assert outcome.err == "duetpy: x.eps.duet could not be written: No space left on device\n"
    assert path.read_text(encoding="utf-8") == UNTIDY
    assert os.listdir() == ["x.eps.duet"]


def test_a_word_that_an_import_defines_is_a_name(duetpy: Duetpy, write: Write) -> None:
    write("lib.duet", "def max = sλ . x : ℝ ⇒ x\n")
    path = write("x.duet", 'import "lib.duet";\n\nsλ . x : ℝ ⇒ max x ⊔ x\n')
    assert duetpy("fmt", "--ascii", "x.duet").code == 0
    assert "max x ⊔ x" in path.read_text(encoding="utf-8")
