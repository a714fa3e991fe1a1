"""Who is who where nothing in one input says it, and other inputs of the run do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from attrs import define

import duetpy
from duetpy.runtime.sources import registry

FIXED, FREE = "𝕄 [L∞, U | 3, a : 𝔻 ∷ []]", "𝕄 [L∞, U | ★, a : 𝔻 ∷ []]"
NOISE = "laplace[auto, 1.0] <{0}> {{ {1} }}"
SUM = "(mfold-row 0.0, {0} {{ s, r ⇒ s + clip[0.0, 1.0] r.a }})"
OF_PAIR = NOISE.format("p", f"let ⟨a, b⟩ = p in {SUM.format('a')} + {SUM.format('b')}")
CELLS = {"a": [0.0, 1.0, 1.0]}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files about different people."""
    monkeypatch.chdir(tmp_path)
    for name in ("x", "y", "z"):
        Path(f"{name}.csv").write_text("a\n0\n1\n1\n", encoding="utf-8")


def privacy(text: str, **data: Any) -> Mapping[str, Any]:
    return duetpy.parse(text, notion="eps").check().run(**data).privacy


def in_memory() -> dict[str, np.ndarray]:
    return {name: np.array(cells) for name, cells in CELLS.items()}


def test_two_aligned_tables_in_memory_may_make_two_files_of_the_same_people() -> None:
    """One may be a copy of x.csv and the other one of y.csv. A pair of the two files was charged for one step, and a ★ table as if
    a row only came or went."""
    aligned = NOISE.format("xs, ys", SUM.format("xs"))
    text = f"pλ . ⟨xs : {FIXED}, ys : {FIXED}⟩, p : {FIXED} × {FIXED} ⇒ u ← {aligned} ; v ← {OF_PAIR} ; return u + v"
    found = privacy(text, xs=in_memory(), ys=in_memory(), p=("x.csv", "y.csv"))
    assert (found["total"]["epsilon"], found["unit"]) == (
        3.0,
        "one row of xs and ys and x.csv and y.csv (xs+ys, p together)",
    )
    # One table twice is a copy of one file.
    own = in_memory()
    assert privacy(text, xs=own, ys=own, p=("x.csv", "y.csv"))["total"]["epsilon"] == 2.0
    text = f"pλ . ⟨xs : {FREE}, ys : {FREE}⟩, f : {FIXED}, s : {FREE} ⇒ {NOISE.format('s', 'real (rows s)')}"
    assert privacy(text, xs=own, ys=in_memory(), f="x.csv", s="y.csv")["total"]["epsilon"] == 2.0
    assert privacy(text, xs=own, ys=own, f="x.csv", s="y.csv")["total"]["epsilon"] == 1.0


def test_a_file_that_is_aligned_with_two_tables_in_memory_makes_others_of_the_same_people() -> None:
    tables = ", ".join(f"⟨x{at} : {FIXED}, y{at} : {FIXED}⟩" for at in range(2))
    text = f"pλ . {tables}, p : {FIXED} × {FIXED} ⇒ {OF_PAIR}"
    own = in_memory()
    for other, epsilon in ((in_memory(), 2.0), (own, 1.0)):
        found = privacy(text, x0="z.csv", y0=own, x1="z.csv", y1=other, p=("x.csv", "y.csv"))
        assert found["total"]["epsilon"] == epsilon


@define
class Clinic:
    """A source of three rows, with an identity."""

    name: str
    identity: ClassVar[str] = "clinic"
    schema: ClassVar[dict[str, str]] = {"a": "number"}
    rows: ClassVar[int] = 3

    def blocks(self, columns: Sequence[str]) -> Iterator[Rows]:
        yield Rows(columns)


@define
class Rows:
    """The rows."""

    columns: Sequence[str]

    def read(self) -> Mapping[str, object]:
        return {name: CELLS[name] for name in self.columns}


@pytest.mark.parametrize(("given", "epsilon"), [("x.clinic", 2.0), ("z.csv", 1.0)])
def test_a_file_that_has_an_identity_links_both(given: str, epsilon: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """link.csv is the file x.clinic, and its people are those of the clinic, as the run knows from another input."""
    monkeypatch.setattr(registry, "_REGISTERED", {})
    duetpy.register_source(".clinic", Clinic)
    Path("x.clinic").write_text("a\n0\n1\n1\n", encoding="utf-8")
    Path("link.csv").symlink_to("x.clinic")
    text = f"pλ . p : {FIXED} × {FIXED}, zs : {FIXED} ⇒ {OF_PAIR}"
    assert privacy(text, p=("link.csv", Clinic("")), zs=given)["total"]["epsilon"] == epsilon
    # A row of link.csv leaves the ★ table where one of the clinic is replaced.
    text = f"pλ . s : {FREE}, f : {FIXED}, zs : {FIXED} ⇒ {NOISE.format('s', 'real (rows s)')}"
    assert privacy(text, s="link.csv", f=Clinic(""), zs=given)["total"]["epsilon"] == epsilon
