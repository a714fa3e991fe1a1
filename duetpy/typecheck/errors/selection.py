"""D042x: mechanisms that choose, samples, and runs over many parts."""

from __future__ import annotations

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.source import Span
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.show import show_type
from duetpy.typecheck.types import Matrix, Type


def candidates_not_a_row(span: Span, form: str, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0420",
        f"{form} chooses among one row of candidates",
        span,
        f"has type {show_type(found)}",
        help="make them with mcreate[L∞ | ℕ[1], ℕ[k]] { i, j ⇒ … }",
        rule=form,
    )


def score_not_a_number(span: Span, form: str, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0421",
        f"the score of {form} is a real or a natural number",
        span,
        f"has type {show_type(found)}",
        notes=("one step of a discrete score may move it from 0 to 10⁹",),
        help="give the score a range: clip[lo, hi] …",
        rule=form,
    )


def query_too_sensitive(
    span: Span, name: str, moved: Quantity, latent: Quantity, value: Quantity, reasons: tuple[str, ...]
) -> Diagnostic:
    both = f"{name} moves the value by {value.show()}, and the value moves a query by {latent.show()}"
    return Diagnostic(
        "D0312",
        "the queries of AboveThreshold must move by at most 1",
        span,
        f"{name} moves a query by {moved.show()}",
        notes=(
            both,
            "the noise on the threshold and on the queries is drawn for queries that move by at most 1",
            *reasons,
        ),
        help="scale the queries, or the value that they are asked of, down to sensitivity 1",
        rule="AboveThreshold",
    )


def queries_not_functions(span: Span, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0422",
        "the queries of AboveThreshold are one row of functions into ℝ",
        span,
        f"has type {show_type(found)}",
        help="make them with mcreate[L∞ | ℕ[1], ℕ[k]] { i, j ⇒ sλ . x : τ ⇒ … }",
        rule="AboveThreshold",
    )


def threshold_arity(span: Span, found: int) -> Diagnostic:
    return Diagnostic(
        "D0402",
        f"AboveThreshold takes three parameters, and {found} are given",
        span,
        f"{found} parameters",
        help="write AboveThreshold[ε, queries, threshold] <xs> { … }",
        rule="AboveThreshold",
    )


def gibbs_arity(span: Span, found: int) -> Diagnostic:
    return Diagnostic(
        "D0402",
        f"gibbs takes one parameter, and {found} are given",
        span,
        f"{found} parameters",
        notes=("its ε is 2βs, for the sensitivity s that is inferred",),
        help="write gibbs[β] candidates <xs> { c ⇒ risk }",
        rule="gibbs",
    )


def randomized_response_arity(span: Span, found: int) -> Diagnostic:
    return Diagnostic(
        "D0402",
        f"rand-resp takes the number of answers and ε, and {found} parameters are given",
        span,
        f"{found} parameters",
        help="write rand-resp[k, ε] <xs> { … }",
        rule="rand-resp",
    )


def answer_not_an_index(span: Span, found: Type, size: Quantity) -> Diagnostic:
    return Diagnostic(
        "D0423",
        f"rand-resp answers with one of {size.show()} numbers, and its body must be one of them",
        span,
        f"has type {show_type(found)}",
        help=f"return a value of type 𝕀[{size.show()}], such as idx 0",
        rule="rand-resp",
    )


def sample_of_real_rows(span: Span, scheme: str, found: Matrix) -> Diagnostic:
    return Diagnostic(
        "D0424",
        f"{scheme} needs rows that change one at a time: discrete columns, measured by rows",
        span,
        f"has type {show_type(found)}",
        notes=("where one step may be spread over all rows, every sample sees part of it and nothing is amplified",),
        help="declare the table 𝕄 [L∞, U | m, n⋅𝔻]",
        rule=scheme,
    )


def sample_of_unknown_rows(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0425",
        "a batch of fixed size needs a fixed number of rows",
        span,
        "★ rows",
        notes=("the rate b/m would itself depend on the private number of rows",),
        help="declare the number of rows m : ℕ, or use poisson[q]",
        rule="sample",
    )


