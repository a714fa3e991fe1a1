"""Variables by which the tests of quantities are written."""

from __future__ import annotations

from fractions import Fraction

from duetpy.typecheck.quantity import Kind, KindVar, Quantity

of = Quantity.of
HALF = Fraction(1, 2)

VARIABLES = {name: KindVar.fresh(name, Kind.NAT) for name in ("m", "n", "k")}
VARIABLES |= {name: KindVar.fresh(name, Kind.POS) for name in ("a", "b", "c", "x", "ε", "δ′")}
m, n, k, a, b, c, x, epsilon, delta = map(Quantity.var, VARIABLES.values())
