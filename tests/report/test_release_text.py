from collections.abc import Mapping
from typing import Any

import pytest

from duetpy.report.displays import ReleaseDisplay
from duetpy.report.release_text import INSECURE, privacy_text, releases_text, value_text
from duetpy.report.warnings import warnings_text
from duetpy.runtime.release.release import Paid, Release
from duetpy.typecheck.cost import ZERO_COST
from duetpy.typecheck.neighbours import REPLACE, STEP


@pytest.mark.parametrize(
    ("result", "error", "text"),
    [
        (53.8123, 0.5991, "53.81   ± 0.6 (95 %)\n"),
        (53.8123, 149.8, "54   ± 150 (95 %)\n"),
        (53.8123, 0.00123, "53.8123   ± 0.0013 (95 %)\n"),
        (1234567.0, 99.1, "1234567   ± 100 (95 %)\n"),
        (-0.4, 29.9, "0   ± 30 (95 %)\n"),
        (428.0, 3.0, "428   ± 3 (95 %)\n"),
        (-0.0, 3.0, "0   ± 3 (95 %)\n"),
        (428.0, 2.9, "428.0   ± 2.9 (95 %)\n"),
        (0.0, 3.00000000005, "0.0   ± 3.1 (95 %)\n"),
        (0.0, 0.6, "0.00   ± 0.6 (95 %)\n"),
        (3.24202e-16, 3e-16, "0.00000000000000032   ± 3e-16 (95 %)\n"),
        (3.24202e-18, 3e-18, "3.2e-18   ± 3e-18 (95 %)\n"),
        (-4.13259e-26, 3e-28, "-4.133e-26   ± 3e-28 (95 %)\n"),
        (-4e-300, 3e-200, "0   ± 3e-200 (95 %)\n"),
        (0.0, 5e-324, "0   ± 5e-324 (95 %)\n"),
        (428.0, None, "428\n"),
        (3, None, "3\n"),
        (0.1, None, "0.1\n"),
        (True, None, "true\n"),
        ("a\nb", None, '"a\\nb"\n'),
        ((1.0, [1.0]), None, "[1.0, [1.0]]\n"),
        ([1.0, 2.0], None, "[1.0, 2.0]\n"),
        ([], None, "[]\n"),
    ],
)
def test_results(result: object, error: float | None, text: str) -> None:
    assert value_text(result, error) == text


def release(**changes: object) -> Release:
    fields: dict[str, object] = {
        "program": "x.eps.duet",
        "result": 1.0,
        "privacy": {
            "unit": "one row of x.csv",
            "neighbours": "replace-one",
            "parameters": [{"name": "xs", "value": {"epsilon": 0.3}, "tight": {"epsilon": 0.3, "delta": 1e-6}}],
            "total": {"notion": "eps", "epsilon": 0.3},
            "tight": {"epsilon": 0.3, "delta": 1e-6},
        },
        "releases": [
            {"mechanism": "laplace", "line": 3, "count": 1200, "sensitivity": 1.0, "scale": 2.0, "error95": 5.99151}
        ],
        "data": {"xs": {"rows": 1000, "columns": 1, "bad_rows": "refused"}},
        "noise": "secure",
        "seconds": 0.1,
    }
    return Release(**(fields | changes))


def test_whom_a_release_protects() -> None:
    assert privacy_text(release()) == (
        "Privacy: one row of x.csv (1,000 rows, public) is protected with ε = 0.3 (pure; replace one row).\n"
    )


def test_a_private_number_of_rows_is_not_told() -> None:
    data = {"xs": {"rows": None, "columns": 1, "bad_rows": "refused"}}
    assert "(the number of rows is private)" in privacy_text(release(data=data))


def test_one_row_is_one() -> None:
    data = {"xs": {"rows": 1, "columns": 1, "bad_rows": "refused"}}
    assert "(1 row, public)" in privacy_text(release(data=data))


def test_several_costs_are_told_one_by_one() -> None:
    parameters = [
        {"name": "xs", "value": {"epsilon": 0.1}, "tight": {"epsilon": 0.1, "delta": 1e-6}},
        {"name": "ys", "value": {"epsilon": 0.2}, "tight": {"epsilon": 0.15, "delta": 1e-6}},
    ]
    privacy = release().privacy | {"parameters": parameters}
    assert privacy_text(release(privacy=privacy)).endswith(
        "  xs: ε = 0.1\n  ys: ε = 0.15, δ = 1e-6 (certified); cost ε = 0.2\n"
    )


