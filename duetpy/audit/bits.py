"""The fourth layer: the bits of what is released.

Noise that is made of doubles leaves holes among the doubles (Mironov, CCS 2012), and a sum of doubles shows the last bit of
the larger one (Haney and others 2022). What is released here is declared to be a whole number of steps 2^k, where k follows
from the sensitivity and the scale alone. So every released number is held to that lattice, from inputs that are on it and
inputs that are not; the event of Haney and others, |y| < 1/2 and no multiple of 2⁻⁵³ in units of the sensitivity, is counted
for the inputs 0 and 1; and the last bits of the steps must be fair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from duetpy.accounting.noise_scale import noise_scale
from duetpy.audit import statistics
from duetpy.audit.findings import Layer
from duetpy.audit.recording import Call
from duetpy.audit.replay import ADDITIVE
from duetpy.audit.replayed import VIOLATION
from duetpy.audit.samplers import ALPHA
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.exact.rationals import plain
from duetpy.runtime.noise.noise_grid import choose_granularity
from duetpy.runtime.noise.random_bits import Bits, InsecureBits
from duetpy.runtime.release import mechanisms, run
from duetpy.runtime.release.mechanisms import MARGIN, Randomness
from duetpy.runtime.values.values import MatrixValue, numbers_of
from duetpy.typecheck.mechanism_rows import row_of

Doubles = NDArray[np.float64]
MODULI = (16, 105)
"""Steps are looked at by their remainders: the last four bits, and grids that are no power of two."""

WORDS, WORDS_ALPHA = 8192, 1e-12
"""Words of the source of secure randomness. It is a new one each time, so that a false alarm must never come."""


@define(eq=False)
class Looked:
    """What came of all outputs."""

    outputs: int = 0
    words: int = 0
    off_lattice: int = 0
    events: dict[str, tuple[int, int]] = field(factory=dict)
    exponents: dict[str, int] = field(factory=dict)
    violations: dict[str, Diagnostic] = field(factory=dict)

    def violate(self, call: Call, what: str, message: str, note: str) -> None:
        key = f"{what} {call.place}"
        help = "do not run this program on anyone's data"
        self.violations.setdefault(key, Diagnostic(VIOLATION, message, call.site.span, notes=(note,), help=help))


def look(sites: Sequence[Call], size: int, seed: int) -> Looked:
    """Look at the bits of the mechanisms that add noise to real numbers."""
    found = Looked()
    look_at_words(found)
    for at, call in enumerate(sites):
        if call.site.atom.mechanism in ADDITIVE:
            count = size if call.site.atom.mechanism in ("laplace", "gauss") else max(200, size // 100)
            one(found, call, count, InsecureBits(seed + at))
    return found


def one(found: Looked, call: Call, count: int, bits: Bits) -> None:
    sensitivity = call.kinds.above(call.site.sensitivity, None)
    exponent, ratio = declared(call, sensitivity)
    whole = row_of(call.site.atom.mechanism).is_whole
    unit = float(max(Fraction(1), Fraction(round(sensitivity)))) if whole else float(sensitivity)
    inputs = (0.0, unit) if whole else (0.0, unit, unit / 3, unit * 2.0**40)
    try:
        drawn = [outputs(call, value, count, bits) for value in inputs]
    except DuetError:
        return
    except (AssertionError, ArithmeticError, ValueError, TypeError):
        # The layer of the samplers reports a mechanism that cannot draw.
        return
    found.exponents[call.place] = exponent
    for value, each in zip(inputs, drawn, strict=True):
        off = int((~on_lattice(each, exponent)).sum())
        found.outputs += count
        found.off_lattice += off
        if off:
            message = f"{call.place} releases numbers that are not multiples of 2^{exponent}"
            found.violate(
                call, "lattice", message, f"{off} of {count} from an input of {value:.4g}: their bits reveal it"
            )
    step = 2.0**-53 * 2.0 ** np.floor(np.log2(unit))
    hits = [int(((np.abs(y) < unit / 2) & (np.fmod(y, step) != 0)).sum()) for y in drawn[:2]]
    found.events[call.place] = (hits[0], hits[1])
    # Noise far below its sensitivity tells 0 from 1 by itself, as its price says.
    allowed = 2 * np.exp(min(700.0, 2 * max(1.0, ratio)))
    if statistics.at_least(hits[0], count, ALPHA) > allowed * statistics.at_most(hits[1], count, ALPHA):
        message = f"one number of {call.place} may reveal its input"
        found.violate(call, "event", message, f"the event happens {hits[0]} times for 0 and {hits[1]} times for 1")
    if not whole:
        for each in drawn:
            last_bits(found, call, each, exponent)


def declared(call: Call, sensitivity: Fraction) -> tuple[int, float]:
    """The lattice, as the exponent of its step, and the sensitivity in units of the noise's scale."""
    raised = sensitivity * MARGIN
    try:
        scale = noise_scale(call.site.atom, raised, call.kinds.numbers)
        ratio = float(raised / scale)
        return (0 if row_of(call.site.atom.mechanism).is_whole else choose_granularity(raised, scale)), ratio
    except (ValueError, OverflowError):
        return 0, math.inf


