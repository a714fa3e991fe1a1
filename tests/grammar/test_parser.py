"""What groups with what, and how each form is read."""

from __future__ import annotations

from fractions import Fraction

import pytest

from duetpy.grammar import ast
from duetpy.grammar.compare import same
from duetpy.grammar.parser import parse_file, parse_rexp_text, parse_type_text
from duetpy.source import Source


def read(text: str, names: frozenset[str] = frozenset()) -> ast.File:
    file, diagnostics = parse_file(Source("<test>", text), names)
    assert not diagnostics, (text, diagnostics)
    return file


def body(text: str) -> ast.SExp:
    result = read(text).body
    assert result is not None
    return result


def private(text: str) -> ast.PExp:
    function = body(f"pλ . x : ℝ ⇒ {text}")
    assert isinstance(function, ast.PLam)
    return function.body


def type_of(text: str) -> ast.Type:
    type_, diagnostics = parse_type_text(Source("<test>", text))
    assert not diagnostics, (text, diagnostics)
    assert type_ is not None
    return type_


def rexp_of(text: str) -> ast.RExp:
    rexp, diagnostics = parse_rexp_text(Source("<test>", text))
    assert not diagnostics, (text, diagnostics)
    assert rexp is not None
    return rexp


SAME_EXPRESSIONS = [
    # levels, loosest first
    ("a ∧ b ≡ c", "a ∧ (b ≡ c)"),
    ("a ≡ b ⊔ c", "a ≡ (b ⊔ c)"),
    ("a < b ⊔ c", "a < (b ⊔ c)"),
    ("a ≤ b ∧ c ∈ d", "(a ≤ b) ∧ (c ∈ d)"),
    ("a ⊔ b ⊓ c", "a ⊔ (b ⊓ c)"),
    ("a ⊓ b + c", "a ⊓ (b + c)"),
    ("a + b ⋅ c", "a + (b ⋅ c)"),
    ("a - b - c", "(a - b) - c"),
    ("a ⋅ b / c", "a ⋅ (b / c)"),
    ("a / b % c", "(a / b) % c"),
    ("a × b ⋅ c", "(a × b) ⋅ c"),
    ("√ a / b", "(√ a) / b"),
    ("√ a ⋅ ㏒ b", "(√ a) ⋅ (㏒ b)"),
    ("√ f x", "√ (f x)"),
    ("√ √ real a", "√ (√ (real a))"),
    ("real √ a / b", "(real (√ a)) / b"),
    # prefixes, chains, fields
    ("real xs#[i, j]", "real (xs#[i, j])"),
    ("real f x", "real (f x)"),
    ("real rows xs + 1.0", "(real (rows xs)) + 1.0"),
    ("f x#[i, j]", "(f x)#[i, j]"),
    ("f x y", "(f x) y"),
    ("f(x)", "f (x)"),
    ("f(x)(y)", "f x y"),
    ("f row.age", "f (row.age)"),
    ("f row⧼age⧽", "(f row)⧼age⧽"),
    ("row⧼age⧽", "row.age"),
    ("row<.age.>", "row.age"),
    ("xs#[0, 1].age", "(xs#[0, 1]).age"),
    ("f@[m, n] x", "(f@[m, n]) x"),
    ("f@[ ] x", "f@[] x"),
    ("mclip[L2, 2.0] xs#[0]", "mclip[L2, 2.0] (xs#[0])"),
    ("mconv mclip[L2] xs", "mconv (mclip[L2] xs)"),
    ("sign@[ ] x", "sign x"),
    # signs and numbers
    ("x -1.0", "x - 1.0"),
    ("x-1", "x - 1"),
    ("x - -1", "x - (-1)"),
    ("f (-1) x", "f (-1) (x)"),
    ("-3#[i]", "(-3)#[i]"),
    ("x -o * y", "x - (o * y)"),
    # what reaches to the right
    ("let x = 1 in x ∧ y", "let x = 1 in (x ∧ y)"),
    ("1 + let x = 2 in x + 3", "1 + (let x = 2 in (x + 3))"),
    ("a ⋅ sλ . x ⇒ x + 1", "a ⋅ (sλ . x ⇒ (x + 1))"),
    ("if a then b else c + d", "if a then b else (c + d)"),
    ("if a then { b } else { c } + d", "(if a then b else c) + d"),
    ("if a then if b then c else d else e", "if a then (if b then c else d) else e"),
    ("unionAll a ∧ b", "unionAll (a ∧ b)"),
    ("sλ x : ℝ ⇒ x", "sλ . x : ℝ ⇒ x"),
    ("sλ x ⇒ x", "sλ . x ⇒ x"),
    ("f mmap xs { x ⇒ x } y", "f (mmap xs { x ⇒ x }) y"),
    ("f pλ . x ⇒ return x", "f (pλ . x ⇒ return x)"),
    ("mmap f xs { x ⇒ x }", "mmap (f xs) { x ⇒ x }"),
    ("mmap a < b { x ⇒ x }", "mmap (a < b) { x ⇒ x }"),
    # spellings
    ("slam x : Real => x * 2.0", "sλ . x : ℝ ⇒ x ⋅ 2.0"),
    ("a max b min c", "a ⊔ b ⊓ c"),
    ("sqrt a and log b or c in_set d", "√ a ∧ ㏒ b ∨ c ∈ d"),
    ("a == b and c <= d", "a ≡ b ∧ c ≤ d"),
    ("grad[LR | t; xs, ys]", "∇[LR | t; xs, ys]"),
    ("<|a, b|>", "⟨a, b⟩"),
    ("Nat[3] + Real+[2] + Real[-1.5]", "ℕ[3] + ℝ⁺[2] + ℝ[-1.5]"),
    ("Set{a, b}", "℘{a, b}"),
    ("xs#[i, j |-> v]", "xs#[i, j ↦ v]"),
    ("join1[a, 0, b, 1]", "join₁[a, 0, b, 1]"),
    ("1_000 + 1e3", "1000 + 1000.0"),
    ("let ⟨a, b⟩ = p in a", "let <|a, b|> = p in a"),
    ("a {- comment -} + -- more\n b", "a + b"),
]