def priced(notion: str, value: dict[str, float], tight: dict[str, float | None]) -> str:
    parameters = [{"name": name, "value": value, "tight": tight} for name in ("xs", "ys")]
    own = {"parameters": parameters, "total": {"notion": notion} | value, "tight": tight}
    return privacy_text(release(privacy=release().privacy | own))


def test_one_person_behind_several_inputs_is_told_what_all_of_them_are_worth() -> None:
    parameters = [{"name": name, "value": {"rho": 0.5}, "tight": {"epsilon": 1.0, "delta": 1e-6}} for name in "xy"]
    own = {"parameters": parameters, "total": {"notion": "zcdp", "rho": 2.0}, "tight": {"epsilon": 2.0, "delta": 1e-6}}
    text = privacy_text(release(privacy=release().privacy | own))
    assert text.endswith(
        "is protected with ε = 2, δ = 1e-6 (certified; replace one row); the program's own cost is ρ = 2 (zCDP).\n"
    )


def warned(total: Mapping[str, Any], tight: Mapping[str, Any], rows: int | None) -> str:
    """What is warned of, whatever else is said."""
    privacy = release().privacy | {"total": total, "tight": tight}
    text = privacy_text(release(privacy=privacy, data={"xs": {"rows": rows, "columns": 1, "bad_rows": "refused"}}))
    return "".join(line for line in text.splitlines(True) if line.startswith("Warning"))


@pytest.mark.parametrize(
    ("delta", "rows", "told"),
    [
        (1e-6, 1000, None),
        (0.000999, 1000, None),
        (0.001, 1000, "is not below 1/1,000; it also allows publishing one of 1,000 rows"),
        (0.02, 1000, "is not below 1/1,000"),
        (1e-6, 1_000_000, "is not below 1/1,000,000"),
        (1e-6, None, None),
        (0.5, None, "publishing all the data in the clear once in 2 runs"),
        (0.00001, None, "publishing all the data in the clear once in 100,000 runs"),
    ],
)
def test_a_delta_that_allows_to_publish_somebody_is_told_of(delta: float, rows: int | None, told: str | None) -> None:
    """A private number of rows is not told by the warning: it follows δ alone."""
    own = {"epsilon": 1.0, "delta": delta}
    text = warned({"notion": "approx", **own}, own, rows)
    assert (text == "") == (told is None)
    assert told is None or told in text


def beside(
    deltas: Mapping[str, float], rows: Mapping[str, int | None], *, near: str = REPLACE, is_one: bool = False
) -> str:
    """What is warned of where several inputs cost a δ each, of the same people or not."""
    each = {name: {"epsilon": 0.5, "delta": delta} for name, delta in deltas.items()}
    most = {"epsilon": 0.5, "delta": sum(deltas.values()) if is_one else max(deltas.values())}
    privacy = {
        "unit": "",
        "neighbours": near,
        "parameters": [{"name": name, "neighbours": near, "value": own, "tight": own} for name, own in each.items()],
        "total": {"notion": "approx", **most},
        "tight": most,
    }
    facts = {name: {"rows": number, "columns": 1, "bad_rows": "refused"} for name, number in rows.items()}
    groups = [tuple(deltas)] if is_one else [(name,) for name in deltas]
    paid = tuple([Paid(names, near, ZERO_COST) for names in groups])
    return warnings_text(release(privacy=privacy, data=facts, paid=paid))


def test_a_delta_is_judged_by_the_rows_of_its_own_input() -> None:
    """Ten rows in one table do not make a δ small for a thousand in another one, whatever either of them costs."""
    told = beside({"xs": 5e-3, "ys": 5e-3}, {"xs": 10, "ys": 1000})
    assert "is not below 1/1,000; it also allows publishing one of 1,000 rows" in told
    assert beside({"xs": 5e-3, "ys": 5e-5}, {"xs": 10, "ys": 1000}) == ""
    assert "δ = 0.0011" in beside({"xs": 0.0006, "ys": 0.0005}, {"xs": 10, "ys": 1000}, is_one=True)
    # What costs nothing has no share in it.
    assert beside({"xs": 5e-3}, {"xs": 10, "ys": 1000}) == ""
    assert "is not below 1/1,000" in beside({"xs": 5e-3}, {"xs": 1000, "ys": 2})
    assert "is not below 1/10,000,000" in beside({"xs": 1e-6, "ys": 1e-6}, {"xs": None, "ys": 10_000_000})


def test_one_of_several_rows_may_not_be_published_where_all_of_them_may_move() -> None:
    """In one step of distance 1 each of many real rows may move by a little."""
    assert "all the data in the clear once in 10 runs" in beside({"xs": 0.1}, {"xs": 1000}, near=STEP)


