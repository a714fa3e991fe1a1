"""Sets of keys: which keys of a row count, how keys are compared, and what decides which of them are shown."""

import builtins
import random
from collections import Counter
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import duetpy
from duetpy.accounting.kept_counts import threshold
from duetpy.accounting.kept_keys import ONE, keep_table
from duetpy.audit import statistics
from duetpy.cli.main import main
from duetpy.runtime.engines.threads import ThreadsEngine
from duetpy.runtime.exact.rationals import of_fractions, plain
from duetpy.runtime.noise.key_coins import kept, noisy
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release.key_counts import counted, encoded
from duetpy.runtime.values.batching import lane, set_of, stack
from duetpy.runtime.values.values import (
    Apart,
    Injected,
    MatrixValue,
    Missing,
    SetLanes,
    SetValue,
    Value,
    matrix_of_columns,
    texts_of,
)
from tests.runtime.runs import go

TABLE = "xs : 𝕄 [L∞, U | ★, a : 𝐝 𝕊 ∷ b : 𝐝 𝕊 ∷ c : 𝐝 𝕊 ∷ n : 𝐝 ℕ ∷ x : 𝔻 ∷ []]"


def found(body: str, rows: list[dict[str, Any]], k: int = 1) -> Any:
    """The keys that are shown of rows, where all that count are shown."""
    return without_noise(f"pλ . {TABLE} ⇒ keys[ℕ[{k}], 1.0, 0.01] xs {{ r ⇒ {body} }}", rows)


def without_noise(text: str, rows: list[dict[str, Any]]) -> Any:
    return go(text, {"xs": columns_of(rows)}, "approx", {"insecure_noise": "none"}).result


def columns_of(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in "abcnx"}


def person(a: str, b: str = "", c: str = "", n: int = 0, x: float = 0.0) -> dict[str, Any]:
    return {"a": a, "b": b, "c": c, "n": n, "x": x}


ROWS = [person("u", "v", "w", 3, 0.5), person("u", "u", "v", 3, -0.0), person("w", "u", "u", 7, 0.0)]


@pytest.mark.parametrize(
    ("body", "k", "keys"),
    [
        ("r.a", 1, {"u", "w"}),
        ("r.n", 1, {3, 7}),
        ("r.x", 1, {0.5, 0.0}),
        ("r.x < 0.25", 1, {True, False}),
        ("if r.n ≡ disc 3 then none[𝕊] else r.c", 1, {"u"}),
        ("if r.n ≡ disc 3 then none[𝐝 ℕ] else none[𝐝 ℕ]", 1, set()),
        ("(sλ z : 𝕊? ⇒ z) r.a", 1, {"u", "w"}),
        ("℘{r.a, if r.n ≡ disc 3 then none[𝕊] else r.c}", 2, {"u", "w"}),
        ("⟨r.a, r.n⟩", 1, {("u", 3), ("w", 7)}),
        ('"everybody"', 1, {"everybody"}),
        ("℘{r.a, r.b, r.c}", 3, {"u", "v", "w"}),
        ("if r.n ≡ disc 3 then ℘{r.a, r.b} else ℘{r.c}", 2, {"u", "v"}),
        ('℘{"all", "of them"}', 2, {"all", "of them"}),
        ("if r.n ≡ disc 3 then inl[𝐝 ℕ] r.a else inr[𝐝 𝕊] r.n", 1, None),
    ],
)
def test_keys_of_every_type_are_found(body: str, k: int, keys: set[Any] | None) -> None:
    shown = found(body, ROWS, k)
    assert len(shown) == (2 if keys is None else len(keys))
    assert keys is None or shown == sorted(keys)


def test_nobody_has_no_keys() -> None:
    text = f"pλ . {TABLE} ⇒ keys[ℕ[1], 1.0, 0.01] (mfilter xs {{ r ⇒ r.x < -1.0 }}) {{ r ⇒ r.a }}"
    assert without_noise(text, ROWS) == []


def test_the_set_is_the_set_of_parallel() -> None:
    """Keys that are numbers find their rows again, also those that are not doubles."""
    for key in ("r.a", "r.n", "r.x / 3.0", "⟨r.a, r.x / 3.0⟩"):
        text = (
            f"pλ . {TABLE} ⇒ found ← keys[ℕ[1], 1.0, 0.01] xs {{ r ⇒ {key} }} ; parallel[xs, found] {{ r ⇒ {key} }} "
            "{ key, part ⇒ n ← dlaplace[1.0, 1.0] <part> { rows part } ; return ⟨key, n⟩ }"
        )
        result = without_noise(text, ROWS)
        assert sum(number for _, number in result) == 3, key


