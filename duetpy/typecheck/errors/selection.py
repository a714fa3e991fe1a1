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
        f"{form} chooses from one row of candidates",
        span,
        f"has type {show_type(found)}",
        help="make them with mcreate[L∞ | ℕ[1], ℕ[k]] { i, j ⇒ … }",
        rule=form,
    )


def score_not_a_number(span: Span, form: str, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0421",
        f"the score of {form} must be a real or a natural number",
        span,
        f"has type {show_type(found)}",
        notes=("a discrete score can change from 0 to 10⁹ in one step",),
        help="give the score a range: clip[lo, hi] …",
        rule=form,
    )


def query_too_sensitive(
    span: Span, name: str, moved: Quantity, latent: Quantity, value: Quantity, reasons: tuple[str, ...]
) -> Diagnostic:
    both = f"{name} changes the value by {value.show()}, and each unit of the value changes a query by {latent.show()}"
    return Diagnostic(
        "D0312",
        "the queries of AboveThreshold must change by at most 1",
        span,
        f"{name} changes a query by {moved.show()}",
        notes=(
            both,
            "the noise on the threshold and on the queries is drawn for queries that change by at most 1",
            *reasons,
        ),
        help="scale the queries, or the value to which they are applied, down to sensitivity 1",
        rule="AboveThreshold",
    )


def queries_not_functions(span: Span, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0422",
        "the queries of AboveThreshold must be one row of functions into ℝ",
        span,
        f"has type {show_type(found)}",
        help="make them with mcreate[L∞ | ℕ[1], ℕ[k]] { i, j ⇒ sλ . x : τ ⇒ … }",
        rule="AboveThreshold",
    )


def threshold_arity(span: Span, found: int) -> Diagnostic:
    return Diagnostic(
        "D0402",
        f"AboveThreshold takes three parameters, but {found} are given",
        span,
        f"{found} parameters",
        help="write AboveThreshold[ε, queries, threshold] <xs> { … }",
        rule="AboveThreshold",
    )


def gibbs_arity(span: Span, found: int) -> Diagnostic:
    return Diagnostic(
        "D0402",
        f"gibbs takes one parameter, but {found} are given",
        span,
        f"{found} parameters",
        notes=("its ε is 2βs, where s is the inferred sensitivity",),
        help="write gibbs[β] candidates <xs> { c ⇒ risk }",
        rule="gibbs",
    )


def randomized_response_arity(span: Span, found: int) -> Diagnostic:
    return Diagnostic(
        "D0402",
        f"rand-resp takes the number of answers and ε, but {found} parameters are given",
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
        notes=("if one step may be spread over all rows, every sample sees part of it and nothing is amplified",),
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
        "poisson samples each row independently: its theorem is about rows that are added or removed",
        span,
        "a fixed number of rows",
        notes=("for replaced rows, the amplification of Poisson sampling is different",),
        help="declare the table with ★ rows, or use sample[b]",
        rule="poisson",
    )


def poisson_both_ways(span: Span, name: str, type_: Type) -> Diagnostic:
    return Diagnostic(
        "D0426",
        f"poisson samples rows of {name}, in which one step can add a row to one table and remove a row from another",
        span,
        f"{show_type(type_)} can gain and lose a row at once",
        notes=(
            "a sample of a table that gains a row, together with one of a table that loses a row, can reveal more "
            "than two samples of the same kind",
        ),
        help="make the tables separate inputs, or a pair τ × σ, in which one step changes only one part",
        rule="poisson",
    )


def poisson_of_strangers(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0425",
        "poisson samples the rows of several tables together, but these tables do not belong together",
        span,
        "not views of the same rows",
        notes=("if one row of one table is removed, every later row gets a different partner",),
        help="declare them aligned, ⟨xs : 𝕄 [… | ★, …], ys : 𝕄 [… | ★, …]⟩, or sample each table separately",
        rule="poisson",
    )


def strangers_as_aligned(span: Span, names: str) -> Diagnostic:
    return Diagnostic(
        "D0415",
        f"{names} are aligned in the function that is called, but these tables are not views of the same rows",
        span,
        notes=(
            "rows of tables of unknown size are paired by position, and adding or removing a row would shift the positions",
        ),
        help="declare them aligned in the caller as well: ⟨xs : …, ys : …⟩",
    )


def shuffle_of_unknown_rows(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0425",
        "shuffled reports of an unknown number of rows would reveal the number of rows",
        span,
        "★ rows",
        notes=("how well the reports hide one another also depends on their number",),
        help="declare the number of rows: 𝕄 [L∞, U | n, …] with n : ℕ bound by the function",
        rule="shuffle",
    )


def shuffle_of_real_rows(span: Span, found: Matrix) -> Diagnostic:
    return Diagnostic(
        "D0424",
        "shuffle needs rows such that any two are one step apart: discrete columns, measured by rows",
        span,
        f"has type {show_type(found)}",
        notes=("a local report must hide the whole row, whatever it was and whatever it could have been",),
        help="declare the table 𝕄 [L∞, U | n, k⋅𝔻]",
        rule="shuffle",
    )


def batch_function(span: Span, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0427",
        "pfld-rows needs a privacy function of a batch of features, a batch of labels and the state",
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
        "tables that are split into batches together must have the same number of rows",
        span,
        "different numbers of rows",
        help="use one size m for both",
        rule="chunks",
    )


def join_keys(span: Span, left: Type, right: Type) -> Diagnostic:
    return Diagnostic(
        "D0428",
        "the keys of a join must be two discrete columns of the same type",
        span,
        f"{show_type(left)} and {show_type(right)}",
        notes=("equality of reals can change however close they are",),
        help="declare the key columns 𝕊, ℕ or 𝔻",
        rule="join₁",
    )


def key_not_static(span: Span, found: Type) -> Diagnostic:
    return Diagnostic(
        "D0428",
        "the key column of join₁ must be a static number",
        span,
        f"has type {show_type(found)}",
        help="write ℕ[0] for the first column",
        rule="join₁",
    )
