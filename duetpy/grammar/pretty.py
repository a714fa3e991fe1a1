"""Syntax trees as text: the formatter, and how expressions and types are shown.

Reading what is printed gives the same tree, in either spelling, and parentheses stand only where the levels of the
grammar ask for them. A hole is shown as ``_``, which no program can hold.
"""

from __future__ import annotations

from typing import assert_never

from duetpy.grammar.ast import (
    Bind,
    Case,
    Convert,
    File,
    If,
    Loop,
    Mechanism,
    Name,
    Node,
    PApp,
    Parallel,
    PCase,
    PExp,
    PFoldRows,
    PHole,
    PIf,
    PLet,
    PLetPair,
    PLoop,
    PMap,
    RandNat,
    Return,
    RExp,
    Sample,
    Schema,
    SExp,
    Type,
)
from duetpy.grammar.layout import Mark, lay_out, on_one_line
from duetpy.grammar.pretty_sexp import CHAIN, OPERATOR, SExpPrinter, head_of, quoted
from duetpy.grammar.pretty_types import TypePrinter
from duetpy.trampoline import Task, call, run

WIDTH = 100
"""Lines of a formatted file are so wide at most, where they can be broken."""


def show_type(node: Type, ascii: bool = False) -> str:
    """A type on one line."""
    printer = TypePrinter(ascii)
    run(printer.type(node))
    return on_one_line(printer.out)


def show_rexp(node: RExp, ascii: bool = False) -> str:
    """A type-level real on one line."""
    printer = TypePrinter(ascii)
    run(printer.rexp(node))
    return on_one_line(printer.out)


def show_schema(node: Schema, ascii: bool = False) -> str:
    """The columns of a matrix on one line."""
    printer = TypePrinter(ascii)
    run(printer.schema(node))
    return on_one_line(printer.out)


def show_expression(node: SExp | PExp, ascii: bool = False) -> str:
    """An expression of either language on one line."""
    printer = Printer(ascii)
    run(printer.pexp(node) if isinstance(node, PExp) else printer.sexp(node))
    return on_one_line(printer.out)


def show_file(file: File, ascii: bool = False, width: int = WIDTH) -> str:
    """A program, formatted; comments are not part of the tree and are not shown."""
    printer = Printer(ascii)
    run(printer.file(file))
    return lay_out(printer.out, width) + "\n"