@pytest.mark.parametrize(
    ("near", "columns", "moved"),
    [
        ("replace-one", 1, "one row"),
        ("add-remove", 1, "one row"),
        ("replace-person", 1, "one person"),
        ("add-remove-person", 1, "one person"),
        ("step", 1, "one step of distance 1"),
        ("step", None, "one step of distance 1"),
        ("replace-one", None, "one change"),
        ("mixed", 1, "one change"),
    ],
)
def test_a_warning_says_what_moves(near: str, columns: int | None, moved: str) -> None:
    """A number has no rows, and a real row may move by many steps."""
    own = {"neighbours": near, "total": {"notion": "eps", "epsilon": 7.0}, "tight": {}}
    facts = {"xs": {"rows": None, "columns": columns, "bad_rows": "refused"}}
    told = warnings_text(release(privacy=release().privacy | own, data=facts))
    assert told.startswith(f"Warning: with ε = 7 {moved} can make a result e^7 times as likely.")


def test_persons_next_to_rows_are_not_counted_as_rows() -> None:
    near = {"p": "replace-person", "ys": "replace-one"}
    own = [{"name": name, "neighbours": each, "value": {"epsilon": 0.3}, "tight": {}} for name, each in near.items()]
    facts = {name: {"rows": 5, "columns": 1, "bad_rows": "refused"} for name in near}
    privacy = release().privacy | {"neighbours": "mixed", "parameters": own}
    assert "5 rows" not in privacy_text(release(privacy=privacy, data=facts))
    hidden = {name: facts[name] | {"rows": None} for name in near}
    assert "(the numbers of rows and persons are private)" in privacy_text(release(privacy=privacy, data=hidden))


@pytest.mark.parametrize(("epsilon", "is_told"), [(5, False), (5.0000001, True), (800.0, True), (None, False)])
def test_an_epsilon_that_protects_little_is_told_of(epsilon: float | None, is_told: bool) -> None:
    """The certified bound is judged, or the cost if nothing was certified."""
    tight = {"epsilon": epsilon, "delta": 1e-6}
    assert ("choose an ε" in warned({"notion": "zcdp", "rho": 0.5}, tight, 9)) == is_told
    assert ("choose an ε" in warned({"notion": "eps", "epsilon": 900.0}, tight, 9)) == (is_told or epsilon is None)
    nothing = {"epsilon": None, "delta": 1e-6}
    assert ("choose an ε" in warned({"notion": "approx", **tight}, nothing, 9)) == is_told
    assert warned({"notion": "renyi", "alpha": 2.0, "epsilon": epsilon}, nothing, 9) == ""


def test_a_cost_is_not_called_weak_where_the_bound_beside_it_is_small() -> None:
    """Added up, 10,000 releases may cost a large ε, of which the accountant certifies a small one."""
    own, tight = {"epsilon": 100.0, "delta": 0.0}, {"epsilon": 4.75, "delta": 1e-6}
    assert warned({"notion": "approx", **own}, tight, 9) == ""
    assert "ε = 5.25 one row" in warned({"notion": "approx", **own}, tight | {"epsilon": 5.25}, 9)


def test_a_warning_is_of_what_protects() -> None:
    """Where the pure ε leads, nothing is left out with any probability; a δ at which a bound is certified may be large itself."""
    for own in ({"notion": "eps", "epsilon": 700.0}, {"notion": "approx", "epsilon": 700.0, "delta": 0.0}):
        assert "with ε = 700 one row" in warned(own, {"epsilon": 699.999, "delta": 1e-6}, 9)
    told = warned({"notion": "eps", "epsilon": 6.0}, {"epsilon": 4.75, "delta": 0.5}, 9)
    assert told.startswith("Warning: δ = 0.5 is not below 1/9; ")


@pytest.mark.parametrize(("order", "worth"), [(4.0, 12.0), (6.0, 4.0)])
def test_an_epsilon_of_renyi_is_no_ratio_of_chances(order: float, worth: float) -> None:
    """What it is worth is; the ε at an order may lie above or below."""
    text = warned({"notion": "renyi", "alpha": 2.0, "epsilon": order}, {"epsilon": worth, "delta": 1e-6}, 9)
    assert ("ε = 12 one row can make a result e^12 times as likely, and by δ = 1e-6 likelier still." in text) == (
        worth > 5
    )
    assert (text == "") == (worth <= 5)


