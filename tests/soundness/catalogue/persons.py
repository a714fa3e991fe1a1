"""Tables in which a person has several rows, and what is computed from the rows of each."""

from __future__ import annotations

from tests.soundness.catalogue.case import Case

ONE_FILE = "people : persons[patient : 𝕊 | visits : 𝔻𝔽[cost : 𝔻]]"
TWO_FILES = "people : persons[patient : 𝐝 ℕ | visits : 𝔻𝔽[dept : 𝕊, cost : 𝔻], bills : 𝔻𝔽[dept : 𝕊, paid : 𝔻?]]"
RECORD = "p : record[patient : 𝕊, visits : 𝐝 𝔻𝔽[cost : 𝔻]]"

ROSTER = "roster : ℘(𝕊), people : persons[patient : 𝕊 in roster | visits : 𝔻𝔽[cost : 𝔻]]"
NUMBERED = "roster : ℘(𝐝 ℕ), people : persons[patient : 𝐝 ℕ in roster | visits : 𝔻𝔽[dept : 𝕊, cost : 𝔻], bills : 𝔻𝔽[paid : 𝔻?]]"

PERSONS = (
    Case("persons", f"sλ . {ONE_FILE} ⇒ rows people", ("1",)),
    Case("persons", f"sλ . {TWO_FILES} ⇒ rows (mfilter people {{ p ⇒ 1 < rows p.visits }})", ("1",)),
    Case("persons", f"sλ . {RECORD} ⇒ p.visits", ("∞",)),
    Case("persons", f"sλ . {RECORD} ⇒ clip[0.0, 3.0] (real (rows p.visits))", ("3",)),
    Case("persons", f'sλ . {RECORD} ⇒ p.patient ≡ "NY"', ("1",)),
    # The last row of each person: what it is, the order of the rows decides.
    Case(
        "persons",
        f"sλ . {RECORD} ⇒ clip[0.0, 5.0] (mfold-row 0.0, p.visits {{ last, v ⇒ conv v.cost }})",
        ("5",),
    ),
    Case(
        "persons",
        f"sλ . {ONE_FILE} ⇒ mfold-row 0.0, people {{ s, p ⇒ "
        "s + clip[0.0, 5.0] (mfold-row 0.0, p.visits { last, v ⇒ conv v.cost }) }",
        ("5",),
    ),
    Case(
        "persons",
        f"sλ . {ONE_FILE} ⇒ mfold-row 0.0, people {{ s, p ⇒ "
        "s + clip[0.0, 5.0] (mfold-row 0.0, p.visits { t, v ⇒ t + conv v.cost }) }",
        ("5",),
    ),
    Case(
        "persons",
        f"sλ . {TWO_FILES} ⇒ mfold-row 0.0, people {{ s, p ⇒ s + clip[-1.0, 4.0] "
        '(mfold-row 1.0, mfilter p.bills { b ⇒ b.dept ≡ "NY" } { t, b ⇒ t ⋅ 0.5 + conv (b.paid or-else 2) }) }',
        ("4",),
    ),
    Case(
        "persons",
        f"sλ . {TWO_FILES} ⇒ mfold-row 0.0, people {{ s, p ⇒ s + clip[0.0, 2.0] "
        "(mfold-row 0.0, joinDF₁⧼dept⧽[p.bills.[dept, paid], p.visits] { t, both ⇒ conv both.cost - t }) }",
        ("2",),
    ),
    Case(
        "persons",
        f"sλ . {ONE_FILE} ⇒ rows (mfilter people {{ p ⇒ "
        "mfold-row false, bmap p.visits { v ⇒ v.cost < 1.0 } { was, v ⇒ v#[0, 0] ∧ not was } })",
        ("1",),
    ),
    Case(
        "persons",
        f"sλ . {TWO_FILES}, c : 𝔻 ⇒ mfold-row 0, people {{ s, p ⇒ "
        's + (if mfold-row "", p.visits { last, v ⇒ v.dept } ≡ "ca" then 3 else 1) }',
        ("3", "0"),
    ),
    Case(
        "persons",
        f"sλ . {ONE_FILE}, c : 𝔻 ⇒ mfold-row 0.0, people {{ s, p ⇒ "
        "s + clip[0.0, 5.0] (mfold-row 0.0, p.visits { t, v ⇒ t + conv (v.cost ⋅ c) }) }",
        ("5", "∞"),
    ),
    # The first and the last row, the most frequent value, and what is different.
    Case(
        "first",
        f"sλ . {TWO_FILES} ⇒ mfold-row 0.0, people {{ s, p ⇒ "
        "s + clip[0.0, 5.0] (case first p.visits.[dept, cost] { some v ⇒ conv v.cost ; none ⇒ 2.0 }) }",
        ("5",),
    ),
    Case(
        "last",
        f"sλ . {TWO_FILES} ⇒ rows (mfilter people {{ p ⇒ "
        "case last p.bills { some b ⇒ is-missing b.paid ; none ⇒ false } })",
        ("1",),
    ),
    Case(
        "mode",
        f'sλ . {TWO_FILES} ⇒ rows (mfilter people {{ p ⇒ (mode p.visits.[dept]) or-else "" ≡ "ca" }})',
        ("1",),
    ),
    Case("mode", f"sλ . {RECORD} ⇒ mode p.visits", ("1",)),
    Case("distinct", f"sλ . {TWO_FILES} ⇒ rows (mfilter people {{ p ⇒ 1 < rows (distinct p.visits.[dept]) }})", ("1",)),
    Case(
        "distinct",
        f"sλ . {RECORD} ⇒ clip[0.0, 5.0] (mfold-row 0.0, distinct p.visits {{ last, v ⇒ conv v.cost - last }})",
        ("5",),
    ),
    # Rows of a person with others of the same key, in the order of the left ones.
    Case(
        "joinDF",
        f"sλ . {TWO_FILES} ⇒ mfold-row 0.0, people {{ s, p ⇒ "
        "s + clip[0.0, 3.0] (real (rows (joinDF[9]⧼dept⧽[p.visits, p.bills]))) }",
        ("3",),
    ),
    Case(
        "joinDF",
        f"sλ . {TWO_FILES} ⇒ mfold-row 0.0, people {{ s, p ⇒ s + clip[0.0, 2.0] "
        "(mfold-row 0.0, joinDF[3]⧼dept⧽[p.bills.[dept, paid], p.visits] { t, both ⇒ conv both.cost - t }) }",
        ("2",),
    ),
    # The rows of a table in no order decide which partners there are, but not in which order.
    Case(
        "joinDF₁",
        f"sλ . {TWO_FILES}, prices : 𝔻𝔽[dept : 𝕊, price : 𝔻] ⇒ mfold-row 0.0, people {{ s, p ⇒ s + clip[0.0, 2.0] "
        "(mfold-row 0.0, joinDF₁⧼dept⧽[p.visits, prices] { t, both ⇒ conv both.price - t }) }",
        ("2", "∞"),
    ),
    Case(
        "joinDF",
        f"sλ . {TWO_FILES}, prices : 𝔻𝔽[dept : 𝕊, price : 𝔻] ⇒ "
        "rows (flat[2] people { p ⇒ joinDF[3]⧼dept⧽[p.visits, prices] })",
        ("2", "∞"),
    ),
    Case(
        "joinDF",
        f"sλ . {RECORD}, q : record[n : 𝕊, bills : 𝐝 𝔻𝔽[cost : 𝔻, due : 𝔻]] ⇒ joinDF[2]⧼cost⧽[p.visits, q.bills]",
        ("∞", "∞"),
    ),
    # A person keeps all rows where persons are filtered, mapped and parted.
    Case(
        "persons",
        f"sλ . {TWO_FILES} ⇒ mfold-row 0, bmap (mfilter people {{ p ⇒ 0 < rows p.bills }}) {{ p ⇒ p.[patient, visits] }} "
        "{ s, p ⇒ s + (if 1 < rows p.visits then 2 else 1) }",
        ("2",),
    ),
    Case(
        "persons",
        f"sλ . {ONE_FILE} ⇒ mfold-row 0, bmap people {{ p ⇒ addColDF⧼n⧽ ⟨p, disc (rows p.visits)⟩ }} "
        "{ s, p ⇒ s + (if p.n < 2 then 1 else 0) }",
        ("1",),
    ),
    # Of persons on a roster the rows become others: between two persons lies the whole range, and their number stays the same.
    Case(
        "persons",
        f"sλ . {ROSTER} ⇒ mfold-row 0.0, people {{ s, p ⇒ "
        "s + clip[-1.0, 5.0] (mfold-row 0.0, p.visits { t, v ⇒ t + conv v.cost }) }",
        ("∞", "6"),
    ),
    Case("persons", f"sλ . {ROSTER} ⇒ rows (mfilter people {{ p ⇒ 1 < rows p.visits }})", ("∞", "1")),
    Case("persons", f"sλ . {ROSTER} ⇒ rows people", ("∞", "0")),
    Case("persons", f"sλ . {NUMBERED} ⇒ mfilter people {{ p ⇒ rows p.bills < rows p.visits }}", ("∞", "2")),
    Case(
        "persons",
        f"sλ . {NUMBERED} ⇒ mfold-row 0, bmap people {{ p ⇒ p.[patient, bills] }} "
        "{ s, p ⇒ s + (if p.patient ∈ roster then rows p.bills else 0) }",
        ("∞", "∞"),
    ),
    # What is captured moves the state in every iteration, and nothing bounds the number of iterations.
    Case("persons", f"sλ . {RECORD}, c : ℝ ⇒ mfold-row 0.0, p.visits {{ t, v ⇒ t + (c + conv v.cost) }}", ("∞", "∞")),
    Case("persons", f"sλ . {RECORD}, c : ℝ ⇒ mfold-row 0.0, p.visits {{ t, v ⇒ 2.0 ⋅ t + c }}", ("∞", "∞")),
)