class Printer(SExpPrinter):
    """Prints both languages."""

    # ------------------------------------------------------------------------------------------------- files

    def file(self, file: File) -> Task[None]:
        heads = [f"notion {file.notion};"] if file.notion is not None else []
        heads += [f"import {quoted(entry.path)};" for entry in file.imports]
        for line in heads:
            self.emit(line, Mark.BREAK)
        count = len(file.definitions)
        for index, definition in enumerate(file.definitions):
            if index or heads:
                self.emit(Mark.BREAK)
            self.emit(Mark.GROUP, f"def {definition.name.text} =", Mark.IN, Mark.LINE)
            yield from call(self.sexp(definition.value))
            last = index == count - 1
            self.emit(";" if last and file.body is not None else "", Mark.OUT, Mark.END)
            self.terms.bind(definition.name.text)
            if not last:
                self.emit(Mark.BREAK)
        if file.body is not None:
            if count:
                self.emit(Mark.BREAK, Mark.BREAK)
            elif heads:
                self.emit(Mark.BREAK)
            yield from call(self.sexp(file.body))

    # ------------------------------------------------------------------------------------------------- expressions

    def pexp(self, node: PExp, first: bool = False) -> Task[None]:
        """A privacy expression; `first` where a semicolon follows that must not be taken for its own."""
        yield from ()
        match node:
            case Return(value=value):
                yield from call(self.sequence("return ", self.sexp(value, 1)))
            case Bind() | PLet() | PLetPair():
                yield from call(self.parenthesized(first, self.sequenced(node)))
            case PIf(guard=guard, then=then, otherwise=otherwise):
                yield from call(self.conditional(guard, then, otherwise))
            case PCase():
                yield from call(self.case(node, node.left_body, node.right_body))
            case PApp():
                yield from call(self.application(node))
            case PLoop():
                yield from call(self.private_loop(node))
            case Mechanism():
                yield from call(self.mechanism(node))
            case Parallel():
                yield from call(self.parallel(node))
            case PMap(form=form, arg=arg, name=name, body=body):
                yield from call(self.sequence(f"{form} ", self.sexp(arg, 2), " ", self.body((name,), body)))
            case PFoldRows(batch=batch, init=init, features=features, labels=labels, function=function):
                args = (batch, init, features, labels, function)
                yield from call(self.sequence("pfld-rows", self.bracket_list(args)))
            case Sample(scheme=scheme, size=size, tables=tables, names=names, body=body):
                head = self.sequence(scheme, self.bracket_list((size,)), " ", self.sexps(tables, 2))
                yield from call(self.sequence(head, " ", self.body(names, body)))
            case Convert(form=form, slack=slack, body=body):
                bracket = self.sequence("") if slack is None else self.bracket_list((slack,))
                yield from call(self.sequence(form, bracket, " ", self.body((), body)))
            case RandNat(low=low, high=high):
                yield from call(self.sequence("rand-nat", self.bracket_list((low, high))))
            case PHole():
                self.emit("_")
            case _:
                assert_never(node)

    def sequenced(self, node: Bind | PLet | PLetPair) -> Task[None]:
        """``x ← p ;`` and ``let x = e in`` one under the other, down to what they end in."""
        mark = len(self.terms.trail)
        tail: PExp = node
        while True:
            match tail:
                case Bind(name=name, first=first, then=then):
                    self.emit(Mark.GROUP, f"{name.text} {self.sign('←')}", Mark.IN, Mark.LINE)
                    yield from call(self.pexp(first, first=True))
                    self.emit(Mark.OUT, Mark.END, ";", Mark.BREAK)
                    self.terms.bind(name.text)
                    tail = then
                case PLet(name=name, bound=bound, body=body):
                    yield from call(self.let(name.text, bound))
                    self.terms.bind(name.text)
                    tail = body
                case PLetPair(left=left, right=right, bound=bound, body=body):
                    yield from call(self.let(self.name_pair(left, right), bound))
                    self.terms.bind(left.text)
                    self.terms.bind(right.text)
                    tail = body
                case _:
                    yield from call(self.pexp(tail))
                    self.terms.restore(mark)
                    return

    def any_body(self, node: Node) -> Task[None]:
        """What may stand in the braces of a form: an expression of either language."""
        if isinstance(node, PExp):
            return self.pexp(node)
        assert isinstance(node, SExp)
        return self.sexp(node)

    def application(self, node: PApp) -> Task[None]:
        """``f@[ηs . es]``; a form that both languages share would be read as a privacy expression, so it is wrapped."""
        wrapped = isinstance(head_of(node.function), (Loop, Case, If))
        yield from call(self.parenthesized(wrapped, self.sexp(node.function, 0 if wrapped else CHAIN)))
        self.emit("@[")
        yield from call(self.type_arguments(node.kinds))
        self.emit(" . ")
        yield from call(self.sexps(node.args))
        self.emit("]")

    def private_names(self, names: tuple[Name, ...] | None) -> str:
        return "" if names is None else f" <{', '.join(name.text for name in names)}>"

    def private_loop(self, node: PLoop) -> Task[None]:
        head = "loop" if node.slack is None else "aloop"
        self.emit(head)
        if node.slack is not None:
            yield from call(self.bracket_list((node.slack,)))
        self.emit(" ")
        yield from call(self.sexp(node.count, OPERATOR))
        self.emit(" on ")
        yield from call(self.sexp(node.init, OPERATOR))
        self.emit(self.private_names(node.private), " ")
        yield from call(self.body((node.index, node.state), node.body))

    def mechanism(self, node: Mechanism) -> Task[None]:
        self.emit(f"{node.name}[")
        params = [self.sequence("auto") if param is None else self.sexp(param, 1) for param in node.params]
        yield from call(self.commas(params))
        self.emit("]")
        if node.candidates is not None:
            self.emit(" ")
            yield from call(self.sexp(node.candidates, OPERATOR))
        self.emit(self.private_names(node.private), " ")
        yield from call(self.body(() if node.binder is None else (node.binder,), node.body))

    def parallel(self, node: Parallel) -> Task[None]:
        self.emit("parallel")
        yield from call(self.bracket_list((node.table, node.keys)))
        self.emit(" ")
        yield from call(self.body((node.row,), node.key_of))
        self.emit(" ")
        yield from call(self.body((node.key, node.part), node.body))
