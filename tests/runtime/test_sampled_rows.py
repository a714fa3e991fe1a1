"""Tables of which a program only draws samples are kept row by row, which changes no value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.evaluation.passes import only_sampled
from duetpy.runtime.release import run as run_module
from duetpy.runtime.values.values import MatrixValue, Numbers, Value
from tests.test_examples import EXAMPLES

SAMPLED = {"minibatch.ed.duet": {"xs", "ys"}, "dp-sgd.ed.duet": {"xs", "ys"}, "logistic.ed.duet": set()}
SETTINGS = {
    "minibatch.ed.duet": {"b": 40, "k": 3, "η": 1.0, "ε": 1.0, "δ": 1e-6},
    "dp-sgd.ed.duet": {"q": 0.02, "k": 3, "η": 0.1, "ε": 1.0, "δ": 1e-6},
}


def source(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


def outcome(name: str, xs: object, rule: str) -> object:
    ys = np.where(np.arange(500) % 3 == 0, 1.0, -1.0)
    text = source(name).replace("n⋅𝔻]", "n⋅𝔻 else 0]").replace("1⋅𝔻]", "1⋅𝔻 else 0]")
    settings = SETTINGS[name] | ({} if rule == "refuse" else {"n": 30})
    try:
        checked = duetpy.parse(text, notion="approx").check()
        release = checked.run(xs=xs, ys=ys, **settings, _insecure_noise=4, _on_bad_row=rule)
    except DuetError as error:
        return [str(each) for each in error.diagnostics]
    return repr((release.result, release.releases))


@pytest.mark.parametrize("name", SAMPLED)
def test_which_tables_are_only_sampled(name: str) -> None:
    typed = duetpy.parse(source(name), notion="approx").check().program.typed
    assert typed is not None
    assert only_sampled(typed.core) == SAMPLED[name]


@pytest.mark.parametrize(
    "use",
    [
        "laplace[auto, 1.0] <xs> { real (rows xs) }",
        "laplace[auto, 1.0] <xs> { mfold-row 0.0, xs { t, row ⇒ t + clip[0.0, 1.0] row#[0, 0] } }",
    ],
)
def test_other_uses_want_columns(use: str) -> None:
    text = (
        "pλ . xs : 𝕄 [L∞, U | ★, 2⋅𝔻] ⇒ x ← poisson[0.5] xs { some ⇒ laplace[auto, 1.0] <some> { real (rows some) } } ; "
        + use
    )
    typed = duetpy.parse(text, notion="eps").check().program.typed
    assert typed is not None
    assert only_sampled(typed.core) == frozenset()


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("minibatch.ed.duet", "refuse"),
        ("minibatch.ed.duet", "default"),
        ("dp-sgd.ed.duet", "refuse"),
        ("dp-sgd.ed.duet", "default"),
    ],
)
def test_the_values_are_the_same(name: str, rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[bool] = []
    bound = run_module._argument

    def argument(*given: Any) -> Value:
        value = bound(*given)
        if isinstance(value, MatrixValue) and isinstance(value.store, Numbers) and value.width > 1:
            doubles = value.store.doubles
            kept.append(doubles is not None and doubles.flags.c_contiguous)
        return value

    monkeypatch.setattr(run_module, "_argument", argument)
    rows = np.random.default_rng(3).standard_normal((500, 30))
    rows[7, 2] = -0.0
    bad = rows.copy()
    bad[[3, 400], [0, 29]] = np.nan, np.inf
    for given in (rows, np.asfortranarray(rows), np.repeat(rows, 2, axis=1)[:, ::2], rows.astype(np.float32), bad):
        with monkeypatch.context() as patched:
            patched.setattr(run_module, "only_sampled", lambda root: frozenset())
            wanted = outcome(name, given, rule)
        assert outcome(name, given, rule) == wanted
        assert isinstance(wanted, str) or (given is bad and rule == "refuse")
    assert kept[:2] == [False, True]
