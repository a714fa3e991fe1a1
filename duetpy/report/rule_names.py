"""The names of rules, as ``duetpy explain`` takes them."""

from __future__ import annotations

from duetpy.grammar import ast


def rule_of(node: ast.Node) -> str:
    """The rule for the form of an expression; none for a name alone and for what only groups."""
    match node:
        case ast.Var():
            return ""
        case ast.Prim(name=name) | ast.Mechanism(name=name):
            return name
        case ast.Map(form=form) | ast.PMap(form=form) | ast.FrameOp(form=form):
            return form
        case ast.Sample(scheme=scheme):
            return scheme
        case ast.Inject(side=side):
            return side
        case _:
            return _BY_FORM.get(type(node), "")


_BY_FORM: dict[type[ast.Node], str] = {
    ast.App: "function",
    ast.TypeApp: "function",
    ast.Lam: "function",
    ast.PLam: "function",
    ast.Let: "let",
    ast.LetPair: "let",
    ast.PLet: "let",
    ast.PLetPair: "let",
    ast.Pair: "pair",
    ast.Case: "case",
    ast.PCase: "case",
    ast.CaseMissing: "some",
    ast.PCaseMissing: "some",
    ast.Nothing: "none",
    ast.Record: "record",
    ast.SetLit: "℘",
    ast.If: "if",
    ast.PIf: "if",
    ast.Loop: "loop",
    ast.PLoop: "ploop",
    ast.MCreate: "mcreate",
    ast.Fold: "mfold-row",
    ast.Filter: "mfilter",
    ast.Flat: "flat",
    ast.Index: "index",
    ast.Update: "update",
    ast.FieldOf: "column",
    ast.Select: "column",
    ast.Opaque: "opaque",
    ast.Return: "return",
    ast.Bind: "bind",
    ast.PApp: "call",
    ast.PFoldRows: "pfld-rows",
    ast.Parallel: "parallel",
    ast.Convert: "convert",
    ast.RandNat: "rand-nat",
}