def test_what_a_cost_is_worth_is_told_where_it_says_more() -> None:
    assert priced("zcdp", {"rho": 0.5}, {"epsilon": 4.5, "delta": 1e-6}).endswith(
        " is protected with ε = 4.5, δ = 1e-6 (certified; replace one row); the program's own cost is ρ = 0.5 (zCDP).\n"
    )
    assert (
        "is protected with ε = 0.9, δ = 1e-6 (certified; replace one row); the program's own cost is ε = 1, δ"
        in priced("approx", {"epsilon": 1.0, "delta": 1e-6}, {"epsilon": 0.9, "delta": 1e-6})
    )
    assert "certified" not in priced("approx", {"epsilon": 1.0, "delta": 1e-6}, {"epsilon": 0.99999999, "delta": 1e-6})
    assert "certified" not in priced("renyi", {"alpha": 2.0, "epsilon": 1.0}, {"epsilon": None, "delta": 1e-6})
    assert "is protected with ε = 1, δ = 1e-6 (certified" in priced(
        "renyi", {"alpha": 2.0, "epsilon": 1.0}, {"epsilon": 1.0, "delta": 1e-6}
    )


def test_a_rao_distance_is_called_a_length_and_no_guarantee() -> None:
    text = priced("rao", {"theta": 0.5}, {"epsilon": 2.25, "delta": 1e-6})
    assert "protected with ε = 2.25, δ = 1e-6 (certified; replace one row)" in text
    assert text.endswith("; the program's own cost is θ = 0.5 (a length, not a guarantee by itself).\n")
    alone = priced("rao", {"theta": 0.5}, {"epsilon": None, "delta": 1e-6})
    assert "θ = 0.5 (a length, not a guarantee by itself; replace one row)" in alone
    assert "protected" not in alone


def test_nobody_needs_protection_where_no_data_was_read() -> None:
    privacy = {"unit": "", "neighbours": "replace-one", "parameters": [], "total": {"notion": "eps", "epsilon": 0.0}}
    assert "nobody" in privacy_text(release(privacy=privacy, data={}))


def test_where_noise_is_insecure_nothing_is_said_to_be_protected() -> None:
    """Also of a release whose price can be reported."""
    assert privacy_text(release(noise="INSECURE")) == f"{INSECURE}\n"


def test_the_mechanisms() -> None:
    assert releases_text(release()) == (
        "Release: laplace at line 3, 1,200 times: sensitivity 1, scale 2, ±5.9916 per number (95 %).\n"
    )


def test_a_pure_epsilon_leads_unless_the_certified_one_is_clearly_smaller() -> None:
    hardly = {"epsilon": 0.099998, "delta": 1e-6}
    assert "protected with ε = 0.1 (pure" in priced("eps", {"epsilon": 0.1}, hardly)
    assert "protected with ε = 0.1, δ = 0 (ε and δ" in priced("approx", {"epsilon": 0.1, "delta": 0.0}, hardly)
    many = priced("eps", {"epsilon": 10.0}, {"epsilon": 4.6, "delta": 1e-6})
    assert (
        "protected with ε = 4.6, δ = 1e-6 (certified; replace one row); the program's own cost is ε = 10 (pure)" in many
    )


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"rows": 3, "columns": 1}, "depends on no cell of the data, at most on its public sizes"),
        ({"rows": None, "columns": None}, "does not depend on data"),
        (
            {"rows": None, "columns": None, "has_public_sizes": True},
            "depends on no cell of the data, at most on its public sizes",
        ),
    ],
)
def test_a_number_of_rows_that_may_be_the_result_is_not_denied(facts: Mapping[str, Any], told: str) -> None:
    """`rows xs` costs nothing, and comes from the data."""
    privacy = {"unit": "", "parameters": [], "total": {"notion": "eps", "epsilon": 0.0}}
    shown = release(privacy=privacy, data={"xs": facts})
    assert privacy_text(shown) == f"Privacy: the result {told}, so nobody needs protection.\n"


def test_what_is_trusted_is_told_where_nothing_is_charged() -> None:
    """Foreign code can read whatever it likes, whatever its type says."""
    privacy = {"unit": "", "parameters": [], "total": {"notion": "eps", "epsilon": 0.0}, "foreign": ["scores:best"]}
    told = "Trusted: the code of scores:best; only its type is known.\n"
    shown = release(privacy=privacy, data={})
    assert privacy_text(shown) == f"Privacy: the result does not depend on data, so nobody needs protection.\n{told}"
    assert ReleaseDisplay().line(shown).endswith("depends on no data; trusted: the code of scores:best")