@pytest.mark.parametrize(("left", "right"), SAME_EXPRESSIONS)
def test_expressions_that_are_the_same(left: str, right: str) -> None:
    assert same(body(left), body(right))


@pytest.mark.parametrize(("warned_of", "meant"), [("a ∨ b ∧ c", "(a ∨ b) ∧ c"), ("a ⋅ b % c", "a ⋅ (b % c)")])
def test_what_is_grouped_otherwise_than_in_most_languages(warned_of: str, meant: str) -> None:
    file, diagnostics = parse_file(Source("<test>", warned_of))
    assert [diagnostic.code for diagnostic in diagnostics] == ["D0017"]
    assert file.body is not None
    assert same(file.body, body(meant))


SAME_PRIVATE = [
    ("y ← z ← return 1; return z; return y", "y ← (z ← return 1; return z); return y"),
    ("y ← let z = 1 in return z; return y", "y ← (let z = 1 in return z); return y"),
    ("(return x)", "return x"),
    ("((y ← (return x); (return y)))", "y ← return x; return y"),
    ("f x@[m . y]", "(f x)@[m . y]"),
    ("(f)@[m . y]", "f@[m . y]"),
    ("((f) x)@[ . ]", "f x@[ . ]"),
    ("f@[.y]", "f@[ . y]"),
    ("f[y] x", "f@[ . x, y]"),
    ("f[y, 2 + 1] xs.[a]", "f@[ . xs.[a], y, 2 + 1]"),
    ("f[y] real x", "f@[ . real x, y]"),
    ("f[y] (x + 1)", "f@[ . (x + 1), y]"),
    ("f[y] f x", "f@[ . f x, y]"),
    ("if a then return b else return c", "if a then { return b } else { return c }"),
    ("y ← if a then return b else return c; return y", "y ← (if a then { return b } else { return c }); return y"),
    ("plam_ ← return x; return plam_", "plam_ <- return x ; return plam_"),
    (
        "laplace[s, e] <x> { let a = 1 in let b = 2 in a + b }",
        "laplace[s, e] <x> { (let a = 1 in (let b = 2 in a + b)) }",
    ),
    ("case e { inl a ⇒ return a ; inr b ⇒ return b ; }", "case (e) { inl a ⇒ (return a) ; inr b ⇒ return b }"),
    ("loop 3 on a < b <x> { i, y ⇒ return y }", "loop 3 on (a < b) <x> { i, y ⇒ return y }"),
    ("ZCDP[1e-6] { mgauss[1, ρ] <x> { x } }", "ZCDP[1e-6] { (mgauss[1, ρ] <x> { x }) }"),
    ("(let f = g in f)@[ . x]", "(let f = g in (f))@[ . x]"),
    ("(if a then f else g)@[ . x]", "(if a then { f } else { g })@[ . x]"),
    ("(loop 3 on f { i, g ⇒ g })@[ . x]", "((loop 3 on f { i, g ⇒ (g) }))@[ . x]"),
    ("mfilter_@[m . xs#[0, 1] + y]", "mfilter_@[m . (xs#[0, 1]) + y]"),
]


