"""The second layer: what the program's mechanisms draw, against the laws of their theorems.

The scale that a mechanism draws with is held to the least one under which its price is true. Then a sample of its noise, or of
its choices, is tested against the exact law at that scale. Every test is also given a sample that is wrong on purpose, so
that the report can say what the tests would have seen.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from attrs import define, evolve, field
from numpy.typing import NDArray

from duetpy.audit import key_samplers, laws, statistics
from duetpy.audit.findings import Layer
from duetpy.audit.recording import Call, Draw, place_of
from duetpy.audit.replay import ADDITIVE
from duetpy.audit.replayed import DANGER, VIOLATION
from duetpy.audit.row_samplers import sample_rows
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.exact.rationals import plain
from duetpy.runtime.noise.random_bits import Bits, InsecureBits
from duetpy.runtime.release import last_iterate, mechanisms, selecting
from duetpy.runtime.release.mechanisms import MARGIN, Randomness
from duetpy.runtime.release.observer import Descent
from duetpy.runtime.values.values import MatrixValue, numbers_of
from duetpy.typecheck import core
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.mechanism_rows import row_of

Doubles = NDArray[np.float64]

ALPHA = 1e-6
"""A right sampler fails one test with this probability."""

SLIPS = (1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 4.0)
"""Scales that are wrong by these factors, either way, are tried on the tests."""

CALLS = 400
"""Calls of one number each, in addition to the sample: noise that is kept from one call to the next shows there."""

ONE_BY_ONE = 100
"""What is drawn one by one has so many times fewer values."""

MOST_TURNS = 40
"""Steps of a noisy descent in a sample: more of them look the same."""

EXCESS = 1.01
"""Noise that is larger than its price needs by more than this is reported."""

ROUGH = frozenset({"dgauss"})
"""Calibrated by a bound that is not the least one."""

LARGE = 20_000
"""Values in a sample whose mean square is near to its limit law."""

FEW, FEWER = 100, 20
"""So many values are expected in the tails that are counted."""

MOST_ANSWERS = 10_000
"""Answers of randomised response that are counted."""

UNITS = (Fraction(0), Fraction(1), Fraction(-2), Fraction(1, 2), Fraction(1))


@define(eq=False)
class Sampled:
    """What came of all samples."""

    tests: int = 0
    least_p: float = 1.0
    slips: dict[str, float | None] = field(factory=dict)
    row_slips: dict[str, float | None] = field(factory=dict)
    sizes: dict[str, int] = field(factory=dict)
    violations: dict[str, Diagnostic] = field(factory=dict)
    excess: dict[str, float] = field(factory=dict)
    untested: list[str] = field(factory=list)

    def violate(self, key: str, message: str, at: ReleaseSite | core.Sample, *notes: str) -> None:
        self.violations.setdefault(key, Diagnostic(VIOLATION, message, at.span, notes=notes, help=DANGER))

    def judge(self, site: ReleaseSite, named: dict[str, float]) -> None:
        """Look at the p-values of the tests of one sample."""
        self.judge_at(place_of(site), site, named)

    def judge_at(self, place: str, at: ReleaseSite | core.Sample, named: dict[str, float]) -> None:
        self.tests += len(named)
        name, least = min(named.items(), key=lambda each: each[1])
        self.least_p = min(self.least_p, least)
        if least < ALPHA:
            message = f"what {place} draws does not have the distribution that its cost assumes"
            self.violate(f"law {place}", message, at, f"{name}: p = {least:.2g}, below the alarm level {ALPHA:g}")


def sample(
    sites: Sequence[Call], size: int, seed: int, draws: Sequence[Draw] = (), calls: Sequence[Call] = ()
) -> Sampled:
    """Test the mechanisms that calls were seen of, and how rows were drawn for them; of more calls, the scales."""
    found = Sampled()
    for at, draw in enumerate(draws):
        rows(found, draw, size, seed + len(sites) + at)
    calibrate(found, calls or sites)
    for at, call in enumerate(sites):
        bits = InsecureBits(seed + at)
        if call.site.atom.mechanism in ADDITIVE:
            additive(found, call, size, bits)
        elif call.descent is not None:
            descent(found, call, call.descent, max(400, size // ONE_BY_ONE), bits)
        else:
            choice(found, call, max(400, size // ONE_BY_ONE), bits)
    return found


def rows(found: Sampled, draw: Draw, size: int, seed: int) -> None:
    """Test a sampler of rows."""
    try:
        count, named, tilted = sample_rows(draw, size, seed)
    except (AssertionError, ArithmeticError, ValueError, TypeError, IndexError) as fault:
        found.violate(f"law {draw.place}", f"{draw.place} does not draw at all", draw.node, type(fault).__name__)
        return
    found.sizes[draw.place] = count
    found.judge_at(draw.place, draw.node, named)
    found.row_slips[draw.place] = next((slip for slip in SLIPS if tilted(slip) < ALPHA), None)


# ---------------------------------------------------------------------------------------------------------------------
# Noise that is added


def additive(found: Sampled, call: Call, size: int, bits: Bits) -> None:
    site, place = call.site, call.place
    mechanism = site.atom.mechanism
    count = size if mechanism in ("laplace", "gauss") else max(400, size // ONE_BY_ONE)
    try:
        # A sample is one matrix: its lattice's slack is that of as many numbers, and part of the scale that is expected.
        drawn = mechanisms.calibration(site, call.kinds, count, Randomness(bits))
        values = np.resize(around(call, drawn.scale), count)
        randomness = Randomness(bits)
        noise = _noise(call, values, randomness)
        apart = np.array([_noise(call, np.zeros(1), randomness)[0] for _ in range(CALLS)])
    except DuetError:
        found.untested.append(f"{place}: no noise can be drawn with these numbers")
        return
    except (AssertionError, ArithmeticError, ValueError, TypeError, AttributeError) as fault:
        found.violate(f"law {place}", f"{place} does not draw at all", site, type(fault).__name__)
        return
    found.sizes[place] = count
    needed = calibrated(found, call, drawn.scale)
    scale = max(float(drawn.scale), needed or 0.0)
    _repeats(found, call, apart, scale, drawn.exponent)
    tests = tests_of(call, scale)
    found.judge(site, tests(noise))
    # What is added may not depend on what it is added to.
    for value in np.unique(values).tolist():
        found.judge(site, {f"{name} at {value:g}": p for name, p in tests(noise[values == value]).items()})
    found.slips[place] = seen_slip(tests, noise, row_of(mechanism).is_whole)


def around(call: Call, scale: Fraction) -> Doubles:
    """What noise is added to in a sample: on the lattice, near and far, so that nothing but noise comes out again."""
    if row_of(call.site.atom.mechanism).is_whole:
        return np.array([0.0, 1.0, -2.0, 1024.0])
    # Doubles must hold the noise together with the number.
    unit = 2.0 ** math.floor(math.log2(min(call.kinds.above(call.site.sensitivity, None), scale)))
    return np.array([0.0, unit, -2 * unit, 1024 * unit])


def calibrated(found: Sampled, call: Call, scale: Fraction) -> float | None:
    """Hold a scale to the least one under which the price is true, which is returned."""
    place = call.place
    needed = laws.needed_scale(call.site.atom, call.kinds.above(call.site.sensitivity, None), call.kinds.numbers)
    if needed is None:
        told = f"{place}: its scale was accepted as it is: no distribution of it is known here"
        if told not in found.untested:
            found.untested.append(told)
    elif float(scale) < needed * (1 - 1e-9):
        numbers = ", ".join(f"{variable.name}={number}" for variable, number in call.kinds.numbers.items())
        message = f"{place} draws with scale {float(scale):.6g}, but its cost needs {needed:.6g}"
        found.violate(f"scale {place}", message, call.site, *((f"with {numbers}",) if numbers else ()))
    return needed


def calibrate(found: Sampled, calls: Sequence[Call]) -> None:
    """Hold the scales of all places under all numbers that were seen to what their prices need."""
    for call in calls:
        if call.site.atom.mechanism not in ADDITIVE:
            continue
        try:
            drawn = mechanisms.calibration(call.site, call.kinds, max(1, math.prod(call.shape)), Randomness(None))
        except DuetError:
            continue
        needed = calibrated(found, call, drawn.scale)
        if needed and float(drawn.scale) > needed * EXCESS and call.site.atom.mechanism not in ROUGH:
            found.excess[call.place] = max(found.excess.get(call.place, 0.0), float(drawn.scale) / needed)


def _noise(call: Call, values: Doubles, randomness: Randomness) -> Doubles:
    """What the mechanism itself adds to these numbers, two in a row where there are two."""
    grid = values.reshape(-1, 2 if len(values) % 2 == 0 else 1)
    out = mechanisms.noisy(MatrixValue(len(grid), plain(np.asfortranarray(grid))), call.site, call.kinds, randomness)
    assert isinstance(out, MatrixValue)
    doubles = numbers_of(out).doubles
    assert doubles is not None
    return np.asarray(doubles.ravel() - values)


def _repeats(found: Sampled, call: Call, apart: Doubles, scale: float, exponent: int) -> None:
    """Equal noise in two calls, one after the other: on a fine lattice it happens once in a hundred million."""
    fine = scale > 2.0 ** (exponent + 26)
    same = int((apart[1:] == apart[:-1]).sum())
    if fine and same:
        note = f"{same} of {len(apart) - 1} calls had the noise of the previous call"
        found.violate(f"reuse {call.place}", f"{call.place} draws the same noise again", call.site, note)


Tests = Callable[[Doubles], dict[str, float]]


def tests_of(call: Call, scale: float) -> Tests:
    """The tests of a sample of noise of some scale, by name."""
    mechanism = call.site.atom.mechanism
    numbers = [float(param.evaluate_float(call.kinds.numbers)) for param in call.site.atom.params]
    match mechanism:
        case "laplace":
            return lambda values: continuous(values / scale, laws.laplace_below, 1.0, 2.0, 6.0)
        case "gauss":
            return lambda values: continuous(values / scale, laws.gaussian_below, 2.0, 1.0, 3.0)
        case "dlaplace" | "dgauss":
            reach = int(16 * scale) + 4
            law = (laws.discrete_laplace if mechanism == "dlaplace" else laws.discrete_gaussian)(scale, reach)
            return lambda values: discrete(values, law, reach)
        case "ggauss":
            return lambda values: generalized(values / scale, numbers[0])
        case "canonical":
            return lambda values: canonical(values / scale, *numbers)
        case _:
            raise AssertionError("noise that is added has one of these laws")


def continuous(
    values: Doubles, law: statistics.Law, order: float, variance: float, kurtosis: float
) -> dict[str, float]:
    """Values in units of the scale. The mean of |z|^order is what tells the scale best."""
    if not np.isfinite(values).all():
        return {"finite": 0.0}
    below = law(np.sort(values))
    sizes = np.abs(values) ** order
    mean, deviation = (1.0, 1.0) if order == 1.0 else (1.0, 2.0**0.5)
    far = 6.9 if order == 1.0 else 3.29
    beyond = 2 * float(law(np.array([-far]))[0])
    # The square of Laplace noise is far from normal: its mean is not near to it in a small sample.
    squares = {"variance": statistics.mean_of(values**2, variance, variance * (kurtosis - 1) ** 0.5)}
    return {
        "Kolmogorov and Smirnov": statistics.kolmogorov(below),
        "chi-square": statistics.uniform_cells(below),
        "scale": statistics.mean_of(sizes, mean, deviation),
        **(squares if len(values) >= LARGE else {}),
        "symmetry": statistics.coin(int((values > 0).sum()), int((values != 0).sum()), 0.5),
        "tail": statistics.coin(int((np.abs(values) > far).sum()), len(values), beyond),
        "independence": independence(values, variance, 1),
        "independence of rows": independence(values, variance, 2),
        **tails(below),
    }


def independence(values: Doubles, variance: float, apart: int) -> float:
    return statistics.normal_p(float((values[apart:] * values[:-apart]).mean() / variance * len(values) ** 0.5))


def tails(below: Doubles) -> dict[str, float]:
    """How many values are so far out that few of them, or hardly any, are expected there; `below` is of the sorted values."""
    outside = np.minimum(below, 1 - below)
    return {
        f"the farthest {few}": statistics.coin(
            int((outside < few / len(below) / 2).sum()), len(below), few / len(below)
        )
        for few in (FEW, FEWER)
        if few < len(below) / 4
    }


def discrete(values: Doubles, law: Doubles, reach: int) -> dict[str, float]:
    if not np.array_equal(values, np.rint(values)):
        return {"whole": 0.0}
    counts = np.bincount(np.clip(values, -reach, reach).astype(np.int64) + reach, minlength=2 * reach + 1)
    return {
        "chi-square": statistics.chi_square(counts, law),
        "symmetry": statistics.coin(int((values > 0).sum()), int((values != 0).sum()), 0.5),
    }


def generalized(values: Doubles, exponent: float) -> dict[str, float]:
    """|Z/scale|^N has the Gamma law of shape 1/N."""
    from scipy import special

    below = special.gammainc(1 / exponent, np.sort(np.abs(values)) ** exponent)
    return {
        "Kolmogorov and Smirnov": statistics.kolmogorov(below),
        "chi-square": statistics.uniform_cells(below),
        "symmetry": statistics.coin(int((values > 0).sum()), int((values != 0).sum()), 0.5),
        **tails(below / 2),
    }


def canonical(values: Doubles, epsilon: float, delta: float) -> dict[str, float]:
    """A value beyond the quantiles is impossible; one that was rounded to the lattice there is not yet beyond them."""
    below = np.sort(laws.canonical_below(values, epsilon, delta))
    beyond = 1e-6 * (laws.cut_off(epsilon, delta) + 2.0**-30)
    return {
        "between the quantiles": float(below[0] >= -beyond and below[-1] <= 1 + beyond),
        "Kolmogorov and Smirnov": statistics.kolmogorov(np.clip(below, 0.0, 1.0)),
        "chi-square": statistics.uniform_cells(np.clip(below, 0.0, 1.0)),
        "symmetry": statistics.coin(int((values > 0).sum()), int((values != 0).sum()), 0.5),
    }


def seen_slip(tests: Tests, noise: Doubles, is_whole: bool = False) -> float | None:
    """The least factor by which the scale may be wrong, either way, and be seen by the tests in this sample."""
    for slip in SLIPS:
        wrong = (noise * slip, noise / slip)
        if all(min(tests(np.rint(each) if is_whole else each).values()) < ALPHA for each in wrong):
            return slip
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Noise in every step


def descent(found: Sampled, call: Call, chosen: Descent, count: int, bits: Bits) -> None:
    """Descend on rows of zeros, from a model of as many zeros as the sample has values: what comes out is noise alone."""
    site, place = call.site, call.place
    turns = max(1, min(chosen.epochs, MOST_TURNS))
    short = evolve(chosen, epochs=turns, batch=1, bound=Fraction(1))
    zeros = MatrixValue(1, plain(np.zeros((1, count), order="F")))
    labels = MatrixValue(1, plain(np.zeros((1, 1), order="F")))
    randomness = Randomness(bits)
    try:
        out = last_iterate.last_model(short, zeros, zeros, labels, site, call.kinds, randomness)
        doubles = numbers_of(out).doubles
        assert doubles is not None
    except DuetError:
        found.untested.append(f"{place}: no noise can be drawn with these numbers")
        return
    except (AssertionError, ArithmeticError, ValueError, TypeError, AttributeError) as fault:
        found.violate(f"law {place}", f"{place} does not draw at all", site, type(fault).__name__)
        return
    found.sizes[place] = count
    needed = float(chosen.length * chosen.noise)
    told = [done.scale for _, done in randomness.log.counts if done.scale is not None]
    scale = max(told, default=0.0)
    if scale < needed * (1 - 1e-9):
        message = f"{place} draws with scale {scale:.6g}, but its cost needs {needed:.6g}"
        found.violate(f"scale {place}", message, site)
    spread = max(scale, needed) * laws.descended(float(chosen.length), float(chosen.weakening), turns)

    def tests(values: Doubles) -> dict[str, float]:
        return continuous(values / spread, laws.gaussian_below, 2.0, 1.0, 3.0)

    noise = np.asarray(doubles.ravel())
    found.judge(site, tests(noise))
    found.slips[place] = seen_slip(tests, noise)


# ---------------------------------------------------------------------------------------------------------------------
# Choices


def choice(found: Sampled, call: Call, count: int, bits: Bits) -> None:
    """What a mechanism that chooses chooses among scores that are some units of its noise apart."""
    site, place = call.site, call.place
    kinds, randomness = call.kinds, Randomness(bits)
    epsilon = float(site.atom.params[-1].evaluate_float(kinds.numbers))
    sensitivity = kinds.above(site.sensitivity, None)
    match site.mechanism:
        case "exponential" | "noisy-max" | "gibbs":
            # Scores are in units of 2s/ε.
            unit = 2 * sensitivity / Fraction(epsilon)
            scores = [unit * score for score in UNITS]
            sign = -1 if site.mechanism == "gibbs" else 1
            law = laws.noisy_max if site.mechanism == "noisy-max" else laws.exponential

            def expected(slip: float) -> Doubles:
                return law([float(sign * score) for score in UNITS], slip / float(MARGIN))

            def draw() -> int:
                return selecting.chosen(scores, site, kinds, randomness)

        case "AboveThreshold":
            epsilon = float(site.atom.params[0].evaluate_float(kinds.numbers))
            unit = 2 * sensitivity / Fraction(epsilon)
            queries = [unit * score for score in (-3, 0, -1, 2, 1)]

            def expected(slip: float) -> Doubles:
                return laws.above_threshold(
                    0.0, [float(query) for query in queries], epsilon * slip, float(sensitivity)
                )

            def draw() -> int:
                return sum(1 for _ in selecting.first_above(Fraction(0), iter(queries), site, kinds, randomness)) - 1

        case "rand-resp":
            size = int(site.atom.params[0].evaluate_float(kinds.numbers))
            if size > MOST_ANSWERS:
                found.untested.append(f"{place}: it has more than {MOST_ANSWERS} answers, of which a sample shows few")
                return
            truths = sorted({0, size // 2, size - 1})

            def expected(slip: float) -> Doubles:
                # The truths are asked for in turn, and an answer is recorded with its truth.
                return np.concatenate([laws.answers(truth, size, epsilon * slip) / len(truths) for truth in truths])

            turn = itertools.cycle(range(len(truths)))

            def draw() -> int:
                asked = next(turn)
                return asked * size + selecting.answered(truths[asked], size, site, kinds, randomness)

        case "keys" | "key-counts" | "key-gauss":
            sampled = key_samplers.OF_KEYS[site.mechanism](site, kinds, randomness)

            def expected(slip: float) -> Doubles:
                return sampled[0](slip)

            def draw() -> int:
                return sampled[1]()

        case _:
            what = "trusted as it is" if site.mechanism == "given" else "no distribution is known here"
            found.untested.append(f"{place}: {what}")
            return
    try:
        drawn = [draw() for _ in range(count)]
    except (AssertionError, ArithmeticError, ValueError, TypeError) as fault:
        found.violate(f"law {place}", f"{place} does not choose at all", site, type(fault).__name__)
        return
    probabilities = expected(1.0)
    found.sizes[place] = count
    if not all(isinstance(each, int) and 0 <= each < len(probabilities) for each in drawn):
        found.violate(f"kind {place}", f"{place} answers with something that its distribution never gives", site)
        return
    counts = np.bincount(drawn, minlength=len(probabilities))
    found.judge(site, {"chi-square": statistics.chi_square(counts, probabilities)})
    found.slips[place] = seen_by_choices(expected, count)


def seen_by_choices(expected: Callable[[float], Doubles], count: int) -> float | None:
    """The least factor by which ε may be wrong, either way, and be seen in the counts that it would give."""
    right = expected(1.0)
    for slip in SLIPS:
        wrong = [expected(slip), expected(1 / slip)]
        if all(statistics.chi_square(np.maximum(0, count * each), right) < ALPHA for each in wrong):
            return slip
    return None


# ---------------------------------------------------------------------------------------------------------------------
# The report


def layer(found: Sampled) -> Layer:
    sizes = ", ".join(f"{place}: {size}" for place, size in found.sizes.items())
    slips = [f"the scale of {seen(place, slip)}" for place, slip in found.slips.items()]
    slips += [f"how often {seen(place, slip, 'draws a row')}" for place, slip in found.row_slips.items()]
    return Layer(
        "samplers",
        f"{found.tests} tests of samples ({sizes or 'none'}), least p = {found.least_p:.2g}, alarm below {ALPHA:g}",
        ", ".join(slips) if slips else "nothing: there was nothing to draw",
        {
            "tests": found.tests,
            "least_p": found.least_p,
            "alarm": ALPHA,
            "sizes": dict(found.sizes),
            "seen_slip": {**found.slips, **found.row_slips},
            "untested": list(found.untested),
        },
        tuple(found.violations.values()),
    )


def seen(place: str, slip: float | None, what: str = "") -> str:
    subject = f"{place} {what}".rstrip()
    return f"{subject} off by {100 * (slip - 1):.3g} %" if slip else f"{subject}: not even a factor {SLIPS[-1]:g}"
