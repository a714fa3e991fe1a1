import pytest

from duetpy.interp.run import Release
from duetpy.report.release_text import INSECURE, privacy_text, releases_text, result_text


@pytest.mark.parametrize(
    ("result", "error", "text"),
    [
        (53.8123, 0.5991, "53.81   ± 0.6 (95 %)\n"),
        (53.8123, 149.8, "54   ± 150 (95 %)\n"),
        (53.8123, 0.00123, "53.8123   ± 0.0013 (95 %)\n"),
        (1234567.0, 99.1, "1234567   ± 100 (95 %)\n"),
        (3, None, "3\n"),
        (0.1, None, "0.1\n"),
        (True, None, "true\n"),
        ("a\nb", None, '"a\\nb"\n'),
        ([[1.0, 2.5], [3.0, 4.0]], None, "1.0,2.5\n3.0,4.0\n"),
        ([["a,b", True]], None, '"a,b",true\n'),
        ((1.0, [1.0]), None, "[1.0, [1.0]]\n"),
        ([1.0, 2.0], None, "[1.0, 2.0]\n"),
        ([], None, "[]\n"),
    ],
)
def test_results(result: object, error: float | None, text: str) -> None:
    assert result_text(result, error) == text


def release(**changes: object) -> Release:
    fields: dict[str, object] = {
        "program": "x.eps.duet",
        "result": 1.0,
        "privacy": {
            "unit": "one row of x.csv",
            "neighbours": "replace-one",
            "parameters": [{"name": "xs", "value": {"epsilon": 0.3}, "tight": {"epsilon": 0.3, "delta": 1e-6}}],
            "total": {"notion": "eps", "epsilon": 0.30000000000000004},
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


def test_several_costs_are_told_one_by_one() -> None:
    parameters = [{"name": "xs", "value": {"epsilon": 0.1}}, {"name": "ys", "value": {"epsilon": 0.2}}]
    privacy = release().privacy | {"parameters": parameters}
    assert privacy_text(release(privacy=privacy)).endswith("  xs: ε = 0.1\n  ys: ε = 0.2\n")


def test_nobody_needs_protection_where_no_data_was_read() -> None:
    privacy = {"unit": "", "neighbours": "replace-one", "parameters": [], "total": {"notion": "eps", "epsilon": 0.0}}
    assert "nobody" in privacy_text(release(privacy=privacy, data={}))


def test_insecure_noise_is_told_first() -> None:
    assert privacy_text(release(noise="INSECURE")).startswith(INSECURE)


def test_the_mechanisms() -> None:
    assert releases_text(release()) == (
        "Release: laplace at line 3, 1,200 times: sensitivity 1, scale 2, "
        "each number within ±5.9916 in 95 of 100 runs.\n"
    )
