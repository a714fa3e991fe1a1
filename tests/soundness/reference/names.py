"""The rules of the second checker by name, with the page of ``docs/rules`` that proves each."""

from __future__ import annotations

from itertools import product

NORMS = ("L1", "L2", "L∞")
JUMPS = ("discrete", "no Lipschitz constant")


def _lines(page: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, page)


RULES: dict[str, str] = {
    **_lines("let", "variable", "literal", "let", "let ⟨x, y⟩", "let ⟨x, y⟩: of a written pair"),
    **_lines("times", "static arithmetic"),
    **_lines("pair", "pair: ×", "pair: &"),
    **_lines(
        "fst-snd", *(f"{name}: {pair}" for name, pair in product(("fst", "snd"), ("×", "&", "of a written pair")))
    ),
    **_lines("inl-inr-case", "inl", "inr", "case"),
    **_lines("missing", "or-else", "or-else: may be missing still", "is-missing", "none", "case: some, none"),
    **_lines("dates", "year", "month", "day", "weekday", "month-start", "days", "add-days", "dates"),
    **_lines("texts", "length", "prefix", "suffix", "lower", "upper", "trim", "contains", "starts", "number", "text"),
    **_lines("set", "℘"),
    **_lines("sets", "∈", "unionAll"),
    **_lines("if", "if"),
    **_lines("loop", "loop: k turns", "loop: unknown turns"),
    **_lines(
        "function",
        "function",
        "function: with kinds",
        "application",
        "application: at the price of another metric",
        "application: kinds written",
        "application: kinds inferred",
    ),
    **_lines("diameter", "diameter: one value", "diameter: at most as far as values lie apart"),
    **_lines("box-unbox", "box", "unbox"),
    **_lines(
        "plus-minus",
        *(f"{name}: {on}" for name, on in product("+-", ("ℕ", "ℝ", "discrete"))),
    ),
    **_lines("max-min", *(f"{name}: {on}" for name, on in product("⊔⊓", ("ℕ", "ℝ", "discrete")))),
    **_lines(
        "times",
        "⋅: static factor",
        "⋅: discrete",
        "⋅: ℕ, read as discrete",
        "⋅: no Lipschitz constant",
        "⋅: factors in ranges",
    ),
    **_lines(
        "divide", "/: static divisor", "/: discrete", "/: no Lipschitz constant", "/: a public divisor in a range"
    ),
    **_lines("remainder", "%: static divisor", "%: discrete", "%: ℕ, read as discrete"),
    **_lines("root-log", *(f"{name}: {on}" for name, on in product("√㏒", ("discrete", "no Lipschitz constant")))),
    **_lines("floor-ceil-round", *(f"{n}: {on}" for n, on in product(("floor", "ceil", "round"), JUMPS))),
    **_lines("abs", "abs: ℝ", "abs: discrete"),
    **_lines("tanh", "tanh: ℝ", "tanh: discrete"),
    **_lines("exp", *(f"exp: {on}" for on in JUMPS)),
    **_lines("count", *(f"count: {norm}, m rows" for norm in NORMS), "count: ★ rows", "count: rows of numbers"),
    **_lines("product", "×: ℝ, m rows", "×: ℝ, ★ rows", "×: discrete, m rows", "×: discrete, ★ rows"),
    **_lines("sign", "sign: discrete", "sign: no Lipschitz constant"),
    **_lines("equal-less", *(f"{name}: {on}" for name, on in product("≡<≤", ("ℕ", "ℝ", "discrete")))),
    **_lines("and-or", "∧", "∨"),
    **_lines("real-dyn", "real: ℕ", "real: 𝐝 ℕ", "dyn"),
    **_lines("row-cell", "idx", "e#[i]", "e#[i, j]"),
    **_lines("disc", "disc: values 1 apart", "disc: from ℝ"),
    **_lines("discf", "discf: values 1 apart", "discf: from ℝ"),
    **_lines("conv", "conv"),
    **_lines("range", "conv: in a range", "clip: 𝔻 in a narrower range", "or-else: in a range"),
    **_lines("clip", "clip: ℝ", "clip: 𝔻"),
    **_lines("first-last", "first", "last", "mode", "elements", "distinct"),
    **_lines("rows", "rows: m rows", "rows: ★ rows", "count: rows replaced"),
    **_lines("cols", "cols"),
    **_lines("tr", *(f"tr: {norm}" for norm in NORMS)),
    **_lines("zip", "zip"),
    **_lines("chunks", "chunks: one table", "chunks: two tables"),
    **_lines("join", *(f"{name}: {rows} rows" for name, rows in product(("join₁", "joinDF₁", "joinDF"), "m★"))),
    **_lines(
        "bmap-mapDF", "bmap: m rows", "bmap: ★ rows, 𝔻 into 𝔻", "bmap: ★ rows, 𝔻 into ℝ", "bmap: ★ rows, ℝ into ℝ"
    ),
    **_lines(
        "addColDF",
        "addColDF: a field more, the larger move",
        "addColDF: a field more, both moves",
        "addColDF: a name",
        "addColDF: a record of one field",
    ),
    **_lines("record", "record"),
    **_lines("partitionDF", "partitionDF: m rows", "partitionDF: ★ rows", "partitionDF: rows of numbers"),
    **_lines(
        "gradient",
        *(f"{name}: {loss}" for name, loss in product(("∇", "U∇", "row∇"), ("LR", "HINGE", "LS", "HUBER", "SOFTMAX"))),
        "aligned: one contribution",
    ),
    **_lines("step", "step∇: LR", "step∇: LS", "step∇: HUBER"),
    **_lines(
        "mcreate",
        *(f"mcreate: {norm}" for norm in NORMS),
        "mcreate: counts by bins",
        "mcreate: counts by bins of two numbers",
    ),
    **_lines(
        "mmap",
        "mmap: m rows",
        "mmap: two tables",
        "mmap: ★ rows, 𝔻 into 𝔻",
        "mmap: ★ rows, 𝔻 into ℝ",
        "mmap: ★ rows, ℝ into ℝ",
    ),
    **_lines(
        "mmap-row",
        "mmap-row: into rows",
        "mmap-row: into a column",
        "mmap-row: ★ rows, 𝔻 into 𝔻",
        "mmap-row: ★ rows, 𝔻 into ℝ",
        "mmap-row: ★ rows, ℝ into ℝ",
    ),
    **_lines(
        "mmap-col",
        *(
            f"mmap-col: into {what}, {many}"
            for what, many in product(("columns", "numbers"), ("one table", "two tables"))
        ),
    ),
    **_lines("flat", "flat: ★ rows", "flat: m rows"),
    **_lines("persons", "e.b: the rows of a person", "mfold-row: in order", "persons: on a roster"),
    **_lines(
        "mfold-row",
        "mfold-row: a sum, m rows",
        "mfold-row: a sum, ★ rows",
        "mfold-row: a sum, ★ rows of ℝ",
        "mfold-row: a sum of rows, ★ rows of ℝ",
        "mfold-row: any body",
        "mfold-row: the largest or smallest, ★ rows",
    ),
    **_lines("mfilter", "mfilter: m rows", "mfilter: ★ rows", "mfilter: rows of numbers"),
    **_lines("update", "e#[i, j ↦ e′]"),
    **_lines("column", "e.a", "e.a: of a written record", "e.[a, b]"),
    **_lines(
        "mclip",
        *(f"mclip[{norm}]: 𝔻 in L∞, {rows} rows" for norm, rows in product(NORMS, "m★")),
        *(f"mclip[L∞]: 𝔻 in {norm}, {rows} rows" for norm, rows in product(("L1", "L2"), "m★")),
        *(f"mclip[{norm}]: ℝ in {metric}, m rows" for norm, metric in product(NORMS, NORMS)),
    ),
    **_lines(
        "mconv",
        "mconv: unclipped, m rows",
        "mconv: unclipped, ★ rows",
        *(f"mconv: {norm} ball in {norm}, {rows} rows" for norm, rows in product(NORMS, "m★")),
        "mconv: L∞ ball in L1, m rows",
        "mconv: L∞ ball in L2, m rows",
    ),
    **_lines(
        "renorm",
        *(f"renorm: {source} to {target}, {rows} rows" for source, target, rows in product(NORMS, NORMS, "m★")),
    ),
}
