"""Random syntax trees of every class, such as a parser could have made.

A tree is drawn from a `random.Random`, so that hypothesis may steer and shrink it. Soft words (``max``, ``Real`` …) are
used as names only where the tree has bound them, for elsewhere they are no names.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from random import Random

from duetpy.grammar import ast
from duetpy.grammar.spelling import LETTERS
from duetpy.source import Source, Span

NOWHERE = Span(Source("<tree>", ""), 0, 0)
NAMES = ("x", "y", "xs", "ys", "θ", "ε", "m₀", "x'", "δ′", "step-size", "o", "e", "E1", "a_b", "gₚ", "prim", "exp2")
SOFT_NAMES = (
    "max",
    "log",
    "case",
    "auto",
    "fst",
    "Real",
    "Nat",
    "poisson",
    "sign",
    "grad",
    "and",
    "renorm",
    "plam",
    "inl",
    "date",
    "days",
    "number",
    "prefix",
)
KIND_NAMES = ("m", "n", "k", "τ", "η", "inf", "max", "Real", "sqrt", "Matrix", "forall", "exp", "Date")
LABELS = ("age", "annual income", "count", "in", 'a "b", c\\', "2019", "Real", "notion")
NORMS = tuple(ast.Norm)
INFIX = ("∧", "∨", "≡", "∈", "<", "≤", "⊔", "or-else", "⊓", "+", "-", "⋅", "×", "/", "%")
PREFIX = (
    *("√", "㏒", "dyn", "real", "rows", "cols", "tr", "idx", "disc", "discf", "conv", "mconv", "box", "unbox", "count"),
    *("fst", "snd", "sign", "floor", "ceil", "round", "exp", "abs", "tanh", "clip", "unionAll", "is-missing"),
    *("year", "month", "day", "weekday", "month-start", "length", "lower", "upper", "trim", "number", "text"),
)
TWO = ("days", "add-days", "dates", "contains", "starts")
ENDS = ("prefix", "suffix")
CHARACTERS = 'ab ℝ"\\\n\t{}-;·\x00\u202e🙂'


class Trees:
    """Draws trees of at most a given number of nodes, roughly."""

    def __init__(self, random: Random, size: int) -> None:
        self.random = random
        self.size = size
        self.terms: list[str] = []
        self.types: list[str] = []

    # ------------------------------------------------------------------------------------------------- choices

    def pick(self, options: tuple[str, ...]) -> str:
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def small(self) -> bool:
        """Whether a leaf is due."""
        self.size -= 1
        return self.size <= 0 or self.chance(0.15)

    def some(self, least: int = 1, most: int = 3) -> range:
        return range(self.random.randint(least, most))

    # ------------------------------------------------------------------------------------------------- names

    def binder(self) -> ast.Name:
        name = self.pick(SOFT_NAMES if self.chance(0.15) else NAMES)
        self.terms.append(name)
        return ast.Name(NOWHERE, name)

    def used(self) -> str:
        return self.pick((*NAMES[:8], *self.terms[-3:]))

    def reference(self) -> ast.Name:
        return ast.Name(NOWHERE, self.pick(NAMES))

    def label(self) -> ast.Name:
        return ast.Name(NOWHERE, self.pick(LABELS))

    def kind_name(self) -> str:
        return self.pick(("m", "n", "τ", "η", *self.types[-3:]))

    def kinds(self) -> tuple[ast.KindBinding, ...]:
        bindings = []
        for _ in self.some(0, 2):
            name = self.pick(KIND_NAMES)
            bindings.append(ast.KindBinding(NOWHERE, name, self.random.choice(list(ast.Kind))))
            self.types.append(name)
        return tuple(bindings)

    # ------------------------------------------------------------------------------------------------- reals

    def numeral(self) -> Fraction:
        return Fraction(self.random.randint(0, 10 ** self.random.randint(1, 20)), 10 ** self.random.randint(0, 30))

    def rnum(self) -> ast.RNum:
        if self.chance(0.5):
            return ast.RNum(NOWHERE, Fraction(self.random.randint(0, 12)), False)
        return ast.RNum(NOWHERE, self.numeral(), True)

    def rexp(self) -> ast.RExp:
        if self.small() or self.chance(0.4):
            leaf = self.random.randint(0, 4)
            if leaf == 0:
                return ast.RInf(NOWHERE)
            return self.rnum() if leaf < 3 else ast.RVar(NOWHERE, self.kind_name())
        if self.chance(0.2):
            op = self.pick(("√", "㏒", "exp", "expm1", "log1p", "tanh"))
            if op == "exp" and "exp" in self.types:
                op = "tanh"
            return ast.RFun(NOWHERE, op, self.rexp())
        return ast.RBin(NOWHERE, self.pick(("⊔", "⊓", "+", "⋅", "/")), self.rexp(), self.rexp())

    # ------------------------------------------------------------------------------------------------- types

    def norm(self) -> ast.Norm:
        return self.random.choice(NORMS)

    def type(self) -> ast.Type:
        if self.small():
            base = self.pick(("ℕ", "ℝ", "𝔹", "𝕊", *(() if "Date" in self.types else ("Date",))))
            return self.random.choice([ast.TBase(NOWHERE, base), ast.TVar(NOWHERE, self.kind_name())])
        before = len(self.types)
        match self.random.randint(0, 14):
            case 14:
                identifier = ast.FieldType(NOWHERE, self.pick(LABELS), self.type())
                roster = ast.Roster(NOWHERE, self.binder().text) if self.chance(0.3) else None
                return ast.TPersons(NOWHERE, identifier, self.fields(), roster)
            case 0:
                return ast.TStaticNat(NOWHERE, self.rexp())
            case 1:
                signed = self.chance(0.5)
                return ast.TStaticReal(NOWHERE, self.rexp(), signed, signed and self.chance(0.5))
            case 2:
                return ast.TIdx(NOWHERE, self.rexp())
            case 3:
                if self.chance(0.3):
                    low, high = (ast.End(NOWHERE, self.chance(0.3), self.rexp()) for _ in range(2))
                    return ast.TWithin(NOWHERE, self.type(), low, high)
                return (ast.TMissing if self.chance(0.5) else ast.TDisc)(NOWHERE, self.type())
            case 4 | 5:
                rows = None if self.chance(0.3) else self.rexp()
                return ast.TMatrix(NOWHERE, self.norm(), self.clip(), rows, self.schema())
            case 6:
                return ast.TBag(NOWHERE, self.type())
            case 7:
                return ast.TSet(NOWHERE, self.type())
            case 8:
                return ast.TRecord(NOWHERE, self.fields())
            case 9:
                return ast.TFrame(NOWHERE, self.fields())
            case 10:
                return ast.TBinary(NOWHERE, self.pick(("+", "×", "&")), self.type(), self.type())
            case 11:
                entries = tuple(ast.BoxEntry(NOWHERE, self.pick(NAMES), self.rexp()) for _ in self.some(0, 2))
                return ast.TBox(NOWHERE, entries, self.type())
            case 12:
                function = ast.TFun(NOWHERE, self.kinds(), self.type(), self.rexp(), self.type())
                del self.types[before:]
                return function
            case _:
                kinds = self.kinds()
                params = tuple(ast.PrivateParam(NOWHERE, self.type(), self.cost()) for _ in self.some())
                result = ast.TPFun(NOWHERE, kinds, params, self.type())
                del self.types[before:]
                return result

    def cost(self) -> ast.CostExp:
        return ast.CostExp(NOWHERE, tuple(self.rexp() for _ in self.some(1, 2)))

    def fields(self) -> tuple[ast.FieldType, ...]:
        return tuple(ast.FieldType(NOWHERE, self.pick(LABELS), self.type(), self.default()) for _ in self.some())

    def default(self) -> ast.Default | None:
        if self.chance(0.7):
            return None
        numbers = (0, 40, -3, Fraction(0), Fraction(5, 2), Fraction(-1, 4), True, False)
        return ast.Default(NOWHERE, self.random.choice(numbers))

    def clip(self) -> ast.ClipBound:
        norm = None if self.chance(0.4) else self.norm()
        return ast.ClipBound(NOWHERE, norm, self.rexp() if norm and self.chance(0.5) else None)

    def schema(self) -> ast.Schema:
        if self.small():
            return ast.SEmpty(NOWHERE) if self.chance(0.5) else ast.SVar(NOWHERE, self.kind_name())
        match self.random.randint(0, 3):
            case 0 | 1:
                return ast.SUniform(NOWHERE, self.rexp(), self.type(), self.default())
            case 2:
                name = self.pick(LABELS) if self.chance(0.5) else None
                return ast.SCons(NOWHERE, name, self.type(), self.schema(), self.default())
            case _:
                return ast.SAppend(NOWHERE, self.schema(), self.schema())

    def type_argument(self) -> ast.RExp | ast.Type:
        """A type that holds a word of types, since a name alone is read as a type-level real."""
        if self.chance(0.5):
            return self.rexp()
        return ast.TBinary(NOWHERE, "×", ast.TBase(NOWHERE, "ℝ"), self.type())

    # ------------------------------------------------------------------------------------------------- expressions

    def leaf(self) -> ast.SExp:
        match self.random.randint(0, 9):
            case 0:
                return ast.NatLit(NOWHERE, self.random.randint(-3, 10**6))
            case 1:
                return ast.RealLit(NOWHERE, self.numeral() * self.random.choice((1, -1)))
            case 2:
                if self.free("date") and self.chance(0.3):
                    return ast.DateLit(NOWHERE, date.fromordinal(self.random.randint(1, date.max.toordinal())))
                return ast.StrLit(NOWHERE, "".join(self.random.choices(CHARACTERS, k=3)))
            case 3:
                return ast.BoolLit(NOWHERE, self.chance(0.5))
            case 4:
                return ast.StaticNat(NOWHERE, self.rexp())
            case 5:
                signed = self.chance(0.5)
                return ast.StaticReal(NOWHERE, self.rexp(), signed, signed and self.chance(0.5))
            case _:
                return ast.Var(NOWHERE, self.used())

    def sexp(self) -> ast.SExp:
        if self.small():
            return self.leaf()
        terms, types = len(self.terms), len(self.types)
        node = self.sexp_form()
        del self.terms[terms:]
        del self.types[types:]
        return node

    def free(self, word: str) -> bool:
        """Whether a word still means what the language says."""
        return word not in self.terms

    def sexp_form(self) -> ast.SExp:
        match self.random.randint(0, 25):
            case 0 | 1 | 2:
                return ast.Prim(NOWHERE, self.pick(INFIX), (self.sexp(), self.sexp()))
            case 3:
                return self.prefixed()
            case 4:
                return self.primitive()
            case 5 | 6:
                bound = self.sexp()
                return ast.Let(NOWHERE, self.binder(), bound, self.sexp())
            case 7:
                bound = self.sexp()
                return ast.LetPair(NOWHERE, self.binder(), self.binder(), bound, self.sexp())
            case 8:
                kinds = self.kinds()
                types = [self.type() if self.chance(0.8) else None for _ in self.some()]
                params = tuple(ast.Param(NOWHERE, self.binder(), type_) for type_ in types)
                return ast.Lam(NOWHERE, kinds, params, self.sexp())
            case 9 | 10:
                return self.private_function()
            case 11:
                return ast.App(NOWHERE, self.sexp(), self.sexp())
            case 12:
                return ast.TypeApp(NOWHERE, self.sexp(), tuple(self.type_argument() for _ in self.some(0, 2)))
            case 13:
                return ast.Pair(NOWHERE, self.sexp(), self.sexp(), self.chance(0.5))
            case 14:
                other = self.type() if self.chance(0.5) else None
                if self.free("none") and self.chance(0.3):
                    return ast.Nothing(NOWHERE, self.type())
                return ast.Inject(NOWHERE, self.pick(("inl", "inr")) if self.free("inl") else "inr", other, self.sexp())
            case 15 if self.free("case") and self.free("some") and self.free("none") and self.chance(0.5):
                scrutinee, branch = self.sexp(), self.branch()
                return ast.CaseMissing(NOWHERE, scrutinee, *branch, self.sexp())
            case 15 if self.free("case"):
                return ast.Case(NOWHERE, self.sexp(), *self.branch(), *self.branch())
            case 16 if self.chance(0.4):
                fields = [(self.label(), self.sexp()) for _ in self.some()]
                return ast.Record(NOWHERE, tuple(name for name, _ in fields), tuple(value for _, value in fields))
            case 16:
                return ast.SetLit(NOWHERE, tuple(self.sexp() for _ in self.some(0)))
            case 17:
                return ast.If(NOWHERE, self.sexp(), self.sexp(), self.sexp())
            case 18:
                return ast.Loop(NOWHERE, self.sexp(), self.sexp(), self.binder(), self.binder(), self.sexp())
            case 19:
                sizes = self.norm(), self.sexp(), self.sexp()
                return ast.MCreate(NOWHERE, *sizes, self.binder(), self.binder(), self.sexp())
            case 20:
                form = self.pick(("mmap", "mmap-row", "mmap-col", "bmap", "mapDF"))
                count = self.random.randint(1, 2) if form != "mapDF" else 1
                args = tuple(self.sexp() for _ in range(count))
                return ast.Map(NOWHERE, form, args, tuple(self.binder() for _ in range(count)), self.sexp())
            case 21:
                return ast.Fold(NOWHERE, self.sexp(), self.sexp(), self.binder(), self.binder(), self.sexp())
            case 22:
                if self.chance(0.3):
                    return ast.Flat(NOWHERE, self.sexp(), self.sexp(), self.binder(), self.sexp())
                return ast.Filter(NOWHERE, self.sexp(), self.binder(), self.sexp())
            case 23:
                if self.chance(0.3):
                    return ast.Update(NOWHERE, self.sexp(), self.sexp(), self.sexp(), self.sexp())
                return ast.Index(NOWHERE, self.sexp(), self.sexp(), self.sexp() if self.chance(0.5) else None)
            case 24:
                if self.chance(0.5):
                    return ast.FieldOf(NOWHERE, self.sexp(), self.label())
                return ast.Select(NOWHERE, self.sexp(), tuple(self.label() for _ in self.some()))
            case _:
                return self.frame()

    def branch(self) -> tuple[ast.Name, ast.SExp]:
        mark = len(self.terms)
        branch = self.binder(), self.sexp()
        del self.terms[mark:]
        return branch

    def prefixed(self) -> ast.SExp:
        if self.chance(0.2) and self.free(name := self.pick((*TWO, *ENDS))):
            return ast.Prim(NOWHERE, name, (self.sexp(), self.sexp()))
        name = self.pick(PREFIX)
        if name == "clip" and self.chance(0.5):
            return ast.Prim(NOWHERE, name, (self.sexp(),), bounds=(self.sexp(), self.sexp()))
        if not self.free(name):
            name = "real"
        return ast.Prim(NOWHERE, name, (self.sexp(),))

    def primitive(self) -> ast.SExp:
        match self.random.randint(0, 6):
            case 0:
                bounds = (self.sexp(),) if self.chance(0.5) else ()
                return ast.Prim(NOWHERE, "mclip", (self.sexp(),), norm=self.norm(), bounds=bounds)
            case 1 if self.free("renorm"):
                return ast.Prim(NOWHERE, "renorm", (self.sexp(),), norm=self.norm())
            case 2:
                return ast.Prim(NOWHERE, "zip", (self.sexp(), self.sexp()))
            case 3:
                return ast.Prim(NOWHERE, "chunks", tuple(self.sexp() for _ in self.some(2, 3)))
            case 4:
                return ast.Prim(NOWHERE, "join₁", tuple(self.sexp() for _ in range(4)))
            case 5 if self.free("step∇"):
                bounds = tuple(self.sexp() for _ in self.some(2, 3))
                return ast.Prim(
                    NOWHERE,
                    "step∇",
                    (self.sexp(), self.sexp(), self.sexp()),
                    bounds=bounds,
                    loss=self.pick(("LR", "HUBER")),
                )
            case _:
                name, loss = self.pick(("∇", "U∇", "row∇")), self.pick(("LR", "hinge"))
                bounds = (self.sexp(),) if self.chance(0.3) else ()
                return ast.Prim(NOWHERE, name, (self.sexp(), self.sexp(), self.sexp()), bounds=bounds, loss=loss)

    def frame(self) -> ast.SExp:
        match self.random.randint(0, 5):
            case 0:
                return ast.FrameOp(NOWHERE, "partitionDF", self.label(), (self.sexp(), self.sexp()))
            case 1:
                return ast.FrameOp(NOWHERE, "joinDF₁", self.label(), (self.sexp(), self.sexp()))
            case 2:
                return ast.FrameOp(NOWHERE, "addColDF", self.label(), (self.sexp(),))
            case 3:
                return ast.FrameOp(NOWHERE, "joinDF", self.label(), (self.sexp(), self.sexp(), self.sexp()))
            case _:
                return ast.Opaque(NOWHERE, "module:function", self.type())

    def private_function(self) -> ast.PLam:
        kinds = self.kinds()
        params: list[ast.Param | ast.Aligned] = []
        types = [self.type() for _ in self.some()]
        for type_ in types:
            if self.chance(0.3):
                views = (ast.Param(NOWHERE, self.binder(), type_), ast.Param(NOWHERE, self.binder(), None))
                params.append(ast.Aligned(NOWHERE, views))
            else:
                params.append(ast.Param(NOWHERE, self.binder(), type_))
        body = self.pexp()
        ensures = tuple(ast.Guarantee(NOWHERE, self.pick(tuple(LETTERS)), self.rexp()) for _ in self.some(0, 2))
        return ast.PLam(NOWHERE, kinds, tuple(params), body, ensures)

    # ------------------------------------------------------------------------------------------------- privacy

    def pexp(self) -> ast.PExp:
        if self.small():
            return ast.Return(NOWHERE, self.leaf())
        terms = len(self.terms)
        node = self.pexp_form()
        del self.terms[terms:]
        return node

    def private_names(self) -> tuple[ast.Name, ...] | None:
        return None if self.chance(0.3) else tuple(self.reference() for _ in self.some(0, 2))

    def pexp_form(self) -> ast.PExp:
        match self.random.randint(0, 15):
            case 0 | 1 | 2:
                first = self.pexp()
                return ast.Bind(NOWHERE, self.binder(), first, self.pexp())
            case 3:
                bound = self.sexp()
                return ast.PLet(NOWHERE, self.binder(), bound, self.pexp())
            case 4:
                bound = self.sexp()
                return ast.PLetPair(NOWHERE, self.binder(), self.binder(), bound, self.pexp())
            case 5:
                return ast.PIf(NOWHERE, self.sexp(), self.pexp(), self.pexp())
            case 6 if self.free("case") and self.free("some") and self.free("none") and self.chance(0.5):
                scrutinee, branch = self.sexp(), self.private_branch()
                return ast.PCaseMissing(NOWHERE, scrutinee, *branch, self.pexp())
            case 6 if self.free("case"):
                return ast.PCase(NOWHERE, self.sexp(), *self.private_branch(), *self.private_branch())
            case 7:
                kinds = tuple(self.type_argument() for _ in self.some(0, 2))
                return ast.PApp(NOWHERE, self.sexp(), kinds, tuple(self.sexp() for _ in self.some(0, 2)))
            case 8:
                slack = self.sexp() if self.chance(0.4) else None
                head = self.sexp(), self.sexp(), self.private_names()
                return ast.PLoop(NOWHERE, slack, *head, self.binder(), self.binder(), self.pexp())
            case 9:
                return self.mechanism()
            case 10:
                tables = self.sexp() if self.chance(0.3) else None, self.sexp(), self.sexp()
                key_of = self.branch()
                return ast.Parallel(NOWHERE, *tables, *key_of, self.binder(), self.binder(), self.pexp())
            case 11:
                arg = self.sexp()
                return ast.PMap(NOWHERE, self.pick(("mmapp", "pmap-col")), arg, self.binder(), self.pexp())
            case 12:
                return ast.PFoldRows(NOWHERE, *(self.sexp() for _ in range(5)))
            case 13:
                scheme = self.pick(("sample", "poisson", "shuffle"))
                scheme = scheme if self.free(scheme) else "sample"
                size, tables = self.sexp(), tuple(self.sexp() for _ in self.some(1, 2))
                return ast.Sample(NOWHERE, scheme, size, tables, tuple(self.binder() for _ in tables), self.pexp())
            case 14:
                form = self.pick(("ZCDP", "RENYI", "EPSDP", "GDP", "TCDP"))
                return ast.Convert(NOWHERE, form, self.sexp() if self.chance(0.5) else None, self.pexp())
            case _:
                return ast.RandNat(NOWHERE, self.sexp(), self.sexp())

    def private_branch(self) -> tuple[ast.Name, ast.PExp]:
        mark = len(self.terms)
        branch = self.binder(), self.pexp()
        del self.terms[mark:]
        return branch

    def mechanism(self) -> ast.PExp:
        name = self.pick(
            (
                *("laplace", "mlaplace", "gauss", "mgauss", "bgauss", "ggauss", "dlaplace", "dgauss", "exponential"),
                *("AboveThreshold", "rand-resp", "noisy-max", "gibbs", "given", "canonical", "keys", "key-counts"),
                "key-gauss",
            )
        )
        params = tuple(None if self.chance(0.2) and self.free("auto") else self.sexp() for _ in self.some())
        chooses = name in ("exponential", "noisy-max", "gibbs", "keys", "key-counts", "key-gauss")
        candidates = self.sexp() if chooses else None
        private = self.private_names()
        binder = self.binder() if chooses else None
        return ast.Mechanism(NOWHERE, name, params, candidates, private, binder, self.sexp())

    # ------------------------------------------------------------------------------------------------- files

    def file(self) -> ast.File:
        notion = self.pick(("zcdp", "ed")) if self.chance(0.3) else None
        imports = tuple(ast.Import(NOWHERE, "a/b.duet") for _ in self.some(0, 2))
        definitions = []
        for _ in self.some(0, 3):
            value = self.sexp()
            definitions.append(ast.Def(NOWHERE, self.binder(), value))
        body = None if definitions and self.chance(0.5) else self.sexp()
        return ast.File(NOWHERE, notion, imports, tuple(definitions), body)
