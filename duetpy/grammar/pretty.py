"""Syntax trees as text: the formatter, and how expressions and types are shown.

Reading what is printed gives the same tree, in either spelling, and parentheses stand only where the levels of the
grammar ask for them. A hole is shown as ``_``, which no program can hold.
"""

from __future__ import annotations

from typing import assert_never

from duetpy.depth import DEEPER
from duetpy.grammar import ast
from duetpy.grammar.labels import quoted
from duetpy.grammar.layout import Mark, Text, lay_out, on_one_line
from duetpy.grammar.levels import WORD_LEVEL
from duetpy.grammar.pretty_sexp import CHAIN, OPERATOR, SExpPrinter, ends_in_body, head_of
from duetpy.grammar.pretty_types import TypePrinter

WIDTH = 100
"""Lines of a formatted file are so wide at most, where they can be broken."""


def show_type(node: ast.Type, ascii: bool = False) -> str:
    """A type on one line."""
    with DEEPER:
        return on_one_line(TypePrinter(ascii).type(node))


def show_rexp(node: ast.RExp, ascii: bool = False) -> str:
    """A type-level real on one line."""
    with DEEPER:
        return on_one_line(TypePrinter(ascii).rexp(node))


def show_schema(node: ast.Schema, ascii: bool = False) -> str:
    """The columns of a matrix on one line."""
    with DEEPER:
        return on_one_line(TypePrinter(ascii).schema(node))


def show_expression(node: ast.SExp | ast.PExp, ascii: bool = False) -> str:
    """An expression of either language on one line."""
    printer = Printer(ascii)
    return on_one_line(printer.pexp(node) if isinstance(node, ast.PExp) else printer.sexp(node))


def show_file(file: ast.File, ascii: bool = False, width: int = WIDTH) -> str:
    """A program, formatted; comments are not part of the tree and are not shown."""
    return lay_out(Printer(ascii).file(file), width) + "\n"