TWO_PERSONS = "people : 𝕄 [L∞, U | 2, patient : 𝕊 ∷ visits : 𝐝 𝔻𝔽[cost : 𝔻] ∷ []]"

FLAT = (
    Case("flat", f"sλ . {ONE_FILE} ⇒ flat[2] people {{ p ⇒ p.visits }}", ("2",)),
    Case("flat", f"sλ . {ONE_FILE} ⇒ rows (flat[3] people {{ p ⇒ mfilter p.visits {{ v ⇒ v.cost < 1.0 }} }})", ("3",)),
    Case(
        "flat",
        f"sλ . {TWO_FILES} ⇒ mfold-row 0.0, flat[2] people {{ p ⇒ p.bills }} "
        "{ s, b ⇒ s + clip[0.0, 5.0] (conv (b.paid or-else 2)) }",
        ("10",),
    ),
    # Which rows are cut, the order of the lines in the file does not decide.
    Case(
        "flat",
        f"sλ . {TWO_FILES} ⇒ (flat[1] people {{ p ⇒ joinDF₁⧼dept⧽[p.bills.[dept, paid], p.visits] }}).[patient, cost]",
        ("1",),
    ),
    Case(
        "flat",
        f"sλ . {ONE_FILE}, c : 𝔻 ⇒ rows (flat[2] people {{ p ⇒ mfilter p.visits {{ v ⇒ v.cost < c }} }})",
        ("2", "∞"),
    ),
    Case("flat", f"sλ . {ONE_FILE} ⇒ flat[2] (mfilter people {{ p ⇒ 1 < rows p.visits }}) {{ p ⇒ p.visits }}", ("2",)),
    # A person who is replaced takes two rows with them and brings two others, but how many there are changes by two at most.
    Case("flat", f"sλ . {TWO_PERSONS} ⇒ flat[2] people {{ p ⇒ p.visits }}", ("4",)),
    Case("flat", f"sλ . {TWO_PERSONS} ⇒ rows (flat[2] people {{ p ⇒ p.visits }})", ("2",)),
    Case("flat", f"sλ . {ROSTER} ⇒ flat[2] people {{ p ⇒ p.visits }}", ("∞", "4")),
    Case("flat", f"sλ . {ROSTER} ⇒ rows (flat[2] people {{ p ⇒ p.visits }})", ("∞", "2")),
    Case(
        "flat",
        f"sλ . {TWO_PERSONS} ⇒ rows (flat[3] (mfilter people {{ p ⇒ 0 < rows p.visits }}) {{ p ⇒ p.visits }})",
        ("3",),
    ),
)

