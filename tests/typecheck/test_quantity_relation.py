"""Relations of quantities are decided only where they are proved."""

import pytest

from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, Kind, KindVar, Quantity, Relation, decided

of = Quantity.of
m = Quantity.var(KindVar.fresh("m", Kind.NAT))


@pytest.mark.parametrize(
    ("left", "relation", "right", "expected"),
    [
        (of(1), "<", of(2), True),
        (of(2), "<", of(2), False),
        (of(2), "≤", of(2), True),
        (of(3), "≤", of(2), False),
        (m, "≤", m + ONE, True),
        (m + ONE, "<", m, False),
        (m, "<", of(5), None),
        (m, "≤", INFINITY, True),
        (of(3), "∣", of(12), True),
        (of(5), "∣", of(12), False),
        (m, "∣", of(12) * m, True),
        (m, "∣", of(12), None),
        (ZERO, "∣", of(12), False),
        (ZERO, "∣", ZERO, True),
    ],
)
def test_a_relation(left: Quantity, relation: Relation, right: Quantity, expected: bool | None) -> None:
    assert decided(left, relation, right) is expected
