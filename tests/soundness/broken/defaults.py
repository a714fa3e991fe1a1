"""What is wrong with the defaults of columns where a run takes them."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

OF_COLUMNS = (
    Mutant(
        "the default of a column is forgotten",
        "runtime.sources.binding",
        "return evolve(spec, default=to_double(default) if spec.kind is Kind.REAL else int(default))",
        "return spec",
        ("taken",),
    ),
    Mutant(
        "the truth value for a bad cell is forgotten",
        "runtime.sources.binding",
        "        return evolve(spec, default=default)",
        "        return spec",
        ("taken",),
    ),
    Mutant(
        "columns of one type have the default of the first of them",
        "cells",
        "first.default if first.default == second.default else None",
        "first.default",
        ("declared",),
    ),
    Mutant(
        "a column of truth values needs no default",
        "runtime.release.defaults",
        "case t.Disc() | t.Real() | t.Bounded() | t.Nat() | t.Idx() | t.Bool() | t.Date():",
        "case t.Disc() | t.Real() | t.Bounded() | t.Nat() | t.Idx() | t.Date():",
        ("declared",),
    ),
    Mutant(
        "the first column alone must declare what a bad cell counts as",
        "runtime.release.defaults",
        "            for column in columns:",
        "            for column in columns[:1]:",
        ("declared",),
    ),
)
