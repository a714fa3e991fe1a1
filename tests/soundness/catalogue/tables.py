"""The beginnings of programs about one table."""

from __future__ import annotations

FIXED, TABLE = "sλ m : ℕ, n : ℕ . xs : 𝕄 [{}, U | m, n⋅{}]", "sλ . xs : 𝕄 [L∞, U | ★, {}]"


def fixed(norm: str, element: str, body: str) -> str:
    return f"{FIXED.format(norm, element)} ⇒ {body}"


def table(columns: str, body: str) -> str:
    return f"{TABLE.format(columns)} ⇒ {body}"
