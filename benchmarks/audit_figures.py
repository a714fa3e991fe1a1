"""Figures of the audit, the samplers and the runtime, each with its goal.

    python -m benchmarks.audit_figures [SECTION …]          (make audit-figures)

All sections if none is named. Each prints the command that measures it again, and its figures with their goals; `power`
and `planted` take minutes. Times are of this machine, and of one run.
"""

from __future__ import annotations

import argparse
import math
import random
import resource
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from duetpy.audit import laws
from duetpy.audit.attack import attack
from duetpy.audit.cases import subject_of
from duetpy.audit.replay import replay
from duetpy.audit.samplers import ALPHA, continuous
from duetpy.program import parse
from duetpy.runtime.exact.rationals import plain, total
from duetpy.runtime.noise.continuous import gaussian, gaussian_steps, laplace, laplace_steps
from duetpy.runtime.noise.random_bits import InsecureBits, SecureBits
from tests.audit.broken import programs
from tests.audit.broken.planted import PLANTED
from tests.audit.broken.table import audited, found_by

MILLION = 10**6
FINE = -30


def say(figure: str, measured: str, goal: str, is_reached: bool) -> None:
    print(f"{figure:<4} {measured:<92} goal: {goal:<42} {'reached' if is_reached else 'MISSED'}", flush=True)


def noise() -> None:
    """G2, G3: the speed of exact noise."""
    zeros = np.zeros(MILLION, dtype=np.int64)
    for name, draw in (("Laplace", laplace), ("Gaussian", gaussian)):
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            draw(zeros, Fraction(1), FINE, SecureBits())
            times.append(time.perf_counter() - begin)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        say(
            "G2",
            f"1e6 {name} values in {min(times):.3f} s, process peak {peak:.0f} MB",
            "0.5 s, 200 MB",
            min(times) <= 0.5 and peak <= 200,
        )
    one = np.zeros(1, dtype=np.int64)
    for name, draw in (("Laplace", laplace), ("Gaussian", gaussian)):
        batches = []
        for _ in range(40):
            begin = time.process_time_ns()
            for _ in range(500):
                draw(one, Fraction(1), FINE, SecureBits())
            batches.append((time.process_time_ns() - begin) / 500 / 1e3)
        best, middle = min(batches), sorted(batches)[20]
        say(
            "G3",
            f"one {name} value in {best:.1f} µs of this process (best of 40 batches; median {middle:.1f} µs)",
            "50 µs",
            best <= 50,
        )


def bits() -> None:
    """G1: the one-number event, and the lattice."""
    for name, draw in (("Laplace", laplace), ("Gaussian", gaussian)):
        hits = []
        off = 0
        for at in (0, 1):
            steps = np.full(MILLION, at << 30, dtype=np.int64)
            values = draw(steps, Fraction(1), FINE, InsecureBits(at))
            hits.append(int(((np.abs(values) < 0.5) & (np.fmod(values, 2.0**-53) != 0)).sum()))
            off += int((np.rint(np.ldexp(values, 30)) != np.ldexp(values, 30)).sum())
        say(
            "G1",
            f"{name}: the event {hits[0]} and {hits[1]} times in 1e6, {off} of 2e6 off the lattice",
            "ratio ≤ e, 0 off",
            off == 0 and hits[0] <= math.e * max(hits[1], 1),
        )


def samplers() -> None:
    """G5: the tests at a million values."""
    for name, draw, law in (
        ("Laplace", laplace_steps, (laws.laplace_below, 1.0, 2.0, 6.0)),
        ("Gaussian", gaussian_steps, (laws.gaussian_below, 2.0, 1.0, 3.0)),
    ):
        values = draw(MILLION, Fraction(1), FINE, InsecureBits(5)) * 2.0**FINE
        p = [min(continuous(values * slip, *law).values()) for slip in (1.0, 0.99, 1.01)]
        say(
            "G5",
            f"{name}: least p {p[0]:.2g}; scale ×0.99: {p[1]:.1g}, ×1.01: {p[2]:.1g}",
            "only the wrong ones < 1e-6",
            p[0] > ALPHA > max(p[1:]),
        )


def sums() -> None:
    """G7: sums of adversarial doubles, against fractions."""
    source = random.Random(3)
    cells = [0.0, 1.0, -1.0, 2.0**53, 1e16, -1e16, 0.1, 2.0**-53, 1e300, -1e300, 1 + 2.0**-52]
    wrong = 0
    for _ in range(100_000):
        row = [source.choice(cells) for _ in range(source.randrange(1, 9))]
        wrong += total(plain(np.array(row))) != sum(map(Fraction, row), Fraction(0))
    say("G7", f"{wrong} of 100,000 sums of adversarial cells differ from the exact sum", "0", wrong == 0)


def pairs() -> None:
    """G13: how long a thousand pairs take."""
    for text, notion in ((programs.SUM, "eps"), (programs.TWICE, "eps"), (programs.PARTS, "eps")):
        typed = parse(text, notion).typed
        assert typed is not None
        begin, spent = time.perf_counter(), time.process_time()
        found = replay(subject_of(typed, {}), 1000, 1)
        taken, spent = time.perf_counter() - begin, time.process_time() - spent
        say(
            "G13",
            f"{found.pairs} pairs in {taken:.1f} s ({spent:.1f} s of this process), violations: {len(found.violations)}",
            "10 s",
            spent <= 10,
        )


def power() -> None:
    """G14: nine tenths of the scale, and false alarms, by the tests of samples at 1e6; and false alarms of whole audits."""
    law = (laws.laplace_below, 1.0, 2.0, 6.0)
    caught = alarms = 0
    for seed in range(40):
        values = laplace_steps(MILLION, Fraction(1), FINE, InsecureBits(seed)) * 2.0**FINE
        alarms += min(continuous(values, *law).values()) < ALPHA
        caught += min(continuous(values * 0.9, *law).values()) < ALPHA
    say(
        "G14",
        f"scale ×0.9 seen {caught} of 40 times, {alarms} false alarms in 40 samples of 1e6",
        "≥ 95 %, ≤ 1 %",
        caught >= 38 and not alarms,
    )
    typed = parse(programs.SUM, "eps").typed
    assert typed is not None
    false = sum(bool(attack(typed, {}, 30, seed).violations) for seed in range(40))
    say("G14", f"{false} false alarms in 40 whole audits of a sound program", "≤ 1 %", false == 0)


def planted() -> None:
    """G15: the planted faults."""
    missed = [broken.name for broken in PLANTED if not found_by(audited(broken))]
    say(
        "G15",
        f"{len(PLANTED) - len(missed)} of {len(PLANTED)} planted faults found {missed or ''}",
        "12 of 12",
        not missed,
    )


SECTIONS: dict[str, Callable[[], None]] = {
    "noise": noise,
    "bits": bits,
    "samplers": samplers,
    "sums": sums,
    "replay": pairs,
    "power": power,
    "planted": planted,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.audit_figures",
        description="Figures of the audit, the samplers and the runtime, each with its goal.",
        epilog="; ".join(f"{name} is {(measure.__doc__ or name).rstrip('.')}" for name, measure in SECTIONS.items()),
    )
    parser.add_argument(
        "sections", metavar="SECTION", nargs="*", help=f"{', '.join(SECTIONS)}; all where none is named"
    )
    given = parser.parse_args()
    for name in given.sections:
        if name not in SECTIONS:
            parser.error(f"there is no section {name}")
    for name in given.sections or SECTIONS:
        print(f"     python -m benchmarks.audit_figures {name}")
        SECTIONS[name]()


if __name__ == "__main__":
    main()
