"""Source text → syntax tree, with every syntax error told of once.

The parser always returns a tree. What could not be read is a hole in it, of which no later pass need tell again. It
reads from left to right without going back, keeps nested constructs on an explicit stack, and takes time linear in the
text.
"""

from __future__ import annotations

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar.ast import Def, File, Hole, Import, Norm, PrimitiveDecl, RExp, SExp, Type
from duetpy.grammar.brackets import starts_definition
from duetpy.grammar.cursor import Fault
from duetpy.grammar.parser_pexp import PExpParser
from duetpy.source import Source, Span
from duetpy.trampoline import Task, call, run

NOTIONS = ("eps", "pure", "ed", "approx", "renyi", "zcdp", "tcdp", "gdp", "rao")
"""The words that may follow ``notion``; `eps` and `pure` mean the same, and so do `ed` and `approx`."""


def parse_file(source: Source, names: frozenset[str] = frozenset()) -> tuple[File, tuple[Diagnostic, ...]]:
    """Read a program.

    Parameters
    ----------
    source
        The program's text.
    names
        The names that its imports define: a soft word among them is a name throughout.

    Returns
    -------
    The tree, with holes where it could not be read, and what is wrong with the text, in the order of the text.
    """
    parser = _FileParser(source, names)
    file = run(parser.file())
    return file, parser.all_diagnostics()


def parse_type_text(source: Source) -> tuple[Type | None, tuple[Diagnostic, ...]]:
    """Read a text that is one type; None where it could not be read."""
    parser = _FileParser(source)
    try:
        type_ = parser.type()
        parser.finish("the type")
    except Fault:
        return None, parser.all_diagnostics()
    return type_, parser.all_diagnostics()


def parse_rexp_text(source: Source) -> tuple[RExp | None, tuple[Diagnostic, ...]]:
    """Read a text that is one type-level real; None where it could not be read."""
    parser = _FileParser(source)
    try:
        rexp = parser.rexp()
        parser.finish("the formula")
    except Fault:
        return None, parser.all_diagnostics()
    return rexp, parser.all_diagnostics()


def parse_prelude(source: Source) -> tuple[tuple[PrimitiveDecl, ...], tuple[Diagnostic, ...]]:
    """Read declarations of primitives, ``prim mclip[L2, b] : τ``, with the comments above them."""
    parser = _FileParser(source)
    return parser.declarations(), parser.all_diagnostics()


_LEFT_OVER = {
    "=": "bind with `let x = … in …` or `def x = …`; compare with `≡` (or `==`)",
    "⇒": "write a function as `sλ x : τ ⇒ e`",
    "→": "write a function as `sλ x : τ ⇒ e`",
    ">": "write `b < a` for `a > b`",
}
"""What is meant, probably, by what cannot follow an expression."""


