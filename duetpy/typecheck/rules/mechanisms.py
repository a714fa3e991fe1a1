"""The privacy judgement for noise: which sensitivity a mechanism needs, and the atom of cost that it adds.

The noise itself is calibrated by the accountant from the same atom, so that what is charged and what is drawn cannot
drift apart.
"""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Root
from duetpy.typecheck.cost import Atom, Cost
from duetpy.typecheck.errors import privacy
from duetpy.typecheck.judgement import Charged, Judged
from duetpy.typecheck.mechanism_rows import ROWS, Form
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, ZERO, Quantity, maximum
from duetpy.typecheck.releasing import claimed, listing, static_parameters
from duetpy.typecheck.subtype import coerce


#   Γ ⊢ e : ℝ ; Σ      Σ(x) ≤ s for every x in xs      0 < s, ε
#   ──────────────────────────────────────────────────────────────────      noise of scale s/ε (Dwork–McSherry–
#   Γ ⊢ laplace[s, ε] <xs> { e } : ℝ ; ε on Σ|xs ⊞ ∞⊙(Σ∖xs)                 Nissim–Smith 2006)
#
#   Γ ⊢ e : 𝕄[L2, c | m, n⋅ℝ] ; Σ      Σ(x) ≤ s for every x in xs      fixed m
#   ────────────────────────────────────────────────────────────────────────────      analytic calibration (Balle–
#   Γ ⊢ mgauss[s, ε, δ] <xs> { e } : 𝕄[L∞, U | m, n⋅ℝ] ; ⟨ε, δ⟩ on Σ|xs ⊞ ∞⊙(Σ∖xs)   Wang 2018), every ε > 0
#
# The sum over rows of row norms is at least the norm of the whole matrix, so the metric's s bounds what the noise needs.
# An L1 matrix fits a Gaussian too (‖·‖₂ ≤ ‖·‖₁); an L2 matrix does not fit Laplace noise. bgauss is mgauss on one column.
#
#   Γ ⊢ e : ℕ ; Σ      Σ(x) ≤ s for every x in xs      0 < s, ε
#   ───────────────────────────────────────────────────────────────────      integer noise with P(z) ∝ exp(−ε|z|/s)
#   Γ ⊢ dlaplace[s, ε] <xs> { e } : ℝ ; ε on Σ|xs ⊞ ∞⊙(Σ∖xs)                 (Ghosh–Roughgarden–Sundararajan 2009)
#
#   Γ ⊢ e : ℕ ; Σ      Σ(x) ≤ s for every x in xs      0 < s, ρ
#   ───────────────────────────────────────────────────────────────────      integer noise with P(z) ∝ exp(−z²/2σ²),
#   Γ ⊢ dgauss[s, ρ] <xs> { e } : ℝ ; ρ on Σ|xs ⊞ ∞⊙(Σ∖xs)                   σ² = s²/2ρ (Canonne–Kamath–Steinke 2020)
#
#   Γ ⊢ e : ℝ ; Σ      Σ(x) ≤ s for every x in xs      0 < s, b      1 ≤ N
#   ────────────────────────────────────────────────────────────────────────────      noise of density ∝ exp(−(|z|/b)^N)
#   Γ ⊢ ggauss[s, N, b] <xs> { e } : ℝ ; (a shift by s/b at power N) on Σ|xs ⊞ ∞⊙(Σ∖xs)
#
#   Γ ⊢ e : ℝ ; Σ      Σ(x) ≤ s for every x in xs      0 < s, ε      0 ≤ δ < 1
#   ─────────────────────────────────────────────────────────────────────────────      noise s⋅(G₁ − G₂ + U) between its
#   Γ ⊢ canonical[s, ε, δ] <xs> { e } : ℝ ; ⟨ε, δ⟩ on Σ|xs ⊞ ∞⊙(Σ∖xs)                   quantiles (Awan–Vadhan 2023)
def additive(checker: Checker, node: ast.Mechanism, form: Form) -> Charged:
    names = parameter_names(checker, node, form)
    judged: list[Judged | None] = [None if param is None else checker.judge(param) for param in node.params]
    body = checker.judge(node.body)
    released, shape = release_type(checker, node, form, body)
    if names is None or isinstance(body.type, t.Poison):
        return Charged(released, {})
    parameters = static_parameters(checker, node, names, judged[1:])
    if isinstance(released, t.Poison):
        return Charged(released, {})
    listed, tossed = listing(checker, node, body)
    inferred = maximum(*listed.entries.values()) if listed else ZERO
    sensitivity = claimed(checker, node, judged[0], listed, inferred)
    if parameters is None or sensitivity is None:
        return Charged(released, {})
    atom = charged_atom(checker.notion, form, sensitivity, parameters)
    checker.annotations.releases[node] = ReleaseSite(
        node.name, node.span, sensitivity, inferred, atom, shape, checker.repeats
    )
    spent: dict[Root, Cost] = dict.fromkeys(listed.entries, atom)
    for root in tossed.entries:
        spent[root] = costs.NonPrivate(f"is used in {node.name} but not listed between < and >")
    return Charged(released, spent)


