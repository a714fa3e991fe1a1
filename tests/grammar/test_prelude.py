"""Declarations of primitives."""

from __future__ import annotations

from importlib.resources import files

from duetpy.grammar.ast import Norm
from duetpy.grammar.levels import INFIX_LEVELS
from duetpy.grammar.parser import parse_prelude
from duetpy.grammar.pretty import show_type
from duetpy.source import Source
from tests.grammar.test_parser import body

TEXT = """\
-- This line is about the file.

-- | Adds.
-- | Two lines.
-- > 1 + 2
prim (+) : ∀ . ℝ ⊸[1] ∀ . ℝ ⊸[1] ℝ
prim (+) : ℕ ⊸[1] ℕ ⊸[1] ℕ
-- | Clips.
prim mclip[L2, b] : ∀ m : ℕ, n : ℕ, b : ℝ⁺ . 𝕄 [L∞, U | m, n⋅𝔻] ⊸[1] 𝕄 [L∞, L2≤b | m, n⋅𝔻]
prim (∇)[LR] : ℝ ⊸[∞] ℝ
prim rows : ℝ ⊸[1] ℕ
prim (==) : ℕ ⊸[1] ℕ ⊸[1] 𝔹
"""


def test_declarations() -> None:
    declarations, diagnostics = parse_prelude(Source("<test>", TEXT))
    assert not diagnostics
    assert [(d.name, d.brackets) for d in declarations] == [
        ("+", ()),
        ("+", ()),
        ("mclip", (Norm.L2, "b")),
        ("∇", ("LR",)),
        ("rows", ()),
        ("≡", ()),
    ]
    assert (declarations[0].doc, declarations[0].example) == ("Adds. Two lines.", "1 + 2")
    assert (declarations[1].doc, declarations[1].example) == ("", "")
    assert (declarations[2].doc, declarations[2].example) == ("Clips.", "")
    assert show_type(declarations[0].type) == "ℝ ⊸[1] ℝ ⊸[1] ℝ"
    assert declarations[4].span.text == "prim rows : ℝ ⊸[1] ℕ"


def test_a_declaration_that_cannot_be_read_does_not_hide_the_next() -> None:
    declarations, diagnostics = parse_prelude(Source("<test>", "prim a : ℝ ⊸ ℝ\nprim b : ℝ\nfoo\nprim c : ℕ"))
    assert [d.name for d in declarations] == ["b", "c"]
    assert [d.span.begin[0] for d in diagnostics if d.span] == [1, 3]


def test_the_prelude_is_read() -> None:
    text = (files("duetpy") / "grammar" / "prelude.duet").read_text(encoding="utf-8")
    declarations, diagnostics = parse_prelude(Source("prelude.duet", text))
    assert not diagnostics
    assert {d.name for d in declarations} >= {"+", "⋅", "rows", "mclip", "conv"}
    for declaration in declarations:
        if declaration.example:
            body(declaration.example)
        assert declaration.name in INFIX_LEVELS or not declaration.name[0].isspace()
