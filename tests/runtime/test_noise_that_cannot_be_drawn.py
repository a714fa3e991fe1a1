"""Whether noise can be drawn for a release is decided before any row is read, also where the run may never come to it."""

from __future__ import annotations

import pytest

from duetpy.runtime.release import driver
from tests.runtime.runs import codes, go, refused

HUGE = "laplace[ℝ⁺[1e300], 1.0] <x> { x }"
PROGRAMS = {
    "after a release": f"u ← laplace[1.0, 1.0] <x> {{ x }} ; {HUGE}",
    "in a branch that a release chooses": (
        f"u ← laplace[1.0, 1.0] <x> {{ x }} ; if u < -1e9 then {{ {HUGE} }} else {{ return 1.0 }}"
    ),
    "in a function": (
        "let f = pλ s : ℝ⁺ . z : ℝ ⇒ laplace[ℝ⁺[1.0 + s], 1.0] <z> { z } in u ← laplace[1.0, 1.0] <x> { x } ; f@[1e300 . x]"
    ),
    "of a table": "u ← laplace[1.0, 1.0] <x> { x } ; mgauss[ℝ⁺[1e300], 1.0, 1e-5] <x> { mcreate[L2 | ℕ[1], ℕ[1]] { i, j ⇒ x } }",
    "of a choice": (
        "u ← laplace[1.0, 1.0] <x> { x } ; "
        "noisy-max[ℝ⁺[1e300], 1.0] (mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ real j }) <x> { c ⇒ c + x }"
    ),
    "of a power that is no fraction": "u ← laplace[1.0, 1.0] <x> { x } ; ggauss[1.0, ℝ⁺[√3], 1.0] <x> { x }",
}


@pytest.mark.parametrize("body", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_nothing_is_drawn_before_it_is_found_out(body: str, rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[object] = []
    monkeypatch.setattr(driver, "noisy", lambda *args: drawn.append(args))
    notion = "approx" if "mgauss" in body or "ggauss" in body else "eps"
    assert codes(refused(f"pλ . x : ℝ ⇒ {body}", {}, notion, {"on_bad_row": rule}, x=0.0)) == ["D0703"]
    assert drawn == []


def test_a_branch_that_static_numbers_leave_out_needs_no_noise() -> None:
    release = go(f"pλ . x : ℝ ⇒ if 2.0 < 1.0 then {{ {HUGE} }} else {{ laplace[1.0, 1.0] <x> {{ x }} }}", {}, x=0.0)
    assert len(release.releases) == 1
