"""The error bounds of a composition: transforms are as wrong as they may be, and exponents lose their last digits."""

import math

import numpy as np
import pytest
from scipy import fft

from duetpy.accounting.arrays import Array
from duetpy.accounting.pld import pld
from duetpy.accounting.pld.grid import Masses
from duetpy.accounting.pld.tilt import Moments, Part, Parts, Window
from duetpy.accounting.rounding import UNIT_ROUNDOFF

STEP, TILT = 0.25, 0.5


def parts_of(*each: tuple[int, list[float], int], step: float = STEP) -> Parts:
    """Masses from a first place on, so many times."""
    masses = [(Masses(first, np.array(mass), 0.0), count) for first, mass, count in each]
    return Parts.of([Part(own, count, Moments.of(own, step)) for own, count in masses])


def exact_masses(parts: Parts) -> dict[int, float]:
    """The composition term by term, near 0: all terms are positive, so that doubles keep nearly all digits."""
    found = np.zeros(513)
    found[256] = 1.0
    for part in parts.each:
        for _ in range(part.count):
            found = sum(mass * np.roll(found, part.masses.first + at) for at, mass in enumerate(part.masses.mass))
    return {place - 256: float(mass) for place, mass in enumerate(found)}


def full_norm(half: pld.Spectrum) -> float:
    """The norm of a spectrum of even size, of which a half is given."""
    squares = np.abs(half) ** 2
    return math.sqrt(float(2.0 * squares.sum() - squares[0] - squares[-1]))


@pytest.mark.parametrize(("place", "counts", "size"), [(-3, (400, 250), 256), (3, (400, 250), 256), (2, (1, 1), 4096)])
def test_what_transforms_and_powers_may_lose_is_made_up_for(
    place: int, counts: tuple[int, int], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every transform errs by all that the theorem allows, and every product by √5 units, such that one cell loses the most.

    Of many copies the errors of their spectra and powers are larger than that of the way back, of two on a long grid they are not.
    """
    parts = parts_of((-1, [2e-6, 1 - 5e-6, 3e-6], counts[0]), (-1, [1e-6, 1 - 3e-6, 2e-6], counts[1]))
    window = Window(-size // 2, size, 0.0)
    truth = exact_masses(parts)[place]
    ahead, back = fft.rfft, fft.irfft
    allowed = pld._transform_error(size)
    spectra: list[pld.Spectrum] = []

    def noted(values: Array) -> pld.Spectrum:
        spectra.append(np.asarray(ahead(values)))
        return spectra[-1]

    monkeypatch.setattr(fft, "rfft", noted)
    pld.compose(parts, STEP, TILT, window)
    total = np.prod([spectrum**count for spectrum, count in zip(spectra, counts, strict=True)], axis=0)
    # All spectra begin at the first place of their part, so that the cell is found from the first place of all together.
    cell = (place + sum(counts)) % size
    turned = total * np.exp(2j * np.pi * cell * np.arange(len(total)) / size)
    waiting = list(spectra)

    def wrong(values: Array) -> pld.Spectrum:
        spectrum = waiting.pop(0)
        rest = turned / spectrum
        return np.asarray(spectrum - allowed * full_norm(spectrum) / full_norm(rest) * rest.conj())

    def wrong_power(base: pld.Spectrum, exponent: int) -> pld.Spectrum:
        lost = math.sqrt(5.0) * UNIT_ROUNDOFF * exponent
        return np.asarray(base**exponent * (1.0 - lost * np.exp(-1j * np.angle(turned))))

    def wrong_back(spectrum: pld.Spectrum, length: int) -> Array:
        result = np.asarray(back(spectrum, length))
        result[cell] -= allowed * math.sqrt(float(result @ result))
        return result

    right = math.exp(pld.compose(parts, STEP, TILT, window).logs[place - window.first])
    monkeypatch.setattr(fft, "rfft", wrong)
    monkeypatch.setattr(pld, "_power", wrong_power)
    monkeypatch.setattr(fft, "irfft", wrong_back)
    found = math.exp(pld.compose(parts, STEP, TILT, window).logs[place - window.first])
    assert truth < found < right
    assert right < truth * 1.2


@pytest.mark.parametrize("place", [-9001, 7333, 40_961])
def test_what_the_exponents_lose_is_made_up_for(place: int) -> None:
    """All mass in one place, which a steep tilt lifts by a factor of e^10000 and more: taken off again, it is 1 and no less."""
    for tilt in (12.34567, 31.4159, 47.11):
        for count in (3, 7):
            found = pld.compose(parts_of((place, [1.0], count)), STEP, tilt, Window(count * place - 2, 8, 0.0))
            assert 0.0 <= found.logs[2] < 1e-7
