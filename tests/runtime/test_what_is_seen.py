"""Nothing that anyone sees of a run depends on the data."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

from duetpy.runtime.evaluation.evaluate import expression
from duetpy.runtime.release import mechanisms
from duetpy.runtime.release.arguments import arguments_of
from duetpy.runtime.release.run import run
from tests.runtime.runs import CANARY, DESCENT, SUM, go, refused, typed


def test_what_is_seen_does_not_depend_on_the_data() -> None:
    """Shapes, counts, scales, costs and the keys of the report are those of the program and of public sizes."""
    rng = np.random.default_rng(6)
    seen = []
    for scale in (1.0, 1e300, 0.0):
        release = go(
            DESCENT,
            {"xs": rng.normal(size=(50, 3)) * scale, "ys": rng.normal(size=(50, 1))},
            None,
            k=3,
            ε=1,
            δ=1e-6,
            η=1,
        )
        seen.append((np.shape(release.result), release.releases, release.privacy, release.data))
    assert seen[0] == seen[1] == seen[2]


def test_no_cell_in_any_message_or_report() -> None:
    bad = [[CANARY], [float("nan")]]
    messages = [
        refused(SUM, {"xs": bad}, ε=1),
        refused(SUM, {"xs": [[CANARY, 1.0]]}, ε=1),
        refused(SUM.replace("U |", "L2≤1.0 |"), {"xs": [[CANARY]]}, ε=1),
        refused("pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ return (xs#[ℕ[0], ℕ[0]])", {"xs": [[CANARY]]}),
        refused(SUM, {"xs": CANARY}, ε=1),
    ]
    assert not any("8675309" in repr(diagnostic) for diagnostics in messages for diagnostic in diagnostics)
    release = go(SUM, {"xs": [[CANARY]]}, ε=1)
    assert "8675309" not in release.to_json() + repr(release)


def test_an_internal_fault_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise ValueError(f"the value {CANARY} broke it")

    monkeypatch.setattr(mechanisms, "_drawn", broken)
    (diagnostic,) = refused(SUM, {"xs": [[CANARY]]}, ε=1)
    assert diagnostic.code == "D0901"
    assert "8675309" not in repr(diagnostic)


def test_nothing_that_holds_data_shows_it() -> None:
    """A debugger, a log line or a traceback with local variables prints names and shapes."""
    from duetpy.runtime.evaluation.machine import Frame, Machine
    from duetpy.runtime.release.driver import Driver
    from duetpy.runtime.release.run import prepare
    from duetpy.runtime.release.whose_rows import sources_of
    from duetpy.runtime.sources.reading import Reading
    from duetpy.runtime.values.statics import KindScope

    program = typed(SUM, "eps")
    held = {"xs": [[CANARY]]}
    prepared = prepare(program, held, {"ε": 1}, Reading())
    frame = Frame({"x": Fraction(CANARY)}, KindScope())
    machine = Machine(expression=expression)
    machine.keep(program.core, (CANARY,), Fraction(CANARY))
    shown = [
        prepared,
        arguments_of(program, held, {"ε": 1}),
        frame,
        machine,
        Driver(machine, mechanisms.Randomness(None)),
        *sources_of("xs", held["xs"], program.type.parameters[0].type),
        *prepared.values[:1],
    ]
    assert not any("8675309" in repr(each) + str(each) for each in shown)
    assert str(Fraction(CANARY)) not in repr(frame)


def test_a_plain_object_shows_what_it_holds() -> None:
    """The control: what `attrs`, `dataclasses` and arrays print unless they are kept from it."""

    @frozen
    class Plain:
        rows: list[list[float]]

    assert "8675309" in repr(Plain([[CANARY]]))
    assert "8675309" in repr(np.array([[CANARY]]))


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [("𝔻", 1, 2), ("𝔻", 0, 10**30), ("𝔻", Fraction(1, 3), 0.25), ("𝔻", np.int64(3), np.int64(4)), ("𝔹", True, False)],
)
def test_the_report_does_not_tell_whether_two_values_are_equal(kind: str, first: object, second: object) -> None:
    """Python keeps one object of a small number: as a source of rows it would show two equal private values."""
    both = typed(
        f"pλ . x : {kind}, y : {kind} ⇒\n"
        "a ← rand-resp[2, 1.0] <x> { if x ≡ x then idx ℕ[0] else idx ℕ[1] } ;\n"
        "b ← rand-resp[2, 1.0] <y> { if y ≡ y then idx ℕ[0] else idx ℕ[1] } ;\n"
        "return ⟨a, b⟩",
        "eps",
    )
    told = [run(both, {"x": x, "y": y}, {}).privacy for x in (first, second) for y in (first, second)]
    assert told[0]["total"]["epsilon"] == 2
    assert all(each == told[0] for each in told)