@pytest.mark.parametrize(("left", "right"), SAME_PRIVATE)
def test_privacy_expressions_that_are_the_same(left: str, right: str) -> None:
    assert same(private(left), private(right))


DIFFERENT_EXPRESSIONS = [
    ("a ∧ b", "b ∧ a"),
    ("f (x y)", "f x y"),
    ("2", "2.0"),
    ("ℕ[2]", "ℝ⁺[2]"),
    ("ℝ[2]", "ℝ⁺[2]"),
    ("⟨a, b⟩", "⟨a & b⟩"),
    ("mclip[L2] x", "mclip[L2, 1] x"),
    ("xs#[i]", "xs#[i, j]"),
    ("x-y", "x - y"),
    ("sλ . x : ℝ, y : ℝ ⇒ x", "sλ . x : ℝ ⇒ sλ . y : ℝ ⇒ x"),
]


@pytest.mark.parametrize(("left", "right"), DIFFERENT_EXPRESSIONS)
def test_expressions_that_differ(left: str, right: str) -> None:
    assert not same(body(left), body(right))


SAME_TYPES = [
    ("ℝ + ℝ × 𝔹", "ℝ + (ℝ × 𝔹)"),
    ("ℝ × 𝔹 & 𝕊", "(ℝ × 𝔹) & 𝕊"),
    ("bag 𝐝 ℕ × ℝ", "(bag (𝐝 ℕ)) × ℝ"),
    ("box[x@1] ℝ × 𝔹", "box[x@1] (ℝ × 𝔹)"),
    ("box[x@1] ℝ + 𝔹", "(box[x@1] ℝ) + 𝔹"),
    ("𝔻", "𝐝 ℝ"),
    ("ℝ ⊸[1] ℝ ⊸[2] 𝔹", "ℝ ⊸[1] (ℝ ⊸[2] 𝔹)"),
    ("∀ . ℝ ⊸[1] ∀ . ℝ ⊸[2] 𝔹", "ℝ ⊸[1] ℝ ⊸[2] 𝔹"),
    ("∀ . ∀ . ℝ ⊸[1] ℝ ⊸[2] 𝔹", "(ℝ ⊸[1] ℝ) ⊸[2] 𝔹"),
    ("∀ m : ℕ . ℝ × ℝ ⊸[m] ℝ", "∀ m : ℕ . (ℝ × ℝ) ⊸[m] ℝ"),
    ("ℝ@ε ⊸⋆ ℝ", "∀ . ℝ@ε ⊸⋆ ℝ"),
    ("ℝ@eps + 1 -o* Real", "∀ . ℝ@(eps + 1) ⊸⋆ ℝ"),
    ("𝕄 [L1, U | m, n⋅τ]", "Matrix [L1, U | m, n * τ]"),
    ("𝕄 [L1, U | m, a⋅b⋅τ]", "𝕄 [L1, U | m, (a⋅b)⋅τ]"),
    ("𝕄 [L1, U | m, a + b⋅τ]", "𝕄 [L1, U | m, (a + b)⋅τ]"),
    ("𝕄 [L1, U | m, n⋅ℝ × ℝ]", "𝕄 [L1, U | m, n⋅(ℝ × ℝ)]"),
    ("𝕄 [L1, U | m, n⋅𝕄 [L2, U | 1, k⋅τ]]", "𝕄 [L1, U | m, n⋅(𝕄 [L2, U | 1, k⋅τ])]"),
    ("𝕄 [L1, U | m, τ ∷ n⋅τ ⧺ s]", "𝕄 [L1, U | m, (τ ∷ (n⋅τ)) ⧺ s]"),
    ("𝕄 [Linf, L2<=b+1 | ?, a : Disc :: []]", "𝕄 [L∞, L2≤(b + 1) | ★, a : 𝔻 ∷ [ ]]"),
    ("Set(Nat[n]) ** Idx[3] & Str", "℘(ℕ[n]) × 𝕀[3] & 𝕊"),
    ("DF[age : Nat]", "𝔻𝔽[age : ℕ]"),
    ("ℝ[-2⋅a/b]", "ℝ[-(2⋅(a/b))]"),
    ("forall t : Type, r : Real+ . t -o[r] t", "∀ t : ☆K, r : ℝ⁺ . t ⊸[r] t"),
    ("𝐝ℕ", "𝐝 ℕ"),
]