def outputs(call: Call, value: float, count: int, bits: Bits) -> Doubles:
    given = MatrixValue(count, plain(np.asfortranarray(np.full((count, 1), value))))
    out = mechanisms.noisy(given, call.site, call.kinds, Randomness(bits))
    assert isinstance(out, MatrixValue)
    doubles = numbers_of(out).doubles
    assert doubles is not None
    return np.asarray(doubles.ravel())


def on_lattice(values: Doubles, exponent: int) -> NDArray[np.bool_]:
    """Whether doubles are whole numbers of steps; beyond 2^53 steps every double is."""
    with np.errstate(all="ignore"):
        steps = np.ldexp(values, -exponent)
        return np.asarray(np.isfinite(steps) & (np.rint(steps) == steps))


def last_bits(found: Looked, call: Call, values: Doubles, exponent: int) -> None:
    """The remainders of the steps are uniform where the noise is many steps wide."""
    steps = np.ldexp(values, -exponent)
    small = steps[np.abs(steps) < 2.0**52].astype(np.int64)
    if len(small) < 200 or np.subtract(*np.percentile(small, [75, 25])) < 2.0**20:
        return
    for modulus in MODULI:
        counts = np.bincount(small % modulus, minlength=modulus)
        p = statistics.chi_square(counts, np.full(modulus, 1 / modulus))
        if p < ALPHA:
            found.violate(call, "last", f"the last bits of {call.place} are not fair", f"chi-square: p = {p:.2g}")


def look_at_words(found: Looked) -> None:
    """The words that a run with secure noise asks for: none comes twice, and their bits are fair."""
    words = np.concatenate([bits_of_runs().uint64(WORDS // 8) for _ in range(8)])
    found.words = len(words)
    ones = ((words[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).sum(axis=0).tolist()
    unfair = min(statistics.coin(int(each), len(words), 0.5) for each in (*ones,)) < WORDS_ALPHA
    again = len(words) - len(np.unique(words))
    if unfair or again:
        message = "the random bits of a run are not random"
        note = f"of {len(words)} words {again} were repeated" + ("; some bit favours one side" if unfair else "")
        help = "do not run any program on anyone's data"
        found.violations.setdefault("words", Diagnostic(VIOLATION, message, notes=(note,), help=help))


def bits_of_runs() -> Bits:
    """Where a run without options has its randomness from."""
    bits = run.bits_of(None)
    assert bits is not None
    return bits


def layer(found: Looked) -> Layer:
    lattices = ", ".join(f"{place}: 2^{exponent}" for place, exponent in found.exponents.items())
    events = "; ".join(f"{a} and {b} times" for a, b in found.events.values())
    return Layer(
        "bits",
        f"{found.outputs} outputs ({lattices or 'no noise is added'}), {found.off_lattice} off the grid"
        + (f"; the one-number event for 0 and 1: {events}" if events else "")
        + f"; {found.words} words of secure randomness",
        (
            "any number off the declared grid; a last bit that favours one side by more than some hundredths; "
            if found.outputs
            else ""
        )
        + "words that repeat themselves",
        {
            "outputs": found.outputs,
            "words": found.words,
            "off_lattice": found.off_lattice,
            "exponents": dict(found.exponents),
            "events": {place: list(counts) for place, counts in found.events.items()},
        },
        tuple(found.violations.values()),
    )
