"""Windows line ends: programs, tables and settings mean the same, places stay right, and `fmt` keeps the line ends."""

from pathlib import Path

import pytest

from tests.cli.harness import Duetpy
from tests.cli.programs import MEAN

WRONG = MEAN.replace("row.age", "row.agee")
TABLE = "age\n31\n44\n"
BAD = "age\n31\n44\nold\n"
SETTING = """\
plam n : Nat . xs : DF[age : Disc else 0], bs : Matrix [Linf, U | 1, n*Real], static eps : Real+ =>
  laplace[1, eps] <xs> { real (rows xs) }
"""
NOISELESS = ("--set", "eps=0.5", "--insecure-noise", "none")


def lay(folder: Path, files: dict[str, str], end: bytes) -> None:
    for name, text in files.items():
        (folder / name).write_bytes(text.encode("utf-8").replace(b"\n", end))


@pytest.mark.parametrize(
    "words",
    [
        ("check", "mean.eps.duet", "-v", "--set", "eps=0.5", "--set", "m=3"),
        ("check", "mean.eps.duet", "--format", "json"),
        ("check", "wrong.eps.duet"),
        ("check", "wrong.eps.duet", "--format", "json"),
        ("check", "wrong.eps.duet", "--format", "sarif"),
        ("check", "mean.eps.duet", "--core"),
        ("why", "mean.eps.duet"),
        ("cost", "mean.eps.duet", "--set", "eps=0.5"),
        ("run", "mean.eps.duet", "--data", "table.csv", *NOISELESS),
        ("run", "mean.eps.duet", "--data", "table.csv", *NOISELESS, "--explain-plan"),
        ("run", "mean.eps.duet", "--data", "bad.csv", "--set", "eps=0.5"),
        ("run", "mean.eps.duet", "--data", "bad.csv", *NOISELESS, "--on-bad-row", "default"),
        ("run", "setting.eps.duet", "--data", "table.csv", "--set", "bs=@bs.csv", *NOISELESS),
        ("schema", "table.csv"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_every_command_says_the_same(duetpy: Duetpy, tmp_path: Path, words: tuple[str, ...]) -> None:
    """Byte for byte on both streams, with the same exit code; a place is that of the line as an editor counts it."""
    files = {
        "mean.eps.duet": MEAN,
        "wrong.eps.duet": WRONG,
        "setting.eps.duet": SETTING,
        "table.csv": TABLE,
        "bad.csv": BAD,
        "bs.csv": "1,2,3\n",
    }
    lay(tmp_path, files, b"\n")
    expected = duetpy(*words)
    lay(tmp_path, files, b"\r\n")
    assert duetpy(*words) == expected


def test_a_place_is_that_of_its_line(duetpy: Duetpy, tmp_path: Path) -> None:
    lay(tmp_path, {"wrong.eps.duet": WRONG}, b"\r\n")
    outcome = duetpy("check", "wrong.eps.duet")
    assert "--> wrong.eps.duet:3:71\n" in outcome.err
    assert "\r" not in outcome.err


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
def test_fmt_keeps_the_line_ends(duetpy: Duetpy, tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "mean.eps.duet"
    lay(tmp_path, {"mean.eps.duet": MEAN.replace("total + clip", "total   +   clip")}, end)
    assert duetpy("fmt", "mean.eps.duet").code == 0
    after = path.read_bytes()
    assert after.count(b"\n") == after.count(end) == MEAN.count("\n")
    assert b"total + clip" in after
    assert duetpy("fmt", "--check", "mean.eps.duet").code == 0


def test_a_file_of_mixed_line_ends_gets_those_of_most_lines(duetpy: Duetpy, tmp_path: Path) -> None:
    path = tmp_path / "mean.eps.duet"
    lines = MEAN.encode("utf-8").split(b"\n")
    path.write_bytes(b"\r\n".join(lines[:3]) + b"\r\n" + b"\n".join(lines[3:]))
    assert duetpy("fmt", "mean.eps.duet").code == 0
    assert path.read_bytes().count(b"\r\n") == path.read_bytes().count(b"\n")
