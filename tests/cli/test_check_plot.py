"""``check --plot``: the curves of what was proved."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.harness import Duetpy, Write
from tests.cli.programs import CURRIED, RHO


@pytest.mark.parametrize("name", ["out.svg", "out.png"])
def test_the_curves_are_drawn_where_matplotlib_is_there(
    duetpy: Duetpy, write: Write, tmp_path: Path, name: str
) -> None:
    write("rho.zcdp.duet", RHO)
    given = ("--set", "k=5", "--set", "ρ=0.02", "--set", "m=10")
    outcome = duetpy("check", "rho.zcdp.duet", *given, "--plot", name)
    assert "costs k⋅ρ" in outcome.out
    assert (tmp_path / name).exists() == (outcome.code == 0) == (find_spec("matplotlib") is not None)
    assert (outcome.err == "") == (outcome.code == 0)


@pytest.mark.parametrize(
    ("program", "words", "code", "said"),
    [
        (RHO, ("--plot", "out.svg"), 1, "a plot needs a number for every variable: --set k=…"),
        (CURRIED, ("--plot", "out.svg"), 1, "no parameter is protected"),
        (RHO, ("--plot", "out.gif"), 2, "must end in .svg or .png"),
        (RHO, ("p.zcdp.duet", "--plot", "out.svg"), 2, "a picture is of one program"),
    ],
)
def test_a_picture_of_nothing_says_why(
    duetpy: Duetpy, write: Write, tmp_path: Path, program: str, words: tuple[str, ...], code: int, said: str
) -> None:
    write("p.zcdp.duet", program)
    outcome = duetpy("check", "p.zcdp.duet", *words)
    assert outcome.code == code
    assert said in outcome.err
    assert not (tmp_path / "out.svg").exists()


def test_no_picture_is_drawn_of_a_program_that_is_refused(duetpy: Duetpy, write: Write, tmp_path: Path) -> None:
    write("p.eps.duet", "x")
    assert duetpy("check", "p.eps.duet", "--plot", "out.svg").code == 1
    assert not (tmp_path / "out.svg").exists()
