"""The third layer: the whole program with real noise on the worst pair of neighbours that was found.

Half of the outputs choose an event, the other half bound its two probabilities (Clopper and Pearson 1934). An (ε, δ)-private
program has P[E | x] ≤ e^ε P[E | x′] + δ for every event, so ln((lower − δ)/upper) is a lower bound on its ε at that confidence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray
from scipy import special

from duetpy.accounting import figures
from duetpy.accounting.certify import DEFAULT_DELTA, tight
from duetpy.audit import statistics
from duetpy.audit.findings import Layer
from duetpy.audit.inputs import Inputs
from duetpy.audit.recording import Call, Watching
from duetpy.audit.replay import ROUNDING
from duetpy.audit.replayed import VIOLATION, Pair, described
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.engines import SerialEngine
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release.mechanisms import Randomness, calibration
from duetpy.runtime.values.plain_values import plain_value
from duetpy.typecheck.cost import Cost
from duetpy.typecheck.notions import Notion

Doubles = NDArray[np.float64]

ALPHA = 1e-5
"""The bound is above the truth with at most this probability."""

QUANTILES = 40
MOST_VALUES = 60
"""Results with more distinct values than this are distinguished by thresholds only."""


@frozen
class Searched:
    """What came of the search for an event."""

    runs: int
    epsilon: float
    claimed: float
    delta: float
    ceiling: float
    event: str
    reused: int
    violations: tuple[Diagnostic, ...] = field(default=())


def search(pair: Pair, runs: int, seed: int) -> Searched | None:
    """Run both neighbours `runs` times; None where the program cannot be run on them with noise."""
    notion = pair.case.subject.function.notion
    cost = pair.unit.cost
    assert isinstance(cost, Cost)
    delta = 0.0 if notion is Notion.PURE else claimed_delta(pair)
    claimed = claimed_epsilon(pair, notion, cost, delta)
    try:
        left, first = released(pair, pair.left, runs, 2 * seed)
        right, second = released(pair, pair.right, runs, 2 * seed + 1)
    except (DuetError, AssertionError, ArithmeticError, ValueError, TypeError):
        return None
    reused, compared = first[0] + second[0], first[1] + second[1]
    bound, event = event_bound(left, right, delta)
    ceiling = largest_bound(runs - runs // 2, delta)
    violations: list[Diagnostic] = []
    help = "do not run this program on anyone's data"
    if bound > claimed * ROUNDING:
        least, proved = figures.at_most(bound), figures.bound(claimed)
        message = f"the released result distinguishes neighbours: ε is at least {least}, but {proved} is proved"
        confidence = f"with confidence {100 * (1 - ALPHA):g} %, from {runs} runs on each of the two inputs; {event}"
        violations.append(Diagnostic(VIOLATION, message, notes=(confidence, *described(pair)), help=help))
    if by_chance(reused, compared) < ALPHA:
        message = "noise was reused"
        note = (
            f"{reused} of {compared} pairs of noisy numbers, in one run or in two, had the same noise, up to its sign"
        )
        violations.append(Diagnostic(VIOLATION, message, notes=(note,), help=help))
    return Searched(runs, bound, claimed, delta, ceiling, event, reused, tuple(violations))


def claimed_delta(pair: Pair) -> float:
    claim = pair.case.claim(pair.unit) or {}
    own = claim.get("delta")
    return float(own) if own else float(DEFAULT_DELTA)


def claimed_epsilon(pair: Pair, notion: Notion, cost: Cost, delta: float) -> float:
    """What is proved: in pure ε the price itself, else the certified ε at δ."""
    if notion is Notion.PURE:
        claim = pair.case.claim(pair.unit) or {}
        epsilon = claim.get("epsilon")
        return math.inf if epsilon is None else float(epsilon)
    return tight(cost, pair.case.kinds.numbers, delta).epsilon


def released(pair: Pair, inputs: Inputs, runs: int, seed: int) -> tuple[list[list[float]], tuple[int, int]]:
    """The results of runs with noise, each as a list of numbers; how often noise was the same again, and how often that was
    looked at."""
    randomness, observer = Randomness(InsecureBits(seed)), Watching()
    run = pair.case.bound(inputs).entered(SerialEngine(), randomness, observer)
    found: list[list[float]] = []
    same = compared = 0
    before: list[Doubles] = []
    for _ in range(runs):
        observer.calls.clear()
        found.append(list(flat(plain_value(run()))))
        noise = [drawn for call in observer.calls[:MOST_CALLS] if (drawn := noise_of(call, randomness)) is not None]
        for one, two in alike(noise, before):
            length = min(len(one), len(two))
            same += int((np.abs(one[:length] - two[:length]) <= NEAR).sum())
            compared += length
        for each in noise:
            same += int((np.diff(np.sort(each)) <= NEAR).sum())
            compared += len(each) * (len(each) - 1) // 2
        before = noise
    return found, (same, compared)


FINE = frozenset({"laplace", "gauss"})

MOST_CALLS, MOST_NUMBERS = 40, 64
"""Noise is compared among so many calls of a run, and so many numbers of each."""

NEAR = 2.0**-27
"""Noise in units of its scale that is as near as this is the same: its lattice is eight times finer."""

CHANCE = 2.0**-26
"""The probability that two independent ones are: no density of |noise| is above 1."""


def noise_of(call: Call, randomness: Randomness) -> Doubles | None:
    """The sizes of the noise of a call in units of its scale; None where it is no fine noise, or is lost in large numbers."""
    if call.site.atom.mechanism not in FINE or not call.inputs:
        return None
    # What its calibration was, the run has kept.
    scale = float(calibration(call.site, call.kinds, len(call.inputs), randomness).scale)
    values = np.array([float(value) for value in call.inputs[:MOST_NUMBERS]])
    outputs = np.array(list(flat(plain_value(call.output)))[:MOST_NUMBERS])
    kept = np.abs(values) < 2.0**20 * scale
    if len(values) != len(outputs) or not kept.all():
        return None
    return np.asarray(np.abs(outputs - values) / scale)


def alike(noise: list[Doubles], before: list[Doubles]) -> Iterator[tuple[Doubles, Doubles]]:
    """What is compared: each call with all earlier ones of its run, and with the same one of the run before."""
    for at, one in enumerate(noise):
        for other in noise[:at]:
            yield one, other
        if at < len(before):
            yield one, before[at]


def by_chance(same: int, compared: int) -> float:
    """The probability that independent noise is the same as often: at most that of a Poisson variable of the mean."""
    return float(special.pdtrc(same - 1, compared * CHANCE)) if same else 1.0


def flat(value: Any) -> Iterator[float]:
    """The numbers of a result; texts count as a number of their own."""
    pending = [value]
    while pending:
        here = pending.pop(0)
        if isinstance(here, tuple | list):
            pending[:0] = list(here)
        elif isinstance(here, str):
            yield float(sum(ord(letter) * 31**at for at, letter in enumerate(here[:10])) % (1 << 40))
        else:
            yield float(here)


# ---------------------------------------------------------------------------------------------------------------------
# Events


def event_bound(left: list[list[float]], right: list[list[float]], delta: float) -> tuple[float, str]:
    """The best lower bound on ε, and its event in words."""
    widths = {len(row) for row in left + right}
    if len(widths) != 1:
        # How many numbers there are is an event by itself.
        left, right = ([[float(len(row))] for row in rows] for rows in (left, right))
    a, b = np.array(left, dtype=np.float64), np.array(right, dtype=np.float64)
    if not a.size:
        return 0.0, "nothing is released"
    half = len(a) // 2
    features, names = projected(a, b, half)
    best, chosen = -math.inf, None
    for column in range(features[0].shape[1]):
        one, two = features[0][:, column], features[1][:, column]
        for kind, at in candidates(one[:half], two[:half]):
            for swapped in (False, True):
                first, second = (two, one) if swapped else (one, two)
                found = bound(hits(first[:half], kind, at), hits(second[:half], kind, at), half, delta)
                if found > best:
                    best, chosen = found, (column, kind, at, swapped)
    if chosen is None:
        return 0.0, "no event was found"
    column, kind, at, swapped = chosen
    one, two = features[0][half:, column], features[1][half:, column]
    first, second = (two, one) if swapped else (one, two)
    final = bound(hits(first, kind, at), hits(second, kind, at), len(first), delta)
    return max(0.0, final), f"the event: {names[column]} {kind} {at:.6g}"


def projected(a: Doubles, b: Doubles, half: int) -> tuple[tuple[Doubles, Doubles], list[str]]:
    """The numbers of the results, their sum, and the direction in which the means differ most."""
    names = [f"number {at + 1}" for at in range(a.shape[1])]
    if a.shape[1] == 1:
        return (a, b), names
    with np.errstate(all="ignore"):
        spread = a[:half].var(axis=0) + b[:half].var(axis=0)
        shift = a[:half].mean(axis=0) - b[:half].mean(axis=0)
        weights = np.where(spread > 0, shift / np.where(spread > 0, spread, 1.0), np.sign(shift) * 1e6)
        extra = [np.column_stack([x @ weights, x.sum(axis=1)]) for x in (a, b)]
    return (np.hstack([a, extra[0]]), np.hstack([b, extra[1]])), [*names, "a weighted sum", "the sum"]


def candidates(one: Doubles, two: Doubles) -> Iterator[tuple[str, float]]:
    pooled = np.concatenate([one, two])
    pooled = pooled[np.isfinite(pooled)]
    if not len(pooled):
        return
    values = np.unique(pooled)
    if len(values) <= MOST_VALUES:
        for value in values.tolist():
            yield "=", value
    values, often = np.unique(pooled, return_counts=True)
    if len(values) > MOST_VALUES and often.max() > 1:
        # One value in the middle of a continuous law.
        yield "=", float(values[often.argmax()])
    cuts = values if len(values) <= QUANTILES else np.unique(np.quantile(pooled, np.linspace(0, 1, QUANTILES + 2)))
    for cut in cuts.tolist():
        yield "≤", cut
        yield ">", cut


def hits(values: Doubles, kind: str, at: float) -> int:
    match kind:
        case "=":
            return int((values == at).sum())
        case "≤":
            return int((values <= at).sum())
        case _:
            return int((values > at).sum())


def bound(first: int, second: int, tosses: int, delta: float) -> float:
    """ln((lower − δ)/upper), each side at half of `ALPHA`."""
    lower = statistics.at_least(first, tosses, ALPHA / 2) - delta
    upper = statistics.at_most(second, tosses, ALPHA / 2)
    return math.log(lower / upper) if lower > 0 else -math.inf


def largest_bound(tosses: int, delta: float = 0.0) -> float:
    """The ε that so many runs could show of a program that protects nothing."""
    return max(0.0, bound(tosses, 0, tosses, delta))


def layer(found: Searched | None) -> Layer:
    if found is None:
        return Layer("end to end", "the program could not be run with noise on the worst pair", "nothing", {"runs": 0})
    strength = (
        f"only an ε above {figures.bound(found.ceiling)}, but the proved one is larger"
        if found.ceiling <= found.claimed
        else f"a program without protection, whose ε would have shown as {figures.at_most(found.ceiling)}"
    )
    shown = {
        key: value if math.isfinite(value) else None for key, value in (("e", found.epsilon), ("c", found.claimed))
    }
    return Layer(
        "end to end",
        f"ε ≥ {figures.at_most(found.epsilon)} at δ = {figures.bound(found.delta)} from {found.runs} runs on each input, "
        f"{figures.bound(found.claimed)} is proved ({100 * (1 - ALPHA):g} % confidence)",
        strength,
        {
            "runs": found.runs,
            "epsilon": shown["e"],
            "delta": found.delta,
            "claimed": shown["c"],
            "ceiling": found.ceiling,
            "confidence": 1 - ALPHA,
        },
        found.violations,
    )