class Printer(SExpPrinter):
    """Prints both languages."""

    # ------------------------------------------------------------------------------------------------- files

    def file(self, file: ast.File) -> Text:
        heads = [f"notion {file.notion};"] if file.notion is not None else []
        heads += [f"import {self.written.literal(entry) or quoted(entry.path)};" for entry in file.imports]
        out: list[Text] = [[line, Mark.BREAK] for line in heads]
        count = len(file.definitions)
        for index, definition in enumerate(file.definitions):
            if index or heads:
                out.append(Mark.BREAK)
            last = index == count - 1
            stop = ";" if last and file.body is not None else ""
            out.append(self.headed(f"def {definition.name.text} =", definition.value, "", stop))
            self.terms.bind(definition.name.text)
            if not last:
                out.append(Mark.BREAK)
        if file.body is not None:
            if count:
                out.append([Mark.BREAK, Mark.BREAK])
            elif heads:
                out.append(Mark.BREAK)
            out.append(self.sexp(file.body))
        return out

    # ------------------------------------------------------------------------------------------------- expressions

    def pexp(self, node: ast.PExp, first: bool = False) -> Text:
        """A privacy expression; `first` where a semicolon follows that must not be taken for its own."""
        with DEEPER:
            is_grouped = self.written.is_grouped(node)
            return self.parenthesized(is_grouped, self.private_form(node, first and not is_grouped))

    def private_form(self, node: ast.PExp, first: bool) -> Text:
        match node:
            case ast.Return(value=value):
                return ["return ", self.sexp(value, 1)]
            case ast.Bind() | ast.PLet() | ast.PLetPair():
                return self.parenthesized(first, self.sequenced(node))
            case ast.PIf(guard=guard, then=then, otherwise=otherwise):
                return self.conditional(guard, then, otherwise)
            case ast.PCase():
                return self.case(node, node.left_body, node.right_body)
            case ast.PCaseMissing():
                return self.case_missing(node, node.there, node.absent)
            case ast.PApp():
                return self.application(node)
            case ast.PLoop():
                return self.private_loop(node)
            case ast.Mechanism():
                return self.mechanism(node)
            case ast.Parallel():
                return self.parallel(node)
            case ast.PMap(form=form, arg=arg, name=name, body=body):
                return [f"{form} ", self.sexp(arg, 2), " ", self.body((name,), body)]
            case ast.PFoldRows(batch=batch, init=init, features=features, labels=labels, function=function):
                args = (batch, init, features, labels, function)
                return ["pfld-rows", self.bracket_list(args)]
            case ast.Sample(scheme=scheme, size=size, tables=tables, names=names, body=body):
                head = [scheme, self.bracket_list((size,)), " ", self.sexps(tables, 2)]
                return [head, " ", self.body(names, body)]
            case ast.Convert(form=form, slack=slack, body=body):
                bracket = "" if slack is None else self.bracket_list((slack,))
                return [form, bracket, " ", self.body((), body)]
            case ast.RandNat(low=low, high=high):
                return ["rand-nat", self.bracket_list((low, high))]
            case ast.PHole():
                return "_"
            case _:
                assert_never(node)

    def sequenced(self, node: ast.Bind | ast.PLet | ast.PLetPair) -> Text:
        """``x ← p ;`` and ``let x = e in`` one under the other, down to what they end in."""
        mark = len(self.terms.trail)
        lines: list[Text] = []
        tail: ast.PExp = node
        while True:
            match tail:
                case _ if tail is not node and self.written.is_grouped(tail):
                    lines.append(self.pexp(tail))
                    self.terms.restore(mark)
                    return lines
                case ast.Bind(name=name, first=first, then=then):
                    lines.append([self.bound(name.text, first), f"{self.written.before_stop};", Mark.BREAK])
                    self.terms.bind(name.text)
                    tail = then
                case ast.PLet(name=name, bound=bound, body=body):
                    lines.append(self.let(name.text, bound))
                    self.terms.bind(name.text)
                    tail = body
                case ast.PLetPair(left=left, right=right, bound=bound, body=body):
                    lines.append(self.let(self.name_pair(left, right), bound))
                    self.terms.bind(left.text)
                    self.terms.bind(right.text)
                    tail = body
                case _:
                    lines.append(self.pexp(tail))
                    self.terms.restore(mark)
                    return lines

    def bound(self, name: str, value: ast.PExp) -> Text:
        """``x ← p``."""
        shown = self.pexp(value, first=True)
        is_soft = ends_in_body(value) and not self.written.is_grouped(value)
        opened = Mark.SOFT if is_soft else Mark.GROUP
        return [opened, f"{name} {self.sign('←')}", Mark.IN, Mark.LINE, shown, Mark.OUT, Mark.END]

    def any_body(self, node: ast.Node) -> Text:
        """What may stand in the braces of a form: an expression of either language."""
        if isinstance(node, ast.PExp):
            return self.pexp(node)
        assert isinstance(node, ast.SExp)
        return self.sexp(node)

    def application(self, node: ast.PApp) -> Text:
        """``f@[ηs . es]``; a form that both languages share would be read as a privacy expression, so it is wrapped."""
        wrapped = isinstance(head_of(node.function), (ast.Loop, ast.Case, ast.CaseMissing, ast.If))
        function = self.closed(wrapped, node.function, 0 if wrapped else CHAIN)
        if self.written.is_called_on(node):
            first, *others = node.args
            return [function, self.bracket_list(others), " ", self.sexp(first, WORD_LEVEL)]
        return [function, "@[", self.type_arguments(node.kinds), " . ", self.sexps(node.args), "]"]

    def private_names(self, names: tuple[ast.Name, ...] | None) -> str:
        return "" if names is None else f" <{', '.join(name.text for name in names)}>"

    def private_loop(self, node: ast.PLoop) -> Text:
        head: Text = "loop " if node.slack is None else ["aloop", self.bracket_list((node.slack,)), " "]
        turns = [self.sexp(node.count, OPERATOR), " on ", self.sexp(node.init, OPERATOR)]
        return [head, turns, self.private_names(node.private), " ", self.body((node.index, node.state), node.body)]

    def mechanism(self, node: ast.Mechanism) -> Text:
        params = self.commas(["auto" if param is None else self.sexp(param, 1) for param in node.params])
        candidates: Text = "" if node.candidates is None else [" ", self.sexp(node.candidates, OPERATOR)]
        body = self.body(() if node.binder is None else (node.binder,), node.body)
        return [f"{node.name}[", params, "]", candidates, self.private_names(node.private), " ", body]

    def parallel(self, node: ast.Parallel) -> Text:
        several = () if node.most is None else (node.most,)
        tables = self.bracket_list((*several, node.table, node.keys))
        return [
            "parallel",
            tables,
            " ",
            self.body((node.row,), node.key_of),
            " ",
            self.body((node.key, node.part), node.body),
        ]
