"""Parts of a table that is read again are gone over together, and so are samples of several turns: each has its own rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

import duetpy
from duetpy.runtime.evaluation import samples
from duetpy.runtime.release import driver, selecting
from duetpy.runtime.release.mechanisms import released
from duetpy.runtime.sources import opening
from duetpy.runtime.sources.streams import Stream
from duetpy.runtime.values.values import MatrixValue
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.together import TOGETHER
from tests.soundness.mutants import planted

XS = [(7 * at % 13) / 2 for at in range(200)]
KEYS = [at * at % 5 for at in range(200)]
TABLE = "k,x\n" + "".join(f"{key},{x}\n" for key, x in zip(KEYS, XS, strict=True))

SUM = "mfold-row 0.0, {table} {{ t, row ⇒ t + clip[0.0, 9.0] ({term}) }}"
FORMS: dict[str, tuple[str, Callable[[int, list[float]], float], int]] = {
    "a sum": (SUM.format(table="part", term="row.x"), lambda key, xs: sum(xs), 2),
    "a sum that looks at the key": (
        SUM.format(table="part", term="row.x + disc (real key)"),
        lambda key, xs: sum(min(9.0, x + key) for x in xs),
        7,
    ),
    "a filter": (
        SUM.format(table="(mfilter part { row ⇒ row.x < 4.0 })", term="row.x"),
        lambda key, xs: sum(x for x in xs if x < 4.0),
        2,
    ),
    "a filter that looks at the key": (
        SUM.format(table="(mfilter part { row ⇒ row.x < disc (real key) })", term="row.x"),
        lambda key, xs: sum(x for x in xs if x < key),
        7,
    ),
    "a map that looks at the key": (
        "mfold-row 0.0, (bmap part { row ⇒ row.x ⋅ disc (real key) }) { t, r ⇒ t + clip[0.0, 9.0] r#[0, 0] }",
        lambda key, xs: sum(min(9.0, x * key) for x in xs),
        7,
    ),
    "a number of rows": (
        "real (rows (mfilter part { row ⇒ row.x < 4.0 }))",
        lambda key, xs: sum(x < 4.0 for x in xs),
        2,
    ),
    "a number of rows by the key": (
        "real (rows (mfilter part { row ⇒ row.x < disc (real key) }))",
        lambda key, xs: sum(x < key for x in xs),
        7,
    ),
    "the largest": (
        "clip[0.0, 9.0] (mfold-row (disc 0.0), part { t, row ⇒ t ⊔ row.x })",
        lambda key, xs: max([0.0, *xs]),
        2,
    ),
    "a let": (
        "let most = disc 3.0 in " + SUM.format(table="part", term="row.x ⊓ most"),
        lambda key, xs: sum(min(x, 3.0) for x in xs),
        2,
    ),
    "a function": (
        "let f = sλ a : ℕ . those : 𝕄 [L∞, U | ★, k : 𝐝 ℕ ∷ x : 𝔻 ∷ []], a : ℕ[a] ⇒ "
        + SUM.format(table="those", term="row.x + disc (real a)")
        + " in f part ℕ[2]",
        lambda key, xs: sum(min(9.0, x + 2) for x in xs),
        2,
    ),
    "a function of two clipped tables": (
        "let f = sλ . those : 𝕄 [L∞, L∞≤9 | ★, x : 𝔻 ∷ []] ⇒ mfold-row 0.0, (mconv those) { t, row ⇒ t + row#[0, 0] } in "
        "f (mclip[L∞, 2.0] part.[x]) + 100.0 ⋅ f (mclip[L∞, 9.0] part.[x])",
        lambda key, xs: sum(min(x, 2.0) for x in xs) + 100.0 * sum(xs),
        11,
    ),
    "a matrix": (
        "(mfold-row (mcreate[L1 | ℕ[1], ℕ[1]] { i, j ⇒ 0.0 }), "
        "(mconv (mclip[L1, 9.0] part.[x])) { t, row ⇒ mmap t, row { a, b ⇒ a + b } })#[0, 0]",
        lambda key, xs: sum(xs),
        2,
    ),
}


def passes_of(text: str, notion: str, noise: Any = "none") -> tuple[Any, int]:
    """What a program releases, and how often it reads its table after the first time."""
    found: Counter[str] = Counter()
    again = Stream.again

    def read_again(self: Stream) -> Iterator[MatrixValue]:
        found[self.origin] += 1
        return again(self)

    with (
        TemporaryDirectory() as folder,
        patch.object(opening, "_CHUNK", 256),
        patch.object(Stream, "again", read_again),
    ):
        path = Path(folder) / "x.csv"
        path.write_text(TABLE, encoding="utf-8")
        checked = duetpy.parse(text, notion=notion).check()
        release = checked.run(xs=str(path), _stream=True, _insecure_noise=noise)
    return release.result, found.total()


def check_parts() -> None:
    """Each form over each part, with a key that no row has."""
    for name, (form, wanted, most) in FORMS.items():
        text = (
            "pλ . xs : 𝕄 [L∞, U | ★, k : 𝐝 ℕ ∷ x : 𝔻 ∷ []] ⇒ "
            f"parallel[xs, ℘{{0, 1, 2, 3, 4}}] {{ row ⇒ row.k }} {{ key, part ⇒ found ← laplace[auto, 1.0] <part> {{ {form} }} ; "
            "return ⟨key, found⟩ }"
        )
        found, passes = passes_of(text, "eps")
        by_hand = [(key, wanted(key, [x for k, x in zip(KEYS, XS, strict=True) if k == key])) for key in range(5)]
        assert sorted(found) == by_hand, name
        assert passes <= most, name


BATCHES = """pλ m : ℕ . xs : 𝕄 [L∞, U | m, k : 𝐝 ℕ ∷ x : 𝔻 ∷ []] ⇒
  loop ℕ[9] on 0.0 <xs> { i, s ⇒
    t ← sample[20] TABLE { some ⇒ mgauss[auto, 1.0, 1e-9] <some> { mcreate[L2 | ℕ[1], ℕ[1]] { i, j ⇒
      mfold-row 0.0, some { t, row ⇒ t + clip[0.0, 9.0] (row.x + 2.0 ⋅ disc (real row.k)) } } } } ;
    return s ⋅ 100.0 + t#[0, 0]
  }"""


def check_turns() -> None:
    """Nine samples, looked up four at a time: each iteration has its own, also if its table differs from one to the next."""
    rows = [x + 2.0 * key for key, x in zip(KEYS, XS, strict=True)]

    def drawn(total: int, batch: int, bits: object) -> NDArray[np.intp]:
        assert (total, batch) == (200, 20)
        places.append([(31 * len(places) + 9 * at) % 200 for at in range(batch)])
        return np.array(places[-1])

    for table, passes in (("xs", 3), ("(mmap-row xs { row ⇒ if disc s < row.x + 1e300 then row else row })", 9)):
        places: list[list[int]] = []
        with (
            patch.object(samples, "CELLS_AHEAD", 4 * 20 * 2),
            patch.object(selecting, "without_replacement", drawn),
            patch.object(driver, "noisy", lambda value, *_: released(value)),
        ):
            found, read = passes_of(BATCHES.replace("TABLE", table), "approx", noise=1)
        assert len(places) >= 9, table
        wanted = 0.0
        for turn in range(9):
            wanted = wanted * 100.0 + sum(min(9.0, rows[at]) for at in places[turn])
        assert read == passes, table
        assert found == pytest.approx(wanted, rel=1e-12), table


TWO_SIZES = """let f = pλ m : ℕ . rs : 𝕄 [L∞, U | m, k : 𝐝 ℕ ∷ x : 𝔻 ∷ []] ⇒
    sample[20] rs { some ⇒ mgauss[auto, 1.0, 1e-9] <some> { mcreate[L2 | ℕ[1], ℕ[1]] { i, j ⇒
      mfold-row 0.0, some { t, row ⇒ t + clip[0.0, 9.0] row.x } } } } in
  pλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, k : 𝐝 ℕ ∷ x : 𝔻 ∷ []], ys : 𝕄 [L∞, U | n, k : 𝐝 ℕ ∷ x : 𝔻 ∷ []] ⇒
    loop ℕ[9] on 0.0 <xs, ys> { i, s ⇒ a ← f@[m . xs] ; b ← f@[n . ys] ; return s + a#[0, 0] + b#[0, 0] }"""


def check_sizes() -> None:
    """One form draws from tables of 50 and of 200 rows by turns: each sample is drawn from as many rows as its table has."""
    of: list[int] = []

    def drawn(total: int, batch: int, bits: object) -> NDArray[np.intp]:
        of.append(total)
        return np.arange(batch)

    rows = {"k": KEYS, "x": XS}
    few = {name: column[:50] for name, column in rows.items()}
    with (
        patch.object(selecting, "without_replacement", drawn),
        patch.object(driver, "noisy", lambda value, *_: released(value)),
    ):
        release = duetpy.parse(TWO_SIZES, notion="approx").check().run(xs=few, ys=rows, _insecure_noise=1)
    assert release.result == 18 * sum(XS[:20])
    # Ahead once, and then one by one.
    assert of == [50] * 9 + [200, 50] * 8 + [200]


CHECKS = {"parts": check_parts, "turns": check_turns, "sizes": check_sizes}


@pytest.mark.parametrize("check", CHECKS)
def test_each_has_its_own_rows(check: str) -> None:
    CHECKS[check]()


@pytest.mark.parametrize("mutant", TOGETHER, ids=[mutant.name for mutant in TOGETHER])
def test_a_wrong_way_is_seen(mutant: Mutant) -> None:
    (check,) = mutant.rules
    with planted(mutant), pytest.raises(AssertionError):
        CHECKS[check]()
