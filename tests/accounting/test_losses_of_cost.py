"""From terms to losses: what a loss says of each constructor, by formulas and by the curves of the trusted costs."""

import math
import warnings
from collections.abc import Iterator
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from duetpy.accounting.certify import tight
from duetpy.accounting.losses import subsampling
from duetpy.accounting.losses.losses import GaussianLoss, KaryLoss, LaplaceLoss, LeakyLoss, Loss, ResponseLoss
from duetpy.accounting.losses.sampled import FixedLoss, PoissonLoss
from duetpy.accounting.losses_of_cost import SUMMED, composition, runs_in_a_group, total_leak
from duetpy.typecheck.cost import (
    Atom,
    Choice,
    Converted,
    Cost,
    Group,
    NonPrivate,
    Repeat,
    Sampled,
    Seq,
    Shuffled,
    Together,
    Zero,
)
from duetpy.typecheck.notions import Notion
from tests.accounting.exact_losses import gaussian_delta
from tests.accounting.terms import exponential, gauss, given, laplace, of, repeated, response


def only(cost: Cost) -> Loss:
    ((loss, count),) = composition(cost, {})
    assert count == 1
    return loss


def leaks(cost: Cost) -> bool:
    """Whether the input lies open."""
    loss = only(cost)
    return loss.leak == 1.0 or float(loss.profile(np.array([700.0]))[0]) >= 1.0


def test_the_curve_of_a_trusted_cost_is_what_is_trusted() -> None:
    rho = only(given(Notion.ZCDP, "0.5"))
    below = only(given(Notion.TCDP, "0.5", 4))
    at = only(given(Notion.RENYI, 4, "0.5"))
    for alpha in (1.25, 2.0, 3.75):
        assert rho.renyi(alpha) == below.renyi(alpha) == pytest.approx(0.5 * alpha, rel=1e-9)
        assert at.renyi(alpha) == pytest.approx(0.5, rel=1e-9)
    assert rho.renyi(40.0) == pytest.approx(20.0, rel=1e-9)
    for loss in (below, at):
        assert loss.renyi(4.25) == math.inf
    assert rho.pure == below.pure == at.pure == math.inf


@pytest.mark.parametrize(("alpha", "eps"), [("2", "5"), ("5", "2"), ("32", "0.5")])
def test_a_trusted_order_is_converted_by_its_formula(alpha: str, eps: str) -> None:
    """ε + log(1 − 1/α) − log(δα)/(α − 1) (Canonne, Kamath & Steinke 2020, Proposition 12)."""
    order, delta = mp.mpf(alpha), mp.mpf("1e-6")
    truth = mp.mpf(eps) + mp.log(1 - 1 / order) - mp.log(delta * order) / (order - 1)
    found = tight(given(Notion.RENYI, alpha, eps), {}, Fraction(1, 10**6)).epsilon
    assert truth * (1 - 1e-15) <= found <= truth * (1 + 1e-6)


@pytest.mark.parametrize(
    "cost",
    [
        NonPrivate("printed"),
        given(Notion.RENYI, 1, "0.5"),
        given(Notion.TCDP, "0.5", 1),
        given(Notion.RAO, "0.5"),
        given(Notion.PURE, Fraction(10) ** 101),
        given(Notion.ZCDP, Fraction(10) ** 101),
        given(Notion.GDP, Fraction(10) ** 101),
        given(Notion.RENYI, 2, Fraction(10) ** 101),
        given(Notion.APPROX, "0.5", 1),
        laplace(Fraction(10) ** 101),
        gauss(Notion.GDP, Fraction(10) ** 101),
        gauss(Notion.APPROX, 1, 2),
        repeated(10**101, laplace("0.5")),
        Group(of(10**101), laplace("0.5")),
        Sampled("sample", of("1.5"), laplace("0.5")),
        Sampled("poisson", of("1.5"), laplace("0.5")),
    ],
    ids=repr,
)
def test_what_protects_nothing_leaks_everything(cost: Cost) -> None:
    assert leaks(cost)
    assert tight(cost, {}, Fraction(1, 100)).epsilon >= 1e100
    assert tight(Seq((laplace("0.5"), cost)), {}, Fraction(1, 100)).epsilon >= 1e100