def poisson_of_fixed_rows(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0425",
        "poisson keeps each row by a coin of its own: its lemma is about rows that come and go",
        span,
        "a fixed number of rows",
        notes=("with replaced rows the amplification of Poisson sampling is another one",),
        help="declare the table with ★ rows, or use sample[b]",
        rule="poisson",
    )


def poisson_both_ways(span: Span, name: str, type_: Type) -> Diagnostic:
    return Diagnostic(
        "D0426",
        f"poisson draws rows of {name}, which can gain a row in one table and lose one in another by one step",
        span,
        f"{show_type(type_)} moves both ways at once",
        notes=(
            "a sample of a table that gains a row, and one of a table that loses a row, can tell more together than two of a kind",
        ),
        help="take the tables as inputs of their own, or as a pair τ × σ, of which a step moves one part",
        rule="poisson",
    )


def poisson_of_strangers(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0425",
        "poisson draws the rows of several tables together, and these do not belong together",
        span,
        "not views of the same rows",
        notes=("without one row of one table, every later row would meet another partner",),
        help="declare them aligned, ⟨xs : 𝕄 [… | ★, …], ys : 𝕄 [… | ★, …]⟩, or sample each by itself",
        rule="poisson",
    )


def strangers_as_aligned(span: Span, names: str) -> Diagnostic:
    return Diagnostic(
        "D0415",
        f"{names} are aligned in the function that is called, and these tables are not views of the same rows",
        span,
        notes=("rows of tables of unknown size are paired by their places, which one row more or less would shift",),
        help="declare them aligned in the caller as well: ⟨xs : …, ys : …⟩",
    )


def shuffle_of_unknown_rows(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0425",
        "shuffled reports of an unknown number of rows would reveal the number of rows",
        span,
        "★ rows",
        notes=("how well the reports hide one another depends on their number, too",),
        help="declare the number of rows: 𝕄 [L∞, U | n, …] with n : ℕ bound by the function",
        rule="shuffle",
    )


def shuffle_of_real_rows(span: Span, found: Matrix) -> Diagnostic:
    return Diagnostic(
        "D0424",
        "shuffle needs rows of which any two are one step apart: discrete columns, measured by rows",
        span,
        f"has type {show_type(found)}",
        notes=("a local report hides the whole row, whichever it was and whichever it could have been",),
        help="declare the table 𝕄 [L∞, U | n, k⋅𝔻]",
        rule="shuffle",
    )


def batch_function(span: Span, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0427",
        "pfld-rows folds with a privacy function of a batch of features, a batch of labels and the state",
        span,
        f"has type {show_type(found)}",
        help="write pλ b : ℕ, … . x : 𝕄[…|b, …], y : 𝕄[…|b, …], state : τ ⇒ …",
        rule="pfld-rows",
    )


def column_body(span: Span, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0208",
        "the body of mmap-col must return one number or one column of a fixed length",
        span,
        f"has type {show_type(found)}",
        help="return a number, or a matrix with one column",
        rule="mmap-col",
    )


def chunk_rows_differ(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0208",
        "tables that are cut into batches together must have the same number of rows",
        span,
        "different numbers of rows",
        help="use one size m for both",
        rule="chunks",
    )


def join_keys(span: Span, left: Type, right: Type) -> Diagnostic:
    return Diagnostic(
        "D0428",
        "the keys of a join must be two discrete columns of one type",
        span,
        f"{show_type(left)} and {show_type(right)}",
        notes=("equality of reals jumps however close they are",),
        help="declare the key columns 𝕊, ℕ or 𝔻",
        rule="join₁",
    )


def key_not_static(span: Span, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0428",
        "the key column of join₁ is given by a static number",
        span,
        f"has type {show_type(found)}",
        help="write ℕ[0] for the first column",
        rule="join₁",
    )
