"""Privacy expressions and files: what a rule of the grammar has read → the node that it is."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.build_sexp import SExpBuilder
from duetpy.grammar.build_terms import Header
from duetpy.grammar.pieces import Piece
from duetpy.source import Span


class Builder(SExpBuilder):
    """Makes all nodes of a text; a method is called when its rule has been read."""

    notions: Sequence[str] = ()
    """The words that may follow ``notion``; any word may where none is listed."""

    # ------------------------------------------------------------------------------------------------- sequencing

    def first(self, c: list[Piece]) -> Piece:
        """``x ← p``: the name is bound from here on."""
        return self.header((self.name(c[0]),), self.pexp(c[2]), c)

    def bind(self, c: list[Piece]) -> Piece:
        header: Header = c[0].value
        self.words.restore(header.mark)
        if not header.names[0].text or not isinstance(header.value, ast.PExp):
            return self.hole(c)
        return self.made(ast.Bind(self.over(c), header.names[0], header.value, self.pexp(c[2])), c)

    def return_(self, c: list[Piece]) -> Piece:
        return self.made(ast.Return(self.over(c), self.sexp(c[1])), c)

    def hole(self, c: Sequence[Piece]) -> Piece:
        return self.made(ast.PHole(self.over(c)), c)

    # ------------------------------------------------------------------------------------------------- mechanisms

    def auto(self, c: list[Piece]) -> Piece:
        return Piece("auto", None, c[0].start, c[0].end)

    def noise(self, c: list[Piece]) -> Piece:
        """Parameters of a mechanism, None for ``auto``."""
        params = tuple(None if piece.type == "auto" else self.sexp(piece) for piece in c[::2])
        return Piece("noise", params, c[0].start, c[-1].end)

    def mechanism(self, c: list[Piece]) -> Piece:
        """``laplace[s, ε] <xs> { e }``."""
        private = c[4].value if c[4].type == "listed" else None
        body = self.sexp(c[-2])
        return self.made(ast.Mechanism(self.over(c), c[0].type, c[2].value, None, private, None, body), c)

    def selection(self, c: list[Piece]) -> Piece:
        """``exponential[s, ε] candidates <xs> { x ⇒ e }``."""
        private = c[5].value if c[5].type == "listed" else None
        body = self.bodied(c[-1], 1, c[0].type)
        if body is None:
            return self.hole(c)
        parts = c[2].value, self.sexp(c[4]), private, body.names[0], self.sexp(body.value)
        return self.made(ast.Mechanism(self.over(c), c[0].type, *parts), c)

    def rand_nat(self, c: list[Piece]) -> Piece:
        return self.made(ast.RandNat(self.over(c), *self.counted(c[1:], 2, 2)), c)

    # ------------------------------------------------------------------------------------------------- loops, tables

    def aloop(self, c: list[Piece]) -> Piece:
        """``aloop[δ′] k on init <xs> { i, x ⇒ p }``."""
        (slack,) = self.counted(c[1:4], 1, 1)
        private = c[7].value if c[7].type == "listed" else None
        body = self.bodied(c[-1], 2, "aloop")
        if body is None:
            return self.hole(c)
        index, state = body.names
        head = slack, self.sexp(c[4]), self.sexp(c[6]), private
        return self.made(ast.PLoop(self.over(c), *head, index, state, self.pexp(body.value)), c)

    def parallel(self, c: list[Piece]) -> Piece:
        *several, table, keys = self.counted(c[1:4], 2, 3)
        by, body = self.bodied(c[4], 1, "parallel"), self.bodied(c[5], 2, "parallel")
        if by is None or body is None:
            return self.hole(c)
        key_of = self.sexp(by.value)
        key, part = body.names
        head = several[0] if several else None, table, keys, by.names[0]
        return self.made(ast.Parallel(self.over(c), *head, key_of, key, part, self.pexp(body.value)), c)

    def pmap(self, c: list[Piece]) -> Piece:
        """``mmapp e { x ⇒ p }``, ``pmap-col e { x ⇒ p }``."""
        body = self.bodied(c[2], 1, c[0].type)
        if body is None:
            return self.hole(c)
        return self.made(ast.PMap(self.over(c), c[0].type, self.sexp(c[1]), body.names[0], self.pexp(body.value)), c)

    def pfold(self, c: list[Piece]) -> Piece:
        return self.made(ast.PFoldRows(self.over(c), *self.counted(c[1:], 5, 5)), c)

    def sample(self, c: list[Piece]) -> Piece:
        """``sample[b] xs, ys { x, y ⇒ p }``, and ``poisson`` and ``shuffle``."""
        (size,) = self.counted(c[1:4], 1, 1)
        tables = self.sexps(c[4])
        body = self.bodied(c[5], len(tables), c[0].type)
        if body is None:
            return self.hole(c)
        return self.made(ast.Sample(self.over(c), c[0].type, size, tables, body.names, self.pexp(body.value)), c)

    def convert(self, c: list[Piece]) -> Piece:
        """``ZCDP[δ] { p }``, ``EPSDP { p }``."""
        slack: ast.SExp | None = None
        if c[1].type == "[":
            (slack,) = self.counted(c[1:4], 1, 1)
        return self.made(ast.Convert(self.over(c), c[0].type, slack, self.pexp(c[-2])), c)

    # ------------------------------------------------------------------------------------------------- files

    def notion(self, c: list[Piece]) -> Piece:
        word = c[1].value
        if word is not None and self.notions and word not in self.notions:
            self.tell("no_notion", self.span(c[1]), word, [f"`{notion}`" for notion in self.notions])
            word = None
        return Piece("notion", word, c[0].start, c[-1].end)

    def import_(self, c: list[Piece]) -> Piece:
        path = c[1].value
        node = None if path is None else ast.Import(self.over(c[:2]), path)
        return Piece("import", node, c[0].start, c[-1].end)

    def defined(self, c: list[Piece]) -> Piece:
        """``def x = e``: the name is bound from here on."""
        name = self.name(c[1])
        value = self.sexp(c[3])
        self.words.restore(self.words.nowhere)
        self.words.bind(name.text)
        self.words.keep()
        return Piece("definition", ast.Def(self.over(c), name, value), c[0].start, c[-1].end)

    def definition(self, c: list[Piece]) -> Piece:
        return Piece("definition", c[0].value, c[0].start, c[-1].end)

    def file(self, c: list[Piece]) -> Piece:
        notion, imports, definitions = None, [], []
        body: ast.SExp | None = None
        for piece in c:
            match piece.type:
                case "notion":
                    notion = piece.value
                case "import":
                    imports += [piece.value] if piece.value else []
                case "definition":
                    if body is not None:
                        self.late_definition(piece)
                    definitions += [piece.value] if piece.value.name.text else []
                case _:
                    body = self.sexp(piece)
        end = c[-1].end if c else 0
        node = ast.File(Span(self.source, 0, end), notion, tuple(imports), tuple(definitions), body)
        return Piece("file", node, 0, end)

    def late_definition(self, piece: Piece) -> None:
        start = piece.start
        if self.is_whole(Span(self.source, 0, start)):
            self.tell("late_definition", Span(self.source, start, start + len("def")))

    # ------------------------------------------------------------------------------------------------- primitives

    def declaration(self, c: list[Piece]) -> Piece:
        """``prim name[L2, b] : τ`` or ``prim (+) : τ``."""
        name = c[1] if c[1].type == "PRIMITIVE" else c[2]
        brackets: list[str | ast.Norm] = []
        for piece in c[2:-2]:
            if piece.type in ("norm", "LABEL"):
                brackets.append(piece.value)
        type_ = self.type_of(c[-1])
        doc, example = self.comments_above(c[0].start)
        node = None
        if type_ is not None and name.value is not None:
            node = ast.PrimitiveDecl(self.over(c), name.value, tuple(brackets), type_, doc, example)
        return Piece("declaration", node, c[0].start, c[-1].end)

    def end(self, c: list[Piece]) -> Piece:
        """A number of either sign."""
        size = self.rexp_of(c[-1])
        return Piece("end", None if size is None else ast.End(self.over(c), len(c) > 1, size), c[0].start, c[-1].end)

    def ends(self, c: list[Piece]) -> Piece:
        return Piece("ends", (c[1].value, c[3].value), c[0].start, c[-1].end)

    def fact(self, c: list[Piece]) -> Piece:
        """``row_wise``, ``because "…"``, ``range [-1, 1]``."""
        texts = tuple(piece.value for piece in c[1:] if piece.type == "STRING")
        ends = tuple(end for piece in c[1:] if piece.type == "ends" for end in piece.value)
        node = None if None in ends or c[0].value is None else ast.PrimitiveFact(self.over(c), c[0].value, texts, ends)
        return Piece("fact", node, c[0].start, c[-1].end)

    def prelude(self, c: list[Piece]) -> Piece:
        """Each declaration with the facts that follow it."""
        found: list[ast.PrimitiveDecl] = []
        for piece in c:
            if isinstance(piece.value, ast.PrimitiveDecl):
                found.append(piece.value)
            elif isinstance(piece.value, ast.PrimitiveFact) and found:
                found[-1] = evolve(found[-1], facts=(*found[-1].facts, piece.value))
        return Piece("prelude", tuple(found), 0, 0)

    def comments_above(self, start: int) -> tuple[str, str]:
        """The ``-- |`` and ``-- >`` lines directly above a declaration."""
        text = self.source.text
        docs: list[str] = []
        example = ""
        line_start = text.rfind("\n", 0, start) + 1
        while line_start:
            above = text.rfind("\n", 0, line_start - 1) + 1
            line = text[above : line_start - 1].strip()
            if line.startswith("-- >"):
                example = line.removeprefix("-- >").strip()
            elif line.startswith("-- |"):
                docs.append(line.removeprefix("-- |").strip())
            else:
                break
            line_start = above
        return " ".join(reversed(docs)), example
