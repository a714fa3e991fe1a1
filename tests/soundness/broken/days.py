"""Broken rules of days and texts."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant, line

ONE = ("year", "month", "day", "weekday")

DAYS = (
    *(
        line(f"the {name} of a day is public", f"prim {name} : Date ⊸[1] 𝐝 ℕ", f"prim {name} : Date ⊸[0] 𝐝 ℕ", name)
        for name in ONE
    ),
    line("years are measured by their difference", "prim year : Date ⊸[1] 𝐝 ℕ", "prim year : Date ⊸[1] ℕ", "year"),
    line(
        "a month says nothing of its days",
        "prim month-start : Date ⊸[1] Date",
        "prim month-start : Date ⊸[0] Date",
        "month-start",
    ),
    line(
        "days count from a public day", "prim days : Date ⊸[1] Date ⊸[1] 𝔻", "prim days : Date ⊸[0] Date ⊸[1] 𝔻", "days"
    ),
    line(
        "days count to a public day", "prim days : Date ⊸[1] Date ⊸[1] 𝔻", "prim days : Date ⊸[1] Date ⊸[0] 𝔻", "days"
    ),
    line(
        "numbers of days are as far apart as days",
        "prim days : Date ⊸[1] Date ⊸[1] 𝔻",
        "prim days : Date ⊸[1] Date ⊸[1] ℝ",
        "days",
    ),
    line(
        "how many days later is public",
        "prim add-days : Date ⊸[1] 𝔻 ⊸[1] Date",
        "prim add-days : Date ⊸[1] 𝔻 ⊸[0] Date",
        "add-days",
    ),
    line(
        "the day before is public",
        "prim add-days : Date ⊸[1] 𝐝 ℕ ⊸[1] Date",
        "prim add-days : Date ⊸[0] 𝐝 ℕ ⊸[1] Date",
        "add-days",
    ),
    line(
        "the last day of a set is public",
        "prim dates : Date ⊸[1] Date ⊸[1] ℘(Date)",
        "prim dates : Date ⊸[1] Date ⊸[0] ℘(Date)",
        "dates",
    ),
    line(
        "which day is earlier is public", "prim (<) : Date ⊸[1] Date ⊸[1] 𝔹", "prim (<) : Date ⊸[1] Date ⊸[0] 𝔹", "less"
    ),
    line(
        "which day is not later is public",
        "prim (≤) : Date ⊸[1] Date ⊸[1] 𝔹",
        "prim (≤) : Date ⊸[0] Date ⊸[1] 𝔹",
        "at-most",
    ),
    line(
        "what replaces a missing day is public",
        "prim (or-else) : Date? ⊸[1] Date ⊸[1] Date",
        "prim (or-else) : Date? ⊸[1] Date ⊸[0] Date",
        "or-else",
    ),
    Mutant(
        "two days are one",
        "types",
        "        case Disc() | Maybe() | Bool() | Str() | Date() | SetOf():\n            return ONE",
        "        case Date():\n            return ZERO\n"
        "        case Disc() | Maybe() | Bool() | Str() | SetOf():\n            return ONE",
        ("month-start", "add-days"),
    ),
    line("lengths are measured by their difference", "prim length : 𝕊 ⊸[1] 𝐝 ℕ", "prim length : 𝕊 ⊸[1] ℕ", "length"),
    line(
        "the beginning of a text is public",
        "prim prefix : 𝐝 ℕ ⊸[1] 𝕊 ⊸[1] 𝕊",
        "prim prefix : 𝐝 ℕ ⊸[1] 𝕊 ⊸[0] 𝕊",
        "prefix",
    ),
    line(
        "how long an end is is public", "prim suffix : 𝐝 ℕ ⊸[1] 𝕊 ⊸[1] 𝕊", "prim suffix : 𝐝 ℕ ⊸[0] 𝕊 ⊸[1] 𝕊", "suffix"
    ),
    line("a text in small letters is public", "prim lower : 𝕊 ⊸[1] 𝕊", "prim lower : 𝕊 ⊸[0] 𝕊", "lower"),
    line("a text in capitals is public", "prim upper : 𝕊 ⊸[1] 𝕊", "prim upper : 𝕊 ⊸[0] 𝕊", "upper"),
    line("a text without its ends is public", "prim trim : 𝕊 ⊸[1] 𝕊", "prim trim : 𝕊 ⊸[0] 𝕊", "trim"),
    line(
        "what is contained is public", "prim contains : 𝕊 ⊸[1] 𝕊 ⊸[1] 𝔹", "prim contains : 𝕊 ⊸[1] 𝕊 ⊸[0] 𝔹", "contains"
    ),
    line(
        "what a text starts with is public", "prim starts : 𝕊 ⊸[1] 𝕊 ⊸[1] 𝔹", "prim starts : 𝕊 ⊸[0] 𝕊 ⊸[1] 𝔹", "starts"
    ),
    line("whether a text is a number is public", "prim number : 𝕊 ⊸[1] 𝔻?", "prim number : 𝕊 ⊸[0] 𝔻?", "number"),
    line("a number is public once it is written", "prim text : 𝐝 ℕ ⊸[1] 𝕊", "prim text : 𝐝 ℕ ⊸[0] 𝕊", "text"),
    line("a truth value is public once it is written", "prim text : 𝔹 ⊸[1] 𝕊", "prim text : 𝔹 ⊸[0] 𝕊", "text"),
    line("a day is public once it is written", "prim text : Date ⊸[1] 𝕊", "prim text : Date ⊸[0] 𝕊", "text"),
)