@pytest.mark.parametrize(("left", "right"), SAME_TYPES)
def test_types_that_are_the_same(left: str, right: str) -> None:
    assert same(type_of(left), type_of(right))


SAME_REXPS = [
    ("a ⊔ b ⊓ c + d ⋅ e / f", "a ⊔ (b ⊓ (c + (d⋅(e/f))))"),
    ("a / b / c", "(a/b)/c"),
    ("√ a / b", "(√a)/b"),
    ("√ ㏒ a ⋅ b", "(√(㏒ a))⋅b"),
    ("a max b min 3 * inf", "a ⊔ b ⊓ 3⋅∞"),
    ("log (a + b)", "㏒ (a + b)"),
    ("exp(a) + tanh(b / 2)", "(exp (a)) + tanh (b/2)"),
]


@pytest.mark.parametrize(("left", "right"), SAME_REXPS)
def test_formulas_that_are_the_same(left: str, right: str) -> None:
    assert same(rexp_of(left), rexp_of(right))


def test_literals() -> None:
    for text, value in (("3", 3), ("-3", -3)):
        node = body(text)
        assert isinstance(node, ast.NatLit)
        assert node.value == value
    for text, fraction in (("0.1", Fraction(1, 10)), ("-1e-6", Fraction(-1, 10**6)), ("1e3", Fraction(1000))):
        real = body(text)
        assert isinstance(real, ast.RealLit)
        assert real.value == fraction
    static = body("ℝ[-0.5]")
    assert isinstance(static, ast.StaticReal)
    assert (static.signed, static.negative) == (True, True)


def test_a_file() -> None:
    file = read('notion zcdp;\nimport "a.duet";\nimport "b/c.duet";\ndef f = 1;\ndef g = f + 1\nlet x = g in x')
    assert file.notion == "zcdp"
    assert [entry.path for entry in file.imports] == ["a.duet", "b/c.duet"]
    assert [definition.name.text for definition in file.definitions] == ["f", "g"]
    assert isinstance(file.body, ast.Let)


