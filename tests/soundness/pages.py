"""The pages of docs/rules and the rules that the tables of this directory name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

RULES = Path(__file__).parents[2] / "docs" / "rules"

PAGE_OF = {
    "above-threshold": "above-threshold",
    "aloop": "ploop",
    "and": "and-or",
    "application": "function",
    "at-most": "equal-less",
    "bind": "return-bind",
    "box": "box-unbox",
    "case": "inl-inr-case",
    "dyn": "real-dyn",
    "element": "sets",
    "equal": "equal-less",
    "exponential": "exponential-noisy-max",
    "field": "column",
    "key-counts": "keys",
    "key-gauss": "keys",
    "fst": "fst-snd",
    "grad-lr": "gradient",
    "group": "call",
    "guard": "side-conditions",
    "inl": "inl-inr-case",
    "inr": "inl-inr-case",
    "less": "equal-less",
    "let-pair": "pair",
    "log": "root-log",
    "max": "max-min",
    "mgauss": "gauss",
    "min": "max-min",
    "minus": "plus-minus",
    "mlaplace": "laplace",
    "mmapp": "mmapp-pmap-col",
    "noisy-max": "exponential-noisy-max",
    "or": "and-or",
    "passed": "side-conditions",
    "plus": "plus-minus",
    "pmap-col": "mmapp-pmap-col",
    "poisson": "sample-poisson",
    "privacy-application": "call",
    "privacy-if": "if",
    "privacy-let": "let",
    "privacy-let-pair": "pair",
    "privacy-loop": "ploop",
    "real": "real-dyn",
    "return": "return-bind",
    "root": "root-log",
    "rowgrad-lr": "gradient",
    "sample": "sample-poisson",
    "select": "column",
    "snd": "fst-snd",
    "statics": "side-conditions",
    "together": "call",
    "ugrad-lr": "gradient",
    "unbox": "box-unbox",
    "unionAll": "sets",
    "private-some": "missing",
    "privacy-case": "inl-inr-case",
    "whole": "floor-ceil-round",
}
"""The page of a rule that has no page of its own name."""

WITHOUT_PAGE = {"coerce", "order", "refused"}
"""What is no rule of its own: the order of quantities, and where one type stands for another."""


OFF_PAGE = "quantities and subtyping"
"""Where the tables count these."""


def page_of(rule: str) -> str | None:
    """The name of the page that a rule is on."""
    if rule.partition("-")[0] in ("grad", "ugrad", "rowgrad"):
        return "gradient"
    if rule.startswith("step-"):
        return "step"
    if rule in WITHOUT_PAGE:
        return None
    return PAGE_OF.get(rule) or named().get(rule, rule)


@cache
def named() -> dict[str, str]:
    """The pages by the names on their first lines."""
    found: dict[str, str] = {}
    for page in pages():
        first, *_ = (RULES / f"{page}.md").read_text("utf-8").splitlines()
        found.update(dict.fromkeys((name.strip() for name in first.removeprefix("#").split(",")), page))
    return found


def pages() -> list[str]:
    """The names of all pages."""
    return sorted(path.stem for path in RULES.glob("*.md") if path.stem != "README")


def without_pages(rules: set[str]) -> set[str]:
    """Rules that name a page which does not exist."""
    return {rule for rule in rules if page_of(rule) is not None and page_of(rule) not in pages()}