def charged_atom(notion: Notion, form: Form, sensitivity: Quantity, parameters: tuple[Quantity, ...]) -> Atom:
    """The atom of cost of one release."""
    row = ROWS[form.noise]
    if row.power_place is not None and notion.info.is_guarantee:
        *others, scale = parameters
        return Atom(form.noise, (*others, sensitivity / scale))
    if row.optional:
        left_out = [name for name in row.optional if name not in row.parameters[notion]]
        return Atom(form.noise, (*parameters, *(ZERO for _ in left_out)))
    steps = None
    if row.is_whole:
        whole = sensitivity.constant
        steps = int(whole) if whole is not None and whole.denominator == 1 else None
    return Atom(form.noise, parameters, notion if row.is_gaussian or not notion.info.is_guarantee else None, steps)


def parameter_names(checker: Checker, node: ast.Mechanism, form: Form) -> tuple[str, ...] | None:
    """What the brackets hold after the sensitivity, in this file's notion."""
    offered = ROWS[form.noise].parameters
    names = offered.get(checker.notion)
    if names is None:
        checker.report(privacy.wrong_notion(node.span, node.name, checker.notion, tuple(offered)))
        return None
    if len(node.params) != len(names) + 1:
        checker.report(privacy.mechanism_arity(node.span, node.name, checker.notion, names, len(node.params)))
        return None
    return names


def release_type(
    checker: Checker, node: ast.Mechanism, form: Form, body: Judged
) -> tuple[t.Type, tuple[Quantity, ...]]:
    """The type of what is released, and its shape."""
    if isinstance(body.type, t.Poison):
        return t.POISON, ()
    if form.takes == "natural":
        if not isinstance(body.type, t.Nat | t.StaticNat):
            checker.report(privacy.body_not_natural(node.body.span, node.name, node.name.removeprefix("d"), body.type))
            return t.POISON, ()
        return t.REAL, ()
    if form.takes == "number":
        if coerce(body.type, t.REAL) is None or isinstance(body.type, t.Disc):
            checker.report(privacy.body_not_real(node.body.span, node.name, body.type))
            return t.POISON, ()
        return t.REAL, ()
    if not isinstance(body.type, t.Matrix):
        checker.report(privacy.body_not_matrix(node.body.span, node.name, node.name.lstrip("mb"), body.type))
        return t.POISON, ()
    matrix = body.type
    if not all(isinstance(column, t.Real | t.StaticReal) for column in matrix.column_types()):
        checker.report(privacy.body_not_real(node.body.span, node.name, matrix))
        return t.POISON, ()
    if matrix.rows is None:
        checker.report(privacy.noise_of_unknown_size(node.body.span, node.name))
        return t.POISON, ()
    if form.takes == "column" and matrix.width != ONE:
        checker.report(privacy.body_not_a_column(node.body.span, node.name, matrix))
        return t.POISON, ()
    if matrix.norm not in form.norms:
        checker.report(privacy.wrong_norm(node.body.span, node.name, matrix, form.norms))
        return t.POISON, ()
    return t.Matrix(Norm.LINF, None, matrix.rows, t.Uniform(matrix.width, t.REAL)), (matrix.rows, matrix.width)
