import pytest

from duetpy.diagnostics.catalogue import codes
from tests.cli.harness import Duetpy
from tests.effort import IS_THOROUGH


@pytest.mark.parametrize("name", ["D0311", "d0311"])
def test_the_page_of_a_code(duetpy: Duetpy, name: str) -> None:
    outcome = duetpy("explain", name)
    assert outcome.code == 0
    assert outcome.err == ""
    assert outcome.out.startswith("# D0311: ")
    assert "```duet" in outcome.out


def test_every_page_can_be_printed(duetpy: Duetpy) -> None:
    for code in codes()[:: 1 if IS_THOROUGH else 4]:
        outcome = duetpy("explain", code)
        assert outcome.code == 0
        assert outcome.out.startswith(f"# {code}: ")


@pytest.mark.parametrize(("name", "title"), [("mclip", "mclip"), ("+", "+"), ("⋅", "⋅"), ("*", "⋅"), ("sqrt", "√")])
def test_a_primitive_is_explained_by_what_the_checker_reads(duetpy: Duetpy, name: str, title: str) -> None:
    outcome = duetpy("explain", name)
    assert outcome.code == 0
    assert outcome.out.startswith(f"# {title}")
    assert f"prim {title}" in outcome.out or f"prim ({title})" in outcome.out


@pytest.mark.parametrize(
    ("name", "hint"),
    [("D0310", "did you mean D0"), ("mclipp", "mclip"), ("../../docs/ledger", ""), ("D0311/../D0311", ""), ("", "")],
)
def test_an_unknown_name(duetpy: Duetpy, name: str, hint: str) -> None:
    outcome = duetpy("explain", name)
    assert outcome.code == 2
    assert outcome.out == ""
    assert "there is no diagnostic, rule or primitive" in outcome.err
    assert hint in outcome.err


def test_without_a_name_everything_is_listed(duetpy: Duetpy) -> None:
    outcome = duetpy("explain")
    assert (outcome.code, outcome.err) == (0, "")
    listed = [line.split()[0] for line in outcome.out.splitlines() if line.startswith("  ")]
    for name in ("D0101", "D0311", "mclip", "poisson", "⋅"):
        assert name in listed
    for name in listed:
        assert duetpy("explain", name).code == 0