def test_nothing_is_no_loss() -> None:
    assert composition(Zero(), {}) == ()
    assert tight(Zero(), {}).epsilon == 0.0


def test_sampling_is_by_its_scheme_and_its_rate() -> None:
    base = laplace("0.5")
    without, by_chance = (only(Sampled(scheme, of("0.25"), base)) for scheme in ("sample", "poisson"))
    assert isinstance(without, FixedLoss)
    assert isinstance(by_chance, PoissonLoss)
    for loss in (without, by_chance):
        assert loss.pure == pytest.approx(math.log1p(0.25 * math.expm1(0.5)), rel=1e-9)
    for scheme in ("sample", "poisson"):
        assert only(Sampled(scheme, of(1), base)).pure == 0.5
        assert composition(Sampled(scheme, of(0), base), {}) == ()


def test_parts_of_a_sequence_and_turns_of_a_loop_are_all_counted() -> None:
    noise = laplace("0.5")
    cost = Seq(
        (noise, repeated(3, Seq((noise, gauss(Notion.GDP, "0.25"), noise))), Converted(Notion.PURE, None, noise))
    )
    found = {type(loss): (loss, count) for loss, count in composition(cost, {})}
    assert found[LaplaceLoss] == (LaplaceLoss(0.5), 8)
    gaussian, count = found[GaussianLoss]
    assert isinstance(gaussian, GaussianLoss)
    assert gaussian.mu * math.sqrt(count) == pytest.approx(0.25 * math.sqrt(3), rel=1e-12)
    assert len(found) == 2
    assert dict(composition(repeated(2, given(Notion.APPROX, "0.5", "0.125")), {})) == {
        LeakyLoss(0.125, ResponseLoss(0.5)): 2
    }


@pytest.mark.parametrize("wrap", [Together, Choice])
def test_inputs_moved_together_add_up_and_of_branches_the_larger_counts(wrap: type[Together] | type[Choice]) -> None:
    small, large = laplace("0.25"), laplace("0.5")
    gaussians = (gauss(Notion.GDP, "0.25"), gauss(Notion.GDP, "0.5"))
    for parts in ((small, large), (large, small)):
        wanted = 0.75 if wrap is Together else 0.5
        assert tight(wrap(parts), {}, 0).epsilon == pytest.approx(wanted, rel=1e-12)
        assert tight(wrap(parts), {}, 0).epsilon >= wanted
    for moved in (gaussians, gaussians[::-1]):
        mu = 0.75 if wrap is Together else 0.5
        eps = tight(wrap(moved), {}, Fraction(1, 10**5)).epsilon
        assert gaussian_delta(eps, mu) <= 1e-5
        assert gaussian_delta(eps * 0.99, mu) > 1e-5


def test_a_group_moves_by_whole_steps() -> None:
    for size, steps in (("1", 1), ("2", 2), ("2.5", 3)):
        eps = tight(Group(of(size), gauss(Notion.GDP, "0.25")), {}, Fraction(1, 10**5)).epsilon
        assert gaussian_delta(eps, 0.25 * steps) <= 1e-5
        assert gaussian_delta(eps * 0.99, 0.25 * steps) > 1e-5
        assert tight(Group(of(size), laplace("0.25")), {}, 0).epsilon == pytest.approx(0.25 * steps, rel=1e-12)


def test_leaks_add_up_to_the_chance_of_one() -> None:
    leak = LeakyLoss(0.125, ResponseLoss(0.5))
    for count in (1, 2, 30):
        truth = 1 - mp.mpf("0.875") ** count
        found = total_leak(((leak, count), (ResponseLoss(1.0), 5)))
        assert truth <= found <= truth * (1 + mp.mpf("1e-12"))
    assert total_leak(((ResponseLoss(1.0), 5),)) == 0.0
    assert total_leak(((LeakyLoss(1.0, ResponseLoss(0.0)), 1),)) >= 1.0 - 2.0**-50


