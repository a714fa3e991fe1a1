"""How the time of `check` grows with the size of a program, and the time of a price with the number of unlike mechanisms.

    python -m benchmarks.growth

Seconds of the processor, not of the clock: other programs on the machine do not count. The last column is the exponent of the
growth from one size to the next: 1 is linear, 2 quadratic.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from duetpy.program import parse

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


def seconds(text: str) -> tuple[float, str]:
    """Processor time to check a program and price it, and what came of it."""
    begin = time.process_time()
    state = parse(text, notion="eps").state()
    codes = sorted({diagnostic.code for diagnostic in state.diagnostics})
    return time.process_time() - begin, " ".join(codes) if not state.ok else "accepted"


def main() -> None:
    seconds(PRIVATE + released(["1.0", "1.5"]))  # imports
    for name, (program, sizes) in FAMILIES.items():
        before: tuple[int, float] | None = None
        for size in sizes:
            took, verdict = seconds(program(size))
            growth = "" if before is None else f"{math.log(took / before[1]) / math.log(size / before[0]):8.1f}"
            print(f"{name:<40} {size:>7} {took:>9.2f} s {verdict:<10} {growth}", flush=True)
            before = size, took


if __name__ == "__main__":
    main()