REFUSED_OF_PERSONS = (
    # Rows that no order is known of are folded by sums only, however much is charged for them.
    "sλ . xs : bag 𝔻 ⇒ clip[0.0, 5.0] (mfold-row 0.0, mfilter xs { x ⇒ rows xs ≤ 3 } { t, x ⇒ conv x#[0, 0] })",
    "sλ . xs : bag 𝔻 ⇒ clip[0.0, 5.0] "
    "(mfold-row 0.0, bmap xs { x ⇒ if rows xs ≤ 3 then x else x + 1.0 } { t, x ⇒ conv x#[0, 0] })",
    "sλ . xs : 𝔻𝔽[a : 𝔻, b : 𝔻] ⇒ clip[0.0, 5.0] "
    "(mfold-row 0.0, (mfilter xs { x ⇒ rows xs ≤ 3 }).[b] { t, x ⇒ conv x.b })",
    "sλ . xs : 𝔻𝔽[a : 𝔻, b : 𝔻] ⇒ "
    "let ys = bmap (mcreate[L∞ | ℕ[3], ℕ[1]] { i, j ⇒ disc (real i) }) { r ⇒ { a = r, c = r } } in clip[0.0, 5.0] "
    "(mfold-row 0.0, joinDF[2]⧼a⧽[mfilter xs { x ⇒ rows xs ≤ 3 }, ys] { t, both ⇒ conv both.b })",
    f"sλ . {RECORD} ⇒ clip[0.0, 5.0] ((sλ . vs : 𝔻𝔽[cost : 𝔻] ⇒ mfold-row 0.0, vs {{ t, v ⇒ conv v.cost }}) p.visits)",
    "sλ . xs : bag 𝔻 ⇒ clip[0.0, 5.0] (mfold-row 0.0, distinct (mfilter xs { x ⇒ rows xs ≤ 3 }) { t, x ⇒ conv x#[0, 0] })",
    # The number of partners is public, and at least 1.
    "sλ . xs : 𝔻𝔽[a : 𝕊], ys : 𝔻𝔽[a : 𝕊], n : ℕ ⇒ joinDF[n]⧼a⧽[xs, ys]",
    "sλ . xs : 𝔻𝔽[a : 𝕊], ys : 𝔻𝔽[a : 𝕊] ⇒ joinDF[0]⧼a⧽[xs, ys]",
    "sλ . xs : 𝔻𝔽[a : ℝ], ys : 𝔻𝔽[a : ℝ] ⇒ joinDF[2]⧼a⧽[xs, ys]",
    f"sλ . {RECORD}, ys : 𝔻𝔽[cost : 𝔻, b : 𝔻] ⇒ clip[0.0, 5.0] "
    "(mfold-row 0.0, joinDF[2]⧼cost⧽[mfilter ys { y ⇒ rows ys ≤ 3 }, p.visits] { t, both ⇒ conv both.b })",
    # Rows of blocks, of sets and of reals have no order.
    f"sλ . {ONE_FILE} ⇒ first people",
    f"sλ . {ONE_FILE} ⇒ distinct people",
    "sλ . xs : bag (℘(ℕ)) ⇒ last xs",
    "sλ . xs : 𝔻𝔽[a : 𝕊, b : ℝ] ⇒ first xs",
    "sλ . xs : 𝔻𝔽[a : 𝕊, b : ℝ] ⇒ distinct xs",
    "sλ . xs : bag ℝ ⇒ rows (distinct xs)",
    "sλ . xs : bag ℝ ⇒ mode xs",
    # Blocks are not compared, and are in no set and no key.
    f"sλ . {RECORD} ⇒ p.visits ≡ p.visits",
    f"sλ . {RECORD} ⇒ p ≡ p",
    f"sλ . {RECORD} ⇒ p#[0, 1] ≡ p#[0, 1]",
    f"sλ . {RECORD} ⇒ ℘{{p.visits}}",
    f"sλ . {RECORD} ⇒ ℘{{p}}",
    f"sλ . {RECORD} ⇒ disc p.visits",
    f"sλ . {ONE_FILE}, ks : ℘(𝕊) ⇒ partitionDF[people, visits, ks]",
    f"sλ . {RECORD} ⇒ p.visits#[0, 0]",
    f"sλ . {RECORD} ⇒ addColDF⧼more⧽ ⟨p, p.visits⟩",
    # Rows that no order is known of are not cut, and neither are real rows, which are measured by their length.
    f"sλ . {ONE_FILE}, ys : 𝔻𝔽[b : 𝔻] ⇒ clip[0.0, 5.0] (mfold-row 0.0, "
    "flat[1] people { p ⇒ mfilter ys { y ⇒ rows p.visits ≤ 3 } } { s, y ⇒ s + clip[0.0, 5.0] (conv y.b) })",
    f"sλ . {ONE_FILE} ⇒ flat[1] people {{ p ⇒ if rows p.visits ≤ 3 then p.visits else p.visits }}",
    f"sλ . {ONE_FILE}, n : ℕ ⇒ flat[n] people {{ p ⇒ p.visits }}",
    f"sλ . {ONE_FILE} ⇒ flat[0] people {{ p ⇒ p.visits }}",
    f"sλ . {ONE_FILE} ⇒ flat[2] people {{ p ⇒ people }}",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅ℝ] ⇒ flat[2] xs { p ⇒ mfilter (mcreate[L∞ | ℕ[3], ℕ[1]] { i, j ⇒ disc i }) { v ⇒ true } }",
    "sλ . people : persons[cost : 𝕊 | visits : 𝔻𝔽[b : 𝔻]] ⇒ "
    "flat[2] people { p ⇒ bmap p.visits { v ⇒ { cost = v.b } } }",
)
"""Programs that are refused."""
