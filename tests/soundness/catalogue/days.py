"""Days and texts."""

from __future__ import annotations

from tests.soundness.catalogue.case import Case

DAYS = (
    Case("year", "sλ . x : Date ⇒ year x", ("1",)),
    Case("year", "sλ . xs : 𝔻𝔽[hired : Date, n : ℕ] ⇒ rows (mfilter xs { r ⇒ year r.hired ≡ 2024 })", ("1",)),
    Case("month", "sλ . x : Date ⇒ month x", ("1",)),
    Case("day", "sλ . x : Date ⇒ clip[1.0, 4.0] (real (day x))", ("3",)),
    Case("weekday", "sλ . x : Date ⇒ weekday x ≡ 1", ("1",)),
    Case("month-start", "sλ . x : Date ⇒ month-start x", ("1",)),
    Case("days", "sλ . x : Date, y : Date ⇒ days x y", ("1", "1")),
    Case("days", 'sλ . x : Date ⇒ clip[0.0, 100.0] (days (date "2024-01-01") x)', ("100",)),
    Case("add-days", "sλ . x : Date ⇒ add-days x 30", ("1",)),
    Case("add-days", "sλ . x : Date, n : 𝐝 ℕ ⇒ add-days x n", ("1", "1")),
    Case("add-days", "sλ . x : Date, n : 𝔻 ⇒ add-days x n", ("1", "1")),
    Case("add-days", "sλ . x : Date, n : ℝ ⇒ add-days x (disc n)", ("1", "∞")),
    Case("dates", 'sλ . x : Date ⇒ x ∈ dates (date "2024-02-01") (date "2024-02-29")', ("1",)),
    Case("dates", "sλ . x : Date, n : 𝐝 ℕ ⇒ dates x (add-days x (n % disc 3))", ("1", "1")),
    Case("less", "sλ . x : Date, y : Date ⇒ x < y", ("1", "1")),
    Case("at-most", "sλ . x : Date, y : Date ⇒ x ≤ y", ("1", "1")),
    Case("equal", "sλ . x : Date, y : Date ⇒ x ≡ y", ("1", "1")),
    Case("or-else", "sλ . x : Date?, y : Date ⇒ x or-else y", ("1", "1")),
    Case("length", "sλ . x : 𝕊 ⇒ length x", ("1",)),
    Case("prefix", "sλ . x : 𝕊, n : 𝐝 ℕ ⇒ prefix[n] x", ("1", "1")),
    Case("prefix", 'sλ . x : 𝕊, n : ℕ ⇒ prefix[n] x ≡ "N"', ("1", "1")),
    Case("suffix", "sλ . x : 𝕊, n : 𝐝 ℕ ⇒ suffix[n] x", ("1", "1")),
    Case("lower", "sλ . x : 𝕊 ⇒ lower x", ("1",)),
    Case("upper", "sλ . x : 𝕊 ⇒ upper x", ("1",)),
    Case("trim", "sλ . x : 𝕊 ⇒ trim x", ("1",)),
    Case("contains", "sλ . x : 𝕊, y : 𝕊 ⇒ contains x y", ("1", "1")),
    Case("starts", "sλ . x : 𝕊, y : 𝕊 ⇒ starts x y", ("1", "1")),
    Case("number", "sλ . x : 𝕊 ⇒ clip[1.0, 7.0] (number x or-else 7)", ("6",)),
    Case("number", "sλ . x : 𝕊 ⇒ is-missing (number x)", ("1",)),
    Case("text", "sλ . x : ℕ ⇒ text x", ("1",)),
    Case("text", "sλ . x : 𝔹 ⇒ text x", ("1",)),
    Case("text", "sλ . x : Date ⇒ text x", ("1",)),
)
