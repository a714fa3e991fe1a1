"""How the time of checking and pricing grows with a program, and how long a small program takes from the start.

Seconds of the processor, not of the clock: other programs on the machine do not count. The exponent is that of the growth from
the last size but one to the last: 1 is linear, 2 quadratic.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import Line
from duetpy import Checked, parse

NOISE = "laplace[1.0, 1.0] <x> { x }"
PRIVATE = "pλ . x : ℝ ⇒ "
SENSITIVE = "sλ . x : ℝ ⇒ "


def over(count: int) -> str:
    """The head of a program with so many parameters."""
    kinds = ", ".join(f"e{at} : ℝ⁺" for at in range(count))
    return f"pλ {kinds} . x : ℝ, {', '.join(f'e{at} : ℝ⁺[e{at}]' for at in range(count))} ⇒ "


def released(costs: Sequence[str]) -> str:
    return " ; ".join(f"a{at} ← laplace[1.0, {cost}] <x> {{ x }}" for at, cost in enumerate(costs)) + " ; return a0"


def chosen(costs: Sequence[str]) -> str:
    """A chain of `if`, with a branch for each cost."""
    branches = [f"laplace[1.0, {cost}] <x> {{ x }}" for cost in costs]
    before = "".join(f"if b < 1.0 then {{ {branch} }} else {{ " for branch in branches[:-1])
    return f"b ← {NOISE} ; {before}{branches[-1]}{' }' * (len(branches) - 1)}"


def quotients(count: int, variables: int, form: str = "e{} / (e{} + e{})") -> list[str]:
    """Costs eᵢ/(eⱼ + eₖ), nearly all unlike."""
    picks = ((at, 3 * at + 1 + at // variables, 5 * at + 2 + at // variables // 2) for at in range(count))
    return [form.format(*(pick % variables for pick in each)) for each in picks]


def twice(count: int) -> str:
    calls = "".join(f"def f{at} = pλ . y : ℝ ⇒ a ← f{at - 1}@[ . y] ; f{at - 1}@[ . y]\n" for at in range(1, count))
    return f"def f0 = pλ . y : ℝ ⇒ laplace[1.0, 1.0] <y> {{ y }}\n{calls}{PRIVATE}f{count - 1}@[ . x]"


FAMILIES: dict[str, tuple[Callable[[int], str], tuple[int, ...]]] = {
    "lets": (
        lambda n: SENSITIVE + "".join(f"let y{i} = x + {i}.0 in " for i in range(n)) + "y0",
        (1000, 3000, 10_000),
    ),
    "binds": (lambda n: PRIVATE + released(["1.0"] * n), (1000, 3000, 10_000)),
    "branches that cost eᵢ/(eⱼ + eₖ)": (lambda n: over(8) + chosen(quotients(n, 8)), (10, 31, 60, 200)),
    "the same over n parameters": (lambda n: over(n) + chosen(quotients(n, n)), (10, 31, 60, 200)),
    "branches that cost eᵢ/(eⱼ ⊔ eₖ)": (
        lambda n: over(8) + chosen(quotients(n, 8, "e{} / (e{} ⊔ e{})")),
        (10, 31, 60, 200),
    ),
    "releases that cost eᵢ/(eⱼ + eₖ)": (lambda n: over(n) + released(quotients(n, n)), (30, 100, 300)),
    "a sum of n parameters": (lambda n: over(n) + released([" + ".join(f"e{i}" for i in range(n))]), (100, 300, 900)),
    "a product of n sums": (
        lambda n: over(n) + released([" ⋅ ".join(f"(e{i} + 1.0)" for i in range(n))]),
        (10, 20, 40),
    ),
    "functions that call each other twice": (twice, (8, 16, 32)),
    "loops in loops": (
        lambda n: (
            over(0).replace("pλ  . x : ℝ, ", PRIVATE.removesuffix("⇒ "))
            + "".join(f"loop ℕ[2] on 0.0 <x> {{ i{i}, s{i} ⇒ a{i} ← {NOISE} ; " for i in range(n))
            + NOISE
            + " }" * n
        ),
        (20, 60, 180),
    ),
    "unlike Laplaces": (lambda n: PRIVATE + released([f"0.{i + 1:05}" for i in range(n)]), (100, 300, 1000)),
    "unlike Laplaces above 1": (lambda n: PRIVATE + released([f"1.{i + 1:05}" for i in range(n)]), (100, 300, 1000)),
}


PROMISED = {
    "lets": 10_000,
    "binds": 10_000,
    "branches that cost eᵢ/(eⱼ + eₖ)": 31,
    "unlike Laplaces": 1000,
}
"""The sizes that must not take longer than `LONGEST`."""

LONGEST = 2.0

START_UP = 2.4
"""How often the import of attrs and lark a check of a small program may take."""

ROOT = Path(__file__).parents[1]
SMALL = ROOT / "examples" / "k-means.zcdp.duet"
IMPORTS = ("-c", "import attrs, lark")
CHECK = ("-c", "from duetpy.cli.main import entry; entry()", "check", str(SMALL))


def seconds(text: str) -> tuple[float, str]:
    """Processor time to check a program and price it, and what came of it."""
    begin = time.process_time()
    state = parse(text, notion="eps").state()
    codes = sorted({diagnostic.code for diagnostic in state.diagnostics})
    return time.process_time() - begin, " ".join(codes) if not state.ok else "accepted"


def families(rounds: int, every: bool) -> Iterator[Line]:
    """Programs that grow: those with a goal, or all."""
    seconds(PRIVATE + released(["1.0", "1.5"]))  # imports
    for name, (program, sizes) in FAMILIES.items():
        if not every and name not in PROMISED:
            continue
        found = [(size, [seconds(program(size)) for _ in range(rounds)]) for size in sizes]
        least = {size: min(took for took, _ in runs) for size, runs in found}
        before, last = sizes[-2:]
        growth = math.log(least[last] / least[before]) / math.log(last / before)
        promised = PROMISED.get(name)
        verdict = found[-1][1][0][1]
        yield Line(
            title=f"check {promised or last:,} {name}",
            cpu=least[promised or last],
            goal=f"≤ {LONGEST:g} s" if promised else "",
            reached=least[promised] <= LONGEST if promised else None,
            note=f"grows as n^{growth:.1f} from {before:,} to {last:,}" if verdict == "accepted" else verdict,
        )


GAUSSIANS = "pλ k : ℕ, μ : ℝ⁺ . x : ℝ, k : ℕ[k], μ : ℝ⁺[μ] ⇒ loop k on 0.0 <x> { i, s ⇒ gauss[1.0, μ] <x> { x } }"

PRICES: tuple[tuple[str, str, str, dict[str, Any], float, float], ...] = (
    ("1,000 Gaussians, μ = 0.1", GAUSSIANS, "gdp", {"k": 1000, "μ": 0.1, "delta": 1e-6}, 0.005, 19.4237),
    (
        "DP-SGD, q = 0.01, σ = 1, 10⁴ turns",
        (ROOT / "examples" / "dp-sgd.ed.duet").read_text(encoding="utf-8"),
        "approx",
        # One Gaussian of σ = 1 is (4.37717, 1e-5)-private.
        {"k": 10_000, "n": 20, "q": 0.01, "η": 1.0, "ε": 4.37717, "δ": 1e-5, "delta": 1e-5},
        0.2,
        6.1910,
    ),
)
"""Programs with their numbers, and the seconds and the certified ε that a price may have."""


def prices(rounds: int) -> Iterator[Line]:
    for title, program, notion, numbers, longest, largest in PRICES:
        checked = parse(program, notion=notion).check()
        (first, *_), *runs = (price(checked, numbers) for _ in range(rounds + 1))
        took = min(seconds for _, seconds in runs)
        yield Line(
            f"price of {title}",
            cpu=took,
            goal=f"≤ {longest:g} s, ε ≤ {largest:.4f}",
            reached=took <= longest and first <= largest,
            note=f"ε = {first:.5f}",
        )


def price(checked: Checked, numbers: dict[str, Any]) -> tuple[float, float]:
    """The certified ε of the first parameter, and the seconds to find it."""
    begin = time.process_time()
    cost = checked.cost(notion="approx", **numbers)
    took = time.process_time() - begin
    epsilon = next(iter(cost.values()))["epsilon"]
    assert epsilon is not None
    return epsilon, took


def started(command: Sequence[str], bytecode: str) -> float:
    """The CPU time of one run, the interpreter's own start included."""
    from resource import RUSAGE_CHILDREN, getrusage

    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = getrusage(RUSAGE_CHILDREN)
    surroundings = {**known, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": bytecode}
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL, env=surroundings)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start_up(rounds: int) -> Line:
    """A check of a small program, with bytecode, against the import of what it is built on."""
    title = f"start-up, check of {SMALL.name}"
    if sys.platform == "win32":
        return Line(title, note="processor time of a child is not measured here")
    with tempfile.TemporaryDirectory() as bytecode:
        timed = [(started(CHECK, bytecode), started(IMPORTS, bytecode)) for _ in range(rounds + 1)][1:]
    check, base = (min(column) for column in zip(*timed, strict=True))
    return Line(
        title,
        cpu=check,
        against="import attrs, lark",
        ratio=check / base,
        rounds=tuple(ours / theirs for ours, theirs in timed),
        goal=f"≤ {START_UP:g} import",
        reached=check <= START_UP * base,
    )