NOTHING_KNOWN = Group(of(2), given(Notion.RENYI, 2, "0.2"))
HARDLY_ANYTHING_KNOWN = given(Notion.RENYI, "1.001", "0.2")


@pytest.mark.parametrize("form", ["sample", "poisson", "choice", "group", "together"])
@pytest.mark.parametrize(
    ("unknown", "least"),
    [(NOTHING_KNOWN, math.inf), (HARDLY_ANYTHING_KNOWN, 1000.0)],
    ids=["nothing", "hardly anything"],
)
def test_what_is_known_at_no_order_stands_beside_others(unknown: Cost, least: float, form: str) -> None:
    """The two have no place on one grid; a table of their composition ended with an exception, or was not a number."""
    both = Seq((laplace(1), unknown))
    other = gauss(Notion.ZCDP, "0.005")
    cost: Cost = {
        "sample": Sampled("sample", of("0.5"), both),
        "poisson": Sampled("poisson", of("0.5"), both),
        "choice": Choice((both, other)),
        "group": Group(of(2), Choice((both, other))),
        "together": Together((both, other)),
    }[form]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for delta in (1e-6, 0.01, 0.2):
            found = tight(cost, {}, delta)
            assert found.epsilon >= least
            assert found.kind == "upper"


def sums(total: int, most: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a sum of numbers up to `most`, the largest first."""
    if total == 0:
        yield ()
    for first in range(min(total, most), 0, -1):
        yield from ((first, *rest) for rest in sums(total - first, first))


def bins(steps: tuple[int, ...], room: int) -> int:
    """In how many bins some runs fit, each with the number of steps that move it."""
    filled: list[int] = []
    for each in steps:
        at = next((at for at, inside in enumerate(filled) if inside + each <= room), len(filled))
        filled[at:] = [each + sum(filled[at : at + 1]), *filled[at + 1 :]]
    return len(filled)


@pytest.mark.parametrize(("runs", "most"), [(1, 8), (2, 8), (3, 7), (4, 5), (5, 4)])
def test_runs_apart_fit_into_as_many_groups_as_are_charged(runs: int, most: int) -> None:
    for steps in range(1, most + 1):
        assert runs_in_a_group(runs, steps) == max(bins(each, steps) for each in sums(runs * steps, steps))
    assert runs_in_a_group(runs, 10**300) <= 2 * runs - 1


def test_runs_on_parts_are_charged_as_more_groups_than_runs_in_sequence() -> None:
    once = laplace("0.5")
    two, apart = Repeat(of(2), once), Repeat(of(2), once, apart=True)

    def copies(cost: Cost) -> int:
        ((_, number),) = composition(cost, {})
        return number

    assert copies(apart) == copies(two) == copies(Group(of(2), apart)) == copies(Group(of(3), two)) == 2
    assert copies(Group(of(3), apart)) == copies(Group(of(3), Converted(Notion.PURE, None, apart))) == 3
    assert copies(Group(of(3), Repeat(of(2), apart))) == 6
    # Steps of steps: four runs, of which six steps move six groups and two steps four.
    four = Repeat(of(4), once, apart=True)
    assert copies(Group(of(2), four)) == 4
    assert (
        copies(Group(of(3), Group(of(2), four)))
        == copies(Group(of(2), Group(of(3), four)))
        == copies(Group(of(6), four))
        == 6
    )
    assert only(Group(of(3), Choice((apart, Seq((apart, once)))))).pure == pytest.approx(4 * 3 * 0.5)
    # Of Gaussian noise the squares of the steps count.
    shift = only(Group(of(3), Repeat(of(2), gauss(Notion.GDP, 1), apart=True)))
    assert isinstance(shift, GaussianLoss)
    assert shift.mu == pytest.approx(3 * math.sqrt(2))


def nested(layers: int, scheme: str = "poisson") -> Cost:
    """Noise at each of so many samples, each drawn from the rows of the one before."""
    cost: Cost = gauss(Notion.APPROX, "0.5", "1e-6")
    for _ in range(layers):
        cost = Sampled(scheme, of("0.5"), Seq((gauss(Notion.APPROX, "0.5", "1e-6"), cost)))
    return cost


def test_samples_of_samples_take_no_more_than_a_few_sums_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """A curve at one order asks for all orders of the curve inside: without an end to that, each layer doubles the sums."""
    sums = 0
    right = subsampling.log_binomials

    def counted(order: int, first: int) -> np.ndarray:
        nonlocal sums
        sums += 1
        assert sums < 200_000, "the curves do not end"
        return right(order, first)

    monkeypatch.setattr(subsampling, "log_binomials", counted)
    found = tight(nested(20), {}, Fraction(1, 10**5))
    assert found.epsilon < tight(gauss(Notion.APPROX, "0.5", "1e-6"), {}, Fraction(1, 10**5)).epsilon
    assert sums > 0


def test_a_deep_sample_loses_no_less_than_is_known_of_a_shallow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its curve is that of the pure ε or of what is drawn from; with its own sums it would be no higher."""
    # Samples of eight layers without replacement take long.
    for scheme, kind, layers in (("poisson", PoissonLoss, SUMMED), ("sample", FixedLoss, 3)):
        monkeypatch.setattr("duetpy.accounting.losses_of_cost.SUMMED", layers)
        deep = only(nested(layers + 1, scheme))
        assert isinstance(deep, kind)
        assert deep.is_deep
        own = kind(deep.rate, deep.base)
        assert not own.is_deep
        for alpha in (1.5, 2.0, 7.0):
            assert own.renyi(alpha) <= deep.renyi(alpha)
        inside = deep.base
        assert deep.renyi(2.0) <= inside.renyi(2.0)


MECHANISMS = {
    "laplace": laplace(1),
    "exponential": exponential(1),
    "rand-resp": response(1, 3),
    "dlaplace": Atom("dlaplace", (of(1),), steps=3),
    "gauss": gauss(Notion.GDP, 1),
}


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("wrap", [Group, Repeat])
def test_steps_and_copies_beyond_all_doubles_leave_no_guarantee(wrap: type[Group | Repeat], mechanism: str) -> None:
    """Each number alone is a double; their product is larger than any."""
    cost: Cost = MECHANISMS[mechanism]
    for _ in range(4):
        cost = wrap(of(10**99), cost)
    drawn = Group(of(3), Sampled("poisson", of(Fraction(1, 100)), cost))
    assert tight(cost, {}, 1e-6).epsilon == tight(drawn, {}, 1e-6).epsilon == math.inf


def test_a_group_of_samples_of_a_change_that_has_no_square_has_no_guarantee() -> None:
    moved = Group(of(10**99), gauss(Notion.GDP, 10**60))
    assert tight(Group(of(3), Sampled("poisson", of(Fraction(1, 100)), moved)), {}, 1e-6).epsilon == math.inf


def test_of_a_share_of_a_report_or_an_answer_the_smaller_number_counts() -> None:
    """Fewer reports hide less, and of fewer answers each tells more."""
    report = laplace("1")
    for size, whole in (("400.5", "400"), ("400.999", "400")):
        found = only(Shuffled(of(size), report))
        assert found.profile(np.array([0.3]))[0] == only(Shuffled(of(whole), report)).profile(np.array([0.3]))[0]
    assert only(Atom("rand-resp", (of("3.5"), of(1)))) == KaryLoss(1.0, 3)
    assert only(Atom("rand-resp", (of("3"), of(1)))) == KaryLoss(1.0, 3)