class _FileParser(PExpParser):
    """Reads what stands at the top of a file."""

    def finish(self, what: str) -> None:
        """Tell of anything that follows."""
        if self.kinds[self.pos] != "end":
            self.complain(f"expected the end after {what}, found {self.found()}", "take this away", label="left over")

    # ------------------------------------------------------------------------------------------------- programs

    def file(self) -> Task[File]:
        """``[notion N;] { import "p"; } { def name = e } [ e ]``."""
        notion = self.notion()
        imports: list[Import] = []
        while self.kind() == "import" and self.ahead(1) not in ("=", "←"):
            if (found := self.import_()) is not None:
                imports.append(found)
        definitions: list[Def] = []
        body: SExp | None = None
        while self.kinds[self.pos] != "end":
            if self.at_definition():
                if body is not None:
                    self.late_definition()
                definition = yield from call(self.definition())
                if definition is not None:
                    definitions.append(definition)
            elif body is None:
                body = yield from call(self.top("the program"))
            else:
                self.trailing()
                body = None if self.at_definition() else body
        if body is None and not definitions and not imports and not self.diagnostics:
            advice = "write an expression, or `def main = …`"
            self.diagnostics.append(Diagnostic("D0007", "the program is empty", self.here(), help=advice))
        return File(Span(self.source, 0, self.end), notion, tuple(imports), tuple(definitions), body)

    def top(self, what: str) -> Task[SExp]:
        """An expression that ends where the next definition starts."""
        at = self.here()
        marks = self.marks()
        self.enclosures = 0
        try:
            value = yield from call(self.sexp())
        except Fault:
            self.restore(marks)
            self.skip_to_definition()
            return Hole(at)
        return value

    def trailing(self) -> None:
        """Tell of what follows a whole program."""
        advice = _LEFT_OVER.get(self.kind(), "take this away, or join it to the expression before it")
        self.complain(f"expected the end of the program, found {self.found()}", advice, label="left over")
        self.pos += 1
        self.skip_to_definition()

    def skip_to_definition(self) -> None:
        while self.kinds[self.pos] != "end" and not starts_definition(self.tokens, self.pos):
            self.pos += 1
        self.quiet = self.pos

    def at_definition(self) -> bool:
        return self.kind() == "def"

    def late_definition(self) -> None:
        self.complain(
            "a definition cannot follow the program's expression",
            "move the definition before the expression, or end the definition above with `;`",
            code="D0008",
            label="too late",
        )
        self.quiet = -1

    def definition(self) -> Task[Def | None]:
        """``def name = e``; the name is bound in what follows."""
        start = self.start
        self.pos += 1
        try:
            name = self.name("the name of a definition")
            self.expect("=", f"after `def {name.text}`")
        except Fault:
            self.skip_to_definition()
            return None
        self.in_definition = True
        value = yield from call(self.top(f"the definition of `{name.text}`"))
        self.in_definition = False
        span = self.since(start)
        if not self.accept(";"):
            self.end_definition(name.text)
        self.terms.bind(name.text)
        return Def(span, name, value)

    def end_definition(self, name: str) -> None:
        """Tell of what cannot follow a definition: only a definition or an expression in the first column can."""
        if self.kinds[self.pos] == "end" or starts_definition(self.tokens, self.pos) or self.heads_line(self.pos):
            return
        advice = "begin the next definition or expression on a line of its own, in the first column"
        self.complain(
            f"expected the end of the definition of `{name}`, found {self.found()}", advice, label="left over"
        )
        self.skip_to_definition()

    def notion(self) -> str | None:
        """``notion zcdp;``."""
        if self.kind() != "notion" or not self.is_word(self.pos + 1) or self.ahead(1) == "in":
            return None
        self.pos += 1
        token = self.tokens[self.pos]
        known = token.text in NOTIONS
        if not known:
            self.complain(
                f"`{token.text}` is no notion of privacy",
                f"the notions are {', '.join(f'`{notion}`' for notion in NOTIONS)}",
                code="D0008",
                label="unknown notion",
            )
        self.pos += 1
        self.semicolon(f"after `notion {token.text}`")
        return token.text if known else None

    def import_(self) -> Import | None:
        """``import "path";``."""
        start = self.start
        self.pos += 1
        if self.kinds[self.pos] != "string":
            advice = 'write `import "path.duet";`'
            self.complain(f"expected a path after `import`, found {self.found()}", advice, code="D0008")
            if self.skip_to(";"):
                self.pos += 1
            return None
        path = self.next().text
        span = self.since(start)
        self.semicolon("after the path of `import`")
        return Import(span, path)

    def semicolon(self, place: str) -> None:
        if not self.accept(";"):
            self.complain(f"expected `;` {place}", "write `;`", code="D0008", label="expected `;` before this")

    # ------------------------------------------------------------------------------------------------- primitives

    def declarations(self) -> tuple[PrimitiveDecl, ...]:
        found: list[PrimitiveDecl] = []
        while self.kinds[self.pos] != "end":
            try:
                found.append(self.declaration())
            except Fault:
                self.pos += 1
                while self.kinds[self.pos] != "end" and self.tokens[self.pos].text != "prim":
                    self.pos += 1
        return tuple(found)

    def declaration(self) -> PrimitiveDecl:
        """``prim name[L2, b] : τ`` or ``prim (+) : τ``."""
        start = self.start
        if self.tokens[self.pos].text != "prim":
            raise self.fault(f"expected `prim`, found {self.found()}", "write `prim name : τ`")
        self.pos += 1
        grouped = self.accept("(")
        token = self.next()
        if grouped:
            self.expect(")", "after the sign of a primitive")
        brackets: tuple[str | Norm, ...] = ()
        if self.kind() == "[":
            brackets = self.bracketed("[", lambda: self.listed(self.bracket), "the brackets of a primitive")
        self.expect(":", f"after `prim {token.text}`")
        type_ = self.type()
        doc, example = self.comments_above(start)
        name = token.text if token.kind == "name" else token.kind
        return PrimitiveDecl(self.since(start), name, brackets, type_, doc, example)

    def bracket(self) -> str | Norm:
        """A norm, the name of a loss, or the name of a static argument."""
        if self.kind() in ("L1", "L2", "L∞"):
            return self.norm("a norm")
        return self.label("a norm, a loss or a static argument").text

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
