"""Every rule has a page with its proof, and every page is about rules that exist."""

from __future__ import annotations

import pytest

from duetpy.diagnostics.catalogue import rule_page, rules
from duetpy.typecheck.prelude import names

FORMS = [
    "let",
    "function",
    "side-conditions",
    "pair",
    "case",
    "some",
    "none",
    "inl",
    "inr",
    "℘",
    "if",
    "loop",
    "box",
    "unbox",
    "discf",
    "clip",
    "in",
    "zip",
    "chunks",
    "join₁",
    "bmap",
    "mapDF",
    "addColDF",
    "record",
    "persons",
    "flat",
    "partitionDF",
    "joinDF₁",
    "joinDF",
    "mcreate",
    "mmap",
    "mmap-row",
    "mmap-col",
    "mfold-row",
    "mfilter",
    "index",
    "update",
    "column",
    "×",
    "∇",
    "U∇",
    "row∇",
    "step∇",
    "noisy-descent",
    "diameter",
    "side-conditions",
    "return",
    "bind",
    "ploop",
    "call",
    "parallel",
    "convert",
    "laplace",
    "mlaplace",
    "gauss",
    "mgauss",
    "bgauss",
    "dlaplace",
    "dgauss",
    "ggauss",
    "canonical",
    "gibbs",
    "shuffle",
    "exponential",
    "noisy-max",
    "keys",
    "key-counts",
    "key-gauss",
    "AboveThreshold",
    "rand-resp",
    "rand-nat",
    "opaque",
    "ensures",
    "given",
    "sample",
    "poisson",
    "mmapp",
    "pmap-col",
    "pfld-rows",
]
"""The rules that are written in code; those of the prelude are its names."""


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert set(rules()) == {*FORMS, *names()}


@pytest.mark.parametrize("name", [*FORMS, *names()])
def test_a_page_says_what_a_proof_needs(name: str) -> None:
    text = rule_page(name)
    assert text is not None
    for part in ("Rule", "Metrics", "Proof", "Tight", "Source"):
        assert f"**{part}" in text or f"## {part}" in text, part
