"""Tables of persons are about the same persons: whatever states a cost states that of all of them together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import duetpy
from duetpy import DuetError

TWO = """\
pλ p : persons[id : 𝕊 | v : 𝔻𝔽[a : 𝔻]], q : persons[id : 𝕊 | w : 𝔻𝔽[b : 𝔻]], xs : 𝔻𝔽[c : 𝔻], static ρ : ℝ⁺ ⇒
  first ← gauss[1, ρ] <p, q> { real (rows p) + real (rows q) } ;
  second ← gauss[1, ρ] <xs> { real (rows xs) } ;
  return ⟨first, second⟩"""
DATA: dict[str, Any] = {"p": {"v": "v.csv"}, "q": {"w": "w.csv"}, "xs": "rows.csv"}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"v": "id,a\na,1\nb,2\n", "w": "id,b\na,1\n", "rows": "c\n3\n"}.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")


def test_all_that_state_a_cost_state_the_same() -> None:
    """Two steps of a Gaussian of ρ = 1/4 are its distance doubled: ρ = 1."""
    checked = duetpy.parse(TWO, "zcdp").check()
    told = duetpy.parse(TWO, "zcdp").state({"ρ": 0.25})
    by_name = {parameter.name: parameter for parameter in told.parameters}
    assert [by_name[name].unit for name in ("p", "q", "xs")] == ["p+q", "p+q", "xs"]
    assert [by_name[name].value for name in ("p", "q", "xs")] == [{"rho": 1.0}, {"rho": 1.0}, {"rho": 0.25}]
    assert checked.cost(ρ=0.25)["p"] == {"rho": 1.0}
    units = checked.compare(ρ=0.25)
    assert list(units) == ["p+q", "xs"]
    assert units["p+q"].rows[0].value == {"rho": 1.0}
    assert checked.calibrate({"rho": 1}, "ρ").value == 0.25
    release = checked.run(**DATA, ρ=0.25)
    assert release.privacy["total"]["rho"] == 1.0
    assert [each["value"] for each in release.privacy["parameters"]] == [{"rho": 1.0}, {"rho": 1.0}, {"rho": 0.25}]
    for explained in duetpy.parse(TWO, "zcdp").why(None, {"ρ": 0.25}).to_json()["parameters"]:
        assert explained["why"]["value"] == explained["value"] == by_name[explained["name"]].value
    tight = told.parameters[0].tight
    assert tight is not None
    assert release.privacy["tight"]["epsilon"] == tight["epsilon"]


@pytest.mark.parametrize(("bound", "is_kept"), [("1", True), ("0.999", False)])
def test_a_promise_is_about_all_tables_of_a_person(bound: str, is_kept: bool) -> None:
    program = duetpy.parse(TWO + f"\n  ensures ρ ≤ {bound}", "zcdp")
    checked = program.check()
    if is_kept:
        assert checked.run(**DATA, ρ=0.25).privacy["total"]["rho"] == 1.0
        return
    for states in (lambda: checked.cost(ρ=0.25), lambda: checked.compare(ρ=0.25), lambda: checked.run(**DATA, ρ=0.25)):
        with pytest.raises(DuetError) as caught:
            states()
        assert [each.code for each in caught.value.diagnostics] == ["D0511"]


def test_what_is_free_or_in_the_clear_is_no_part_of_a_persons_cost() -> None:
    text = TWO.replace("⟨first, second⟩", "rows q").replace(
        "<p, q> { real (rows p) + real (rows q) }", "<p> { real (rows p) }"
    )
    costs = duetpy.parse(text, "zcdp").check().cost(ρ=0.25)
    assert (costs["p"], costs["q"]) == ({"rho": 0.25}, {"rho": None})


def test_every_table_is_explained() -> None:
    lines = str(duetpy.parse(TWO, "zcdp").why()).splitlines()
    assert [line for line in lines if " costs " in line and not line.startswith(" ")] == [
        "p, q (the same persons) costs 4⋅ρ",
        "xs costs ρ",
    ]
    assert lines[1] == "└ 4⋅ρ  one change moves several inputs"
    assert [line[:8] for line in lines if line[2:3] in ("├", "└")][:2] == ["  ├ p: ρ", "  └ q: ρ"]