def test_large_naturals_are_different_keys() -> None:
    """2^53 + 3 and 2^53 + 4 are one double."""
    large = 1 << 53
    text = (
        "pλ . xs : 𝕄 [L∞, U | ★, n : ℕ ∷ s : 𝐝 𝕊 ∷ []] ⇒ "
        f"found ← keys[ℕ[1], 1.0, 0.01] xs {{ r ⇒ r.n + {large} }} ; "
        f"parallel[xs, found] {{ r ⇒ r.n + {large} }} "
        "{ key, part ⇒ n ← dlaplace[1.0, 1.0] <part> { rows part } ; return ⟨key, n⟩ }"
    )
    data = {"n": [3, 4, 4], "s": ["", "", ""]}
    result = go(text, {"xs": data}, "approx", {"insecure_noise": "none"}).result
    assert result == [(large + 3, 1.0), (large + 4, 2.0)]


def test_keys_are_printed_in_order(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    (tmp_path / "x.ed.duet").write_text(f"pλ . {TABLE} ⇒ keys[ℕ[2], 99.0, 0.9] xs {{ r ⇒ ℘{{r.a, r.b}} }}", "utf-8")
    (tmp_path / "xs.csv").write_text("a,b,c,n,x\nz,m,,0,0\nb,z,,0,0\nq,b,,0,0\na,m,,0,0\n", "utf-8")
    main(["run", str(tmp_path / "x.ed.duet"), "--data", str(tmp_path / "xs.csv"), "--insecure-noise", "none"])
    assert capsys.readouterr().out.split() == ["value", "a", "b", "m", "q", "z"]


MAYBE = "xs : 𝕄 [L∞, U | ★, a : 𝕊? ∷ b : 𝐝 𝕊 ∷ n : (𝐝 ℕ)? ∷ []]"


@pytest.mark.parametrize(
    ("body", "k", "keys"),
    [
        ("r.a", 1, ["u", "w"]),
        ("r.n", 1, [3, 7]),
        ('if r.b ≡ disc "y" then r.n else none[𝐝 ℕ]', 1, [7]),
        ("none[𝕊]", 1, []),
        ('℘{r.b, r.a or-else "nowhere"}', 2, ["nowhere", "u", "w", "x", "y"]),
    ],
)
def test_a_row_whose_key_is_missing_has_none(body: str, k: int, keys: list[Any]) -> None:
    data = {"a": ["u", None, "w", "u"], "b": ["x", "x", "y", "x"], "n": [3, None, 7, None]}
    text = f"pλ . {MAYBE} ⇒ keys[ℕ[{k}], 1.0, 0.01] xs {{ r ⇒ {body} }}"
    assert go(text, {"xs": data}, "approx", {"insecure_noise": "none"}).result == keys


def test_a_row_with_missing_cells_and_too_many_keys_is_cut_as_others_are() -> None:
    data = {"a": ["u", None, "w", None], "b": ["x", "x", "y", "z"], "n": [3, None, 7, None]}
    text = f'pλ . {MAYBE} ⇒ keys[ℕ[1], 1.0, 0.01] xs {{ r ⇒ ℘{{r.b, disc "one", disc "two"}} }}'
    result = go(text, {"xs": data}, "approx", {"insecure_noise": "none"}).result
    assert 1 <= len(result) <= 4
    assert set(result) <= {"x", "y", "z", "one", "two"}


# ---------------------------------------------------------------------------------------------------------------------
# Which keys of a row count


def laned(rows: list[list[str]]) -> tuple[Value, MatrixValue]:
    """Rows of texts, and the set of the texts of each."""
    columns = [texts_of([row[at] for row in rows]) for at in range(len(rows[0]))]
    return SetLanes(tuple(columns)), matrix_of_columns(columns, len(rows), None)


def test_of_a_row_no_more_keys_count_than_it_may_have() -> None:
    names = [f"key {i}" for i in range(6)]
    rows = [[random.Random(i).choice(names) for _ in range(5)] for i in range(300)]
    sets, table = laned(rows)
    for most in range(1, 7):
        counts = counted(sets, table, most, has_several=True)
        assert sum(number for _, number in counts) == sum(min(most, len(set(row))) for row in rows)
        assert [key for key, _ in counts] == sorted(key for key, _ in counts)
        alone = Counter()
        for at, row in enumerate(rows):
            own = counted(*laned([row]), most, has_several=True)
            assert {number for _, number in own} == {1}
            assert {key for key, _ in own} <= set(row), at
            alone.update(key for key, _ in own)
        assert dict(counts) == alone  # a row's keys do not depend on the others


def test_no_key_is_favoured() -> None:
    """Over rows that differ in nothing but a name, each of four keys is as often among the two that count."""
    rows = [["a", "b", "c", "d", f"person {i}"] for i in range(4000)]
    columns = [texts_of([row[at] for row in rows]) for at in range(5)]
    table = matrix_of_columns(columns, len(rows), None)
    counts = dict(counted(SetLanes(tuple(columns[:4])), table, 2, has_several=True))
    assert all(abs(number - 2000) < 6 * 32 for number in counts.values())
    assert len(counts) == 4


def test_equal_rows_have_equal_bytes_however_they_are_stored() -> None:
    fractions = of_fractions([Fraction(1, 2), Fraction(-0.0)], (2,))
    doubles = plain(np.array([0.5, -0.0]))
    halves = doubles.take(np.array([0, 1]))
    for at in range(2):
        assert len({encoded(lane(each, at)) for each in (fractions, doubles, halves)}) == 1
    assert encoded(3) == encoded(Fraction(3))


def test_different_values_have_different_bytes() -> None:
    values: list[Value] = [
        *(True, False, 0, 1, 11, Fraction(1, 2), "", "1", "1/1;", "ab", "a", "b"),
        *(("a", "b"), ("ab", ""), ("", "ab"), (1, 1), (("a", "b"), "c"), ("a", ("b", "c"))),
        *(set_of(["a", "b"]), set_of(["ab"]), Injected(True, "a"), Injected(False, "a")),
        *(
            matrix_of_columns([texts_of(["a", "b"])], 2, None),
            matrix_of_columns([texts_of([each]) for each in "ab"], 1, None),
        ),
    ]
    assert len({encoded(value) for value in values}) == len(values)
    assert not any(
        one != two and encoded(two).startswith(encoded(one))
        for one in values
        for two in values
        if encoded(one) != encoded(two)
    )


def test_sets_of_different_sizes_are_counted_like_others() -> None:
    rows = [["a", "b"], ["a", "a"], ["b", "c"]]
    sets, table = laned(rows)
    apart = stack([set_of(list(row)) for row in rows])
    assert dict(counted(apart, table, 2, has_several=True)) == {"a": 2, "b": 2, "c": 1}
    assert counted(apart, table, 1, has_several=True) == counted(sets, table, 1, has_several=True)


def test_which_keys_count_does_not_depend_on_how_the_sets_of_rows_are_stored() -> None:
    """One longer set makes a run store those of all rows one by one: keys that are missing, or no doubles, count alike."""
    rows, gone = 60, Missing(Fraction(0))
    table = matrix_of_columns([texts_of([f"row {at}" for at in range(rows)])], rows, None)
    exact = [[Fraction(at + 1, 3), Fraction(at + 2, 7), gone if at % 2 else Fraction(at)] for at in range(rows)]
    columns = [stack([row[at] for row in exact]) for at in range(3)]
    apart = Apart(tuple(SetValue(tuple(row)) for row in exact))
    for most, number in ((1, rows), (2, 2 * rows), (3, 3 * rows - rows // 2)):
        wanted = counted(SetLanes(tuple(columns)), table, most, has_several=True)
        assert counted(apart, table, most, has_several=True) == wanted
        assert sum(times for _, times in wanted) == number
    each = counted(Apart(tuple(row[2] for row in exact)), table, 1, has_several=False)
    assert each == counted(columns[2], table, 1, has_several=False) == [(at, 1) for at in range(0, rows, 2)]


# ---------------------------------------------------------------------------------------------------------------------
# Coins


class Fixed:
    """Bits that are a number of 256 bits, again and again."""

    secure = False

    def __init__(self, number: int) -> None:
        self.number = number

    def bytes(self, count: int) -> builtins.bytes:
        return self.number.to_bytes(32, "big") * (count // 32)

    def uint64(self, count: int) -> NDArray[np.uint64]:
        raise AssertionError("coins are made of bytes")


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-5"), ("0.1", "0.4"), ("3", "1e-12")])
def test_a_coin_has_exactly_its_probability(epsilon: str, delta: str) -> None:
    """It is heads for all 256 bits that are a number below 2^256 π, and for no other."""
    numbers = Fraction(epsilon), Fraction(delta)
    table = keep_table(*numbers)
    for rows in range(1, len(table)):
        below, at = Fixed(table[rows] - 1), Fixed(min(table[rows], ONE - 1))
        assert list(kept([rows], *numbers, below)) == [True]
        assert list(kept([rows], *numbers, at)) == [table[rows] == ONE]
    assert list(kept([len(table), 10**9], *numbers, Fixed(ONE - 1))) == [True, True]


def test_every_coin_is_made_of_bits_of_its_own() -> None:
    table = keep_table(Fraction(1), Fraction(1, 100))
    fair = min(range(len(table)), key=lambda rows: abs(2 * table[rows] - ONE))
    heads = list(kept([fair] * 40_000, Fraction(1), Fraction(1, 100), InsecureBits(5)))
    share = table[fair] / ONE
    assert abs(sum(heads) - 40_000 * share) < 6 * (40_000 * share * (1 - share)) ** 0.5
    assert heads[:16384] != heads[16384:32768]
    assert heads[:1000] != heads[1000:2000]


# ---------------------------------------------------------------------------------------------------------------------
# What does not matter


SEVERAL = f"""pλ . {TABLE} ⇒
  found ← keys[ℕ[2], 1.0, 0.01] xs {{ r ⇒ ℘{{r.a, r.b, r.c}} }} ;
  parallel[xs, found] {{ r ⇒ r.a }} {{ key, part ⇒ n ← dlaplace[1.0, 1.0] <part> {{ rows part }} ; return ⟨key, n⟩ }}"""


def many(seed: int) -> list[dict[str, Any]]:
    source = random.Random(seed)
    return [person(*(f"k{int(source.gammavariate(1.0, 8.0))}" for _ in range(3)), n=i % 7) for i in range(400)]


def test_the_order_of_rows_and_threads_move_no_bit() -> None:
    rows = many(1)
    wanted = go(SEVERAL, {"xs": columns_of(rows)}, "approx", {"insecure_noise": 3}).result
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        engine = ThreadsEngine(workers=3, blocks_a_batch=1)
        how = {"insecure_noise": 3, "engine": engine}
        assert go(SEVERAL, {"xs": columns_of(rows)}, "approx", how).result == wanted
        engine.close()
    assert 3 < len(wanted) < 40


def test_a_release_is_reported() -> None:
    release = duetpy.parse(SEVERAL, notion="approx").check().run(xs=columns_of(many(1)), _insecure_noise=2)
    entry = release.releases[0]
    assert (entry["mechanism"], entry["count"], entry["sensitivity"]) == ("keys", 1, 2.0)
    assert (entry["scale"], entry["error95"]) == (None, None)


# ---------------------------------------------------------------------------------------------------------------------
# Numbers of rows


def test_keys_with_their_numbers_are_counted_and_ordered() -> None:
    text = f"pλ . {TABLE} ⇒ key-counts[ℕ[3], 1.0, 0.01] xs {{ r ⇒ ℘{{r.a, r.b, r.c}} }}"
    assert without_noise(text, ROWS) == [("u", 3), ("v", 2), ("w", 2)]


def test_a_number_is_shown_above_the_limit_and_no_further_off_than_it() -> None:
    epsilon, delta = Fraction(1, 2), Fraction(1, 100)
    limit = threshold(epsilon, delta)
    counts = [1, limit, limit + 1, 2 * limit, 2 * limit + 1, 1000] * 2000
    shown = list(noisy(counts, epsilon, delta, InsecureBits(9)))
    for number, told in zip(counts, shown, strict=True):
        assert told is None or (told > limit and abs(told - number) <= limit)
        assert told is not None or number <= 2 * limit
    ends = [told - 1000 for number, told in zip(counts, shown, strict=True) if number == 1000 and told is not None]
    assert max(ends) == limit
    assert min(ends) == -limit


def test_the_noise_has_the_truncated_law() -> None:
    """Against its weights, with a control at another ε that must fail."""
    epsilon, delta = Fraction(1, 2), Fraction(1, 100)
    limit = threshold(epsilon, delta)
    drawn = [told for told in noisy([10_000] * 20_000, epsilon, delta, InsecureBits(3)) if told is not None]
    counts = np.bincount(np.array(drawn) - 10_000 + limit, minlength=2 * limit + 1)

    def p_value(ratio: float) -> float:
        weights = np.exp(-ratio * np.abs(np.arange(-limit, limit + 1)))
        return statistics.chi_square(counts, weights / weights.sum())

    assert p_value(0.5) > 1e-6 > p_value(0.53)


def test_a_limit_is_never_passed_by_nobody() -> None:
    """Keys that no row has are not in the set, whatever the noise is."""
    text = f"pλ . {TABLE} ⇒ key-counts[ℕ[1], 0.1, 0.4] xs {{ r ⇒ r.a }}"
    for seed in range(40):
        result = go(text, {"xs": columns_of(ROWS)}, "approx", {"insecure_noise": seed}).result
        assert {key for key, _ in result} <= {"u", "w"}
        assert all(isinstance(number, int) and number > 1 for _, number in result)


# ---------------------------------------------------------------------------------------------------------------------
# Sets of any sizes

STAYS = "xs : 𝔻𝔽[a : Date, b : Date]"
FIRST = 'date "2020-01-01"'
OF_STAYS = {
    "as they are": f"pλ {STAYS} ⇒ keys[3, 1.0, 1e-6] xs {{ r ⇒ dates r.a r.b }}",
    "joined": f"pλ {STAYS} ⇒ keys[3, 1.0, 1e-6] (bmap xs {{ r ⇒ dates r.a r.b }}) {{ s ⇒ unionAll ℘{{s#[0, 0], s#[0, 0]}} }}",
    "joined with another": (
        f"pλ {STAYS} ⇒ keys[3, 1.0, 1e-6] (bmap xs {{ r ⇒ dates r.a r.b }}) {{ s ⇒ unionAll ℘{{s#[0, 0], ℘{{{FIRST}}}}} }}"
    ),
}
NIGHTS = {
    "none": ("2020-01-05", "2020-01-01"),
    "one": ("2020-01-01", "2020-01-01"),
    "two": ("2020-01-01", "2020-01-02"),
}


@pytest.mark.parametrize("text", OF_STAYS.values(), ids=OF_STAYS)
@pytest.mark.parametrize("lengths", [(), ("none",), ("none", "none"), ("one",), ("one", "two"), ("none", "two")])
def test_no_size_of_a_set_decides_how_a_run_ends(text: str, lengths: tuple[str, ...]) -> None:
    rows = [{"a": date.fromisoformat(a), "b": date.fromisoformat(b)} for a, b in map(NIGHTS.__getitem__, lengths)]
    found = go(text, {"xs": rows}, "approx", {"insecure_noise": "none", "on_bad_row": "drop"}).result
    first = bool({"one", "two"} & {*lengths}) or (bool(lengths) and FIRST in text)
    assert found == ["2020-01-01"] * first + ["2020-01-02"] * ("two" in lengths)


UNIONS = {
    "unionAll ℘{elements p.v.[k], ℘{disc 1}}": [1, 2, 3],
    "let q = ⟨elements p.v.[k], 7⟩ in unionAll ℘{fst q, ℘{disc 1}}": [1, 2, 3],
    "loop ℕ[60] on (elements p.v.[k]) { i, s ⇒ unionAll ℘{s, s} }": [2, 3],
    "loop ℕ[60] on ℘{disc (rows p.v)} { i, s ⇒ unionAll ℘{s, s} }": [1, 2],
    "if rows p.v < 2 then elements p.v.[k] else elements (mfilter p.v { v ⇒ v.k < disc 0 }).[k]": [2],
}


@pytest.mark.parametrize(("body", "wanted"), UNIONS.items())
def test_the_sets_of_persons_are_joined(body: str, wanted: list[int], tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("id,k\na,2\na,3\nb,2\n", encoding="utf-8")
    text = f"pλ people : persons[id : 𝕊 | v : 𝔻𝔽[k : 𝐝 ℕ]] ⇒ keys[9, 1.0, 1e-6] people {{ p ⇒ {body} }}"
    found = go(text, {"people": {"v": tmp_path / "v.csv"}}, "approx", {"insecure_noise": "none"}).result
    assert found == wanted


def test_there_may_be_no_key_at_all() -> None:
    text = f"pλ {STAYS} ⇒ k ← keys[1, 1.0, 1e-6] xs {{ r ⇒ r.a }} ; keys[1, 1.0, 1e-6] xs {{ r ⇒ unionAll ℘{{k, dates r.a r.b}} }}"
    rows = [{"a": date(2020, 1, 5), "b": date(2020, 1, 1)}]
    for program in (text, text.replace("unionAll ℘{k, dates r.a r.b}", "k")):
        assert isinstance(go(program, {"xs": rows}, "approx", {"insecure_noise": 1}).result, list)