def test_a_definition_ends_at_the_first_column() -> None:
    file = read("def f =\n  g\n  x\ndef h = f\n(1)")
    assert isinstance(file.definitions[0].value, ast.App)
    assert isinstance(file.definitions[1].value, ast.Var)
    assert isinstance(file.body, ast.NatLit)
    assert isinstance(read("def f = (g\nx)").definitions[0].value, ast.App)
    assert isinstance(read("f\nx").body, ast.App)


def test_private_lists() -> None:
    listed, empty, omitted = (private(f"laplace[s, e]{names} {{ x }}") for names in (" <x, y>", "<>", ""))
    assert isinstance(listed, ast.Mechanism)
    assert listed.private is not None
    assert [name.text for name in listed.private] == ["x", "y"]
    assert isinstance(empty, ast.Mechanism)
    assert empty.private == ()
    assert isinstance(omitted, ast.Mechanism)
    assert omitted.private is None


def test_auto_is_only_a_word_where_a_sensitivity_is_declared() -> None:
    mechanism = private("mgauss[auto, auto + 1, let auto = 1 in auto] { auto }")
    assert isinstance(mechanism, ast.Mechanism)
    assert [param is None for param in mechanism.params] == [True, False, False]
    assert isinstance(mechanism.body, ast.Var)
    bound = body("let auto = 1 in pλ . x : ℝ ⇒ mgauss[auto, e] { x }")
    assert isinstance(bound, ast.Let)
    assert isinstance(bound.body, ast.PLam)
    assert isinstance(bound.body.body, ast.Mechanism)
    assert isinstance(bound.body.body.params[0], ast.Var)


def test_the_body_tells_which_loop_it_is() -> None:
    assert isinstance(private("loop 3 on x { i, y ⇒ return y }"), ast.PLoop)
    assert isinstance(private("return loop 3 on x { i, y ⇒ y }"), ast.Return)
    assert isinstance(body("loop 3 on x { i, y ⇒ y }"), ast.Loop)


def test_guarantees() -> None:
    function = body("pλ . x : ℝ ⇒ return x ensures eps ≤ 1, δ <= 1e-6/2")
    assert isinstance(function, ast.PLam)
    assert [guarantee.letter for guarantee in function.ensures] == ["ε", "δ"]
    inner = body("pλ . x ⇒ return pλ . y ⇒ return y ensures ε ≤ 1")
    assert isinstance(inner, ast.PLam)
    assert not inner.ensures
    pair = body("⟨pλ . x ⇒ return x ensures ε ≤ 1, y⟩")
    assert isinstance(pair, ast.Pair)
    assert isinstance(pair.right, ast.Var)


def test_type_arguments() -> None:
    applied = body("f@[m + 1, ℝ, (ℝ × ℝ), (m), 𝔻 ⊸[1] 𝔻]")
    assert isinstance(applied, ast.TypeApp)
    assert [type(item) for item in applied.arguments] == [ast.RBin, ast.TBase, ast.TBinary, ast.RVar, ast.TFun]


def test_foreign_code_claims_nothing_by_a_bare_arrow() -> None:
    foreign = body('opaque "m:f" : ℝ ⊸ 𝔻')
    assert isinstance(foreign, ast.Opaque)
    assert isinstance(foreign.type, ast.TFun)
    assert isinstance(foreign.type.sensitivity, ast.RInf)


# ---------------------------------------------------------------------------------------------------------------------
# Soft words


