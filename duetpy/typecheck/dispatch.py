"""Both judgements, by the form of the expression: which rule is whose.

    Γ ⊢ e : τ ; Σ        `expression`, and of operations `primitive`
    Γ ⊢ p : τ ; Π        `private`

Only the checker's front imports this. A rule gets a `duetpy.typecheck.checker.Checker`, which it asks for
the judgements of the parts.
"""

from __future__ import annotations

from typing import assert_never

from duetpy.grammar import ast
from duetpy.typecheck import types as t
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.judgement import POISONED, Charged, Judged
from duetpy.typecheck.mechanism_rows import FORMS, RULES
from duetpy.typecheck.rules import (
    columns,
    flattening,
    folds,
    frames,
    functions,
    gradients,
    joins,
    key_sets,
    last_iterate,
    matrices,
    mechanisms,
    missing,
    parallelism,
    primitives,
    privacy,
    products,
    row_pairs,
    sampling,
    selection,
    sensitivity,
    shuffling,
    trusted,
)


def expression(checker: Checker, node: ast.SExp) -> Judged:
    """The rule for the form of an expression."""
    match node:
        case ast.Var():
            return sensitivity.variable(checker, node)
        case ast.NatLit() | ast.RealLit() | ast.StrLit() | ast.BoolLit() | ast.DateLit():
            return sensitivity.literal(checker, node)
        case ast.StaticNat() | ast.StaticReal():
            return sensitivity.literal(checker, node)
        case ast.Prim():
            return primitives.judge_primitive(checker, node)
        case ast.Let():
            return sensitivity.let_spine(checker, node)
        case ast.LetPair():
            return sensitivity.let_pair(checker, node)
        case ast.Lam():
            return functions.sensitivity_function(checker, node)
        case ast.PLam():
            return functions.privacy_function(checker, node)
        case ast.App():
            return functions.application(checker, node)
        case ast.TypeApp():
            return functions.type_application(checker, node)
        case ast.Pair():
            return sensitivity.pair(checker, node)
        case ast.Inject():
            return sensitivity.injection(checker, node)
        case ast.Case():
            return sensitivity.case(checker, node)
        case ast.Nothing():
            return missing.nothing(checker, node)
        case ast.CaseMissing():
            return missing.case(checker, node)
        case ast.Record():
            return frames.record(checker, node)
        case ast.SetLit():
            return sensitivity.set_literal(checker, node)
        case ast.If():
            return sensitivity.conditional(checker, node)
        case ast.Loop():
            return sensitivity.loop(checker, node)
        case ast.MCreate():
            return matrices.create(checker, node)
        case ast.Map():
            return mapped(checker, node)
        case ast.Fold():
            return folds.judge_fold(checker, node)
        case ast.Filter():
            return matrices.filter_rows(checker, node)
        case ast.Flat():
            return flattening.flatten(checker, node)
        case ast.Index():
            return matrices.index(checker, node)
        case ast.Update():
            return matrices.update(checker, node)
        case ast.FieldOf():
            return matrices.field_of(checker, node)
        case ast.Select():
            return matrices.select(checker, node)
        case ast.FrameOp():
            return framed(checker, node)
        case ast.Opaque():
            return trusted.opaque(checker, node)
        case ast.Hole():
            return POISONED  # the parser has reported it
        case _:
            assert_never(node)


def mapped(checker: Checker, node: ast.Map) -> Judged:
    """The rule for a map: by its form, and over one table or two."""
    single = len(node.args) == 1
    match node.form:
        case "mmap":
            return matrices.map_entries(checker, node) if single else matrices.map_two(checker, node)
        case "mmap-row":
            return matrices.map_rows(checker, node) if single else row_pairs.map_two_rows(checker, node)
        case "mmap-col":
            return columns.map_columns(checker, node)
        case _:
            return frames.map_bag(checker, node) if single else frames.map_two_bags(checker, node)


def framed(checker: Checker, node: ast.FrameOp) -> Judged:
    """The rule for a form of data frames, by its name."""
    match node.form:
        case "addColDF":
            return frames.add_column(checker, node)
        case "partitionDF":
            return frames.partition(checker, node)
        case _:
            return joins.join_frames(checker, node)


def primitive(checker: Checker, node: ast.Prim, args: list[Judged], bounds: list[Judged]) -> Judged:
    """The rule for a primitive on arguments that are judged, by its name: most have a signature in the prelude."""
    match node.name:
        case "idx":
            return primitives.index(checker, node, args[0])
        case "box":
            return primitives.box(args[0])
        case "unbox":
            return primitives.unbox(checker, node, args[0])
        case "discf":
            return primitives.discretised_function(checker, node, args[0])
        case "clip":
            return primitives.clip(checker, node, args[0], bounds)
        case "chunks":
            return columns.chunks(checker, node, args)
        case "join₁":
            return joins.join(checker, node, args)
        case "zip":
            return columns.side_by_side(checker, node, args)
        case "×":
            return products.judge_product(checker, node, args)
        case "∇" | "U∇" | "row∇":
            return gradients.judge_gradient(checker, node, args, bounds)
        case "step∇":
            return gradients.judge_step(checker, node, args, bounds)
        case _:
            return primitives.by_signature(checker, node, args, bounds)


def private(checker: Checker, node: ast.PExp) -> Charged:
    """The rule for the form of a privacy expression."""
    match node:
        case ast.Return():
            return privacy.judge_return(checker, node)
        case ast.Bind() | ast.PLet():
            return privacy.judge_spine(checker, node)
        case ast.PLetPair():
            return privacy.let_pair(checker, node)
        case ast.PIf():
            return privacy.conditional(checker, node)
        case ast.PCase():
            return privacy.case(checker, node)
        case ast.PCaseMissing():
            return missing.private_case(checker, node)
        case ast.PApp():
            return privacy.application(checker, node)
        case ast.PLoop():
            return privacy.loop(checker, node)
        case ast.Mechanism():
            return mechanism(checker, node)
        case ast.Parallel():
            return privacy.parallel(checker, node)
        case ast.Convert():
            return privacy.conversion(checker, node)
        case ast.PMap():
            return parallelism.map_runs(checker, node)
        case ast.PFoldRows():
            return parallelism.fold_batches(checker, node)
        case ast.Sample(scheme="shuffle"):
            return shuffling.judge_shuffle(checker, node)
        case ast.Sample():
            return sampling.judge_sample(checker, node)
        case ast.RandNat():
            return selection.random_number(checker, node)
        case ast.PHole():
            return Charged(t.POISON, {})  # the parser has reported it
        case _:
            assert_never(node)


def mechanism(checker: Checker, node: ast.Mechanism) -> Charged:
    """The rule for a mechanism, by its row."""
    match rule := RULES.get(node.name):
        case None:
            return mechanisms.additive(checker, node, FORMS[node.name])
        case "claim":
            return trusted.given(checker, node)
        case "choice":
            return selection.choice(checker, node)
        case "queries":
            return selection.above_threshold(checker, node)
        case "response":
            return selection.randomized_response(checker, node)
        case "risk":
            return selection.gibbs(checker, node)
        case "descent":
            return last_iterate.judge_last_iterate(checker, node)
        case "found" | "counted":
            return key_sets.judge_keys(checker, node)
        case _:
            assert_never(rule)