@pytest.mark.parametrize("word", ["max", "log", "case", "fst", "Real", "Set", "grad", "poisson", "auto", "def", "and"])
def test_a_soft_word_that_is_bound_is_a_name(word: str) -> None:
    for text in (
        f"let {word} = 1 in {word}",
        f"sλ . {word} : ℝ ⇒ {word}",
        f"let ⟨{word}, y⟩ = p in {word}",
        f"mmap xs {{ {word} ⇒ {word} }}",
    ):
        node = body(text)
        assert isinstance(node, (ast.Let, ast.Lam, ast.LetPair, ast.Map))
        assert isinstance(node.body, ast.Var)
        assert node.body.name == word
    bind = private(f"{word} ← return 1; return {word}")
    assert isinstance(bind, ast.Bind)
    assert isinstance(bind.then, ast.Return)
    assert isinstance(bind.then.value, ast.Var)


def test_a_soft_word_is_a_name_in_its_scope_only() -> None:
    node = body("(let max = 1 in max) max 2")
    assert isinstance(node, ast.Prim)
    assert node.name == "⊔"
    assert isinstance(body("(sλ . log ⇒ log x) (log 2.0)"), ast.App)
    assert same(body("let y = (let sqrt = f in sqrt x) in sqrt y"), body("let y = (let sqrt = f in sqrt x) in √ y"))


def test_the_names_of_a_body_end_with_its_brace() -> None:
    node = body("mfold-row x, xs { a, Nat ⇒ Nat } Nat[3]")
    assert isinstance(node, ast.App)
    assert isinstance(node.argument, ast.StaticNat)
    assert isinstance(body("noisy-max"), ast.Var)


def test_type_names_have_a_scope_of_their_own() -> None:
    function = body("sλ inf : ℕ . max : ℕ[inf] ⇒ max")
    assert isinstance(function, ast.Lam)
    assert isinstance(function.params[0], ast.Param)
    assert isinstance(function.params[0].type, ast.TStaticNat)
    assert isinstance(function.params[0].type.value, ast.RVar)
    term = body("let inf = 1 in sλ . x : ℝ ⊸[inf] ℝ ⇒ x")
    assert isinstance(term, ast.Let)
    assert isinstance(term.body, ast.Lam)
    assert isinstance(term.body.params[0].type, ast.TFun)
    assert isinstance(term.body.params[0].type.sensitivity, ast.RInf)


def test_a_definition_binds_in_what_follows() -> None:
    file = read("def a = x max y\ndef max = 1\ndef b = max")
    assert isinstance(file.definitions[0].value, ast.Prim)
    assert isinstance(file.definitions[2].value, ast.Var)


def test_an_imported_name_is_bound() -> None:
    assert isinstance(read("max 1.0", frozenset({"max"})).body, ast.App)
    assert isinstance(read("x max 1.0", frozenset({"min"})).body, ast.Prim)


def test_columns_may_have_any_name() -> None:
    node = body("row.count + row.in")
    assert isinstance(node, ast.Prim)
    assert all(isinstance(arg, ast.FieldOf) for arg in node.args)
    matrix = type_of("𝕄 [L1, U | ★, set : ℝ ∷ in : ℕ ∷ []]")
    assert isinstance(matrix, ast.TMatrix)
    assert isinstance(matrix.schema, ast.SCons)
    assert matrix.schema.name == "set"


# ---------------------------------------------------------------------------------------------------------------------
# Spans


def test_spans() -> None:
    node = body("  (f x) + real (y) ")
    assert isinstance(node, ast.Prim)
    assert node.span.text == "(f x) + real (y)"
    assert [arg.span.text for arg in node.args] == ["f x", "real (y)"]
    let = body("let x = 1 in\n x")
    assert let.span.begin == (1, 1)
    assert let.span.finish == (2, 3)
    bind = private("y ← laplace[s, e] <x> { x }; return y")
    assert isinstance(bind, ast.Bind)
    assert bind.first.span.text == "laplace[s, e] <x> { x }"
    matrix = type_of(" 𝕄 [L1, U | m, n⋅ℝ] ")
    assert isinstance(matrix, ast.TMatrix)
    assert matrix.span.text == "𝕄 [L1, U | m, n⋅ℝ]"
    assert matrix.schema.span.text == "n⋅ℝ"
