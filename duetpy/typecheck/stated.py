"""What a cost is by its own parameters, without an accountant: for comparison with the cost that a type states.

The one list of mechanisms with a pure ε is here; the accountant prices by it too.
"""

from __future__ import annotations

from duetpy.typecheck.cost import Atom, Choice, Cost, Given, Repeat, Seq, Zero
from duetpy.typecheck.mechanism_rows import row_of
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ZERO, Quantity, maximum


def pure_epsilon_of(atom: Atom) -> Quantity | None:
    """The pure ε of a mechanism, None where it has none."""
    row = row_of(atom.mechanism)
    if row.has_epsilon:
        return atom.params[-1]
    if row.epsilon_place is None:
        return None
    place, number, found = row.epsilon_place
    return atom.params[found] if atom.params[place].constant == number else None


def own(cost: Atom | Given, notion: Notion) -> tuple[Quantity, ...] | None:
    """What one mechanism or one trusted cost is in a notion by its parameters; None where that takes a conversion."""
    match cost:
        case Given(known, params) if known is notion:
            return params
        case Atom(name, params, known) if known is notion and row_of(name).states_cost:
            return params
        case Atom(name, params, known) if (places := row_of(name).cost_places.get(notion)) and (
            notion.info.is_guarantee or known is notion
        ):
            return tuple(params[place] for place in places)
        case Given(known, (epsilon, *rest)) if known.info.bounds_ratio and all(part.is_zero for part in rest):
            pure: Quantity | None = epsilon
        case Given():
            return None
        case Atom():
            pure = pure_epsilon_of(cost)
    if pure is None or not notion.info.bounds_ratio:
        return None
    return (pure, *(ZERO for _ in notion.letters[1:]))


def stated(cost: Cost, notion: Notion) -> tuple[Quantity, ...] | None:
    """What a term costs at most: plain sums of the parameters of mechanisms; None for all that needs an accountant.

    A length θ guarantees nothing by itself, and types state none of mechanisms.
    """
    if isinstance(cost, Given) or (isinstance(cost, Atom) and notion.info.is_guarantee):
        return own(cost, notion)
    if notion.info.composes != "sum":
        return None
    match cost:
        case Zero():
            return (ZERO,) * len(notion.letters)
        case Seq(parts) | Choice(parts):
            found: list[tuple[Quantity, ...]] = []
            for part in parts:
                known = stated(part, notion)
                if known is None:
                    return None
                found.append(known)
            combined = maximum if isinstance(cost, Choice) else _sum
            return tuple(combined(*column) for column in zip(*found, strict=True))
        case Repeat(count, body):
            once = stated(body, notion)
            return None if once is None else tuple(count * part for part in once)
        case _:
            return None


#   (α′, ε) at α ≤ α′ is (α, ε): Rényi divergence grows with its order;    (ρ, ω′) for ω ≤ ω′ is (ρ, ω): fewer orders
def is_within(cost: Cost, notion: Notion, bounds: tuple[Quantity, ...]) -> bool:
    """Whether a term plainly costs no more than what a type states, part by part; an order may be larger than the stated one."""
    known = stated(cost, notion)
    if known is None:
        return False
    parts = zip(notion.info.parts, known, bounds, strict=True)
    return all(theirs.leq(ours) if part.is_order else ours.leq(theirs) for part, ours, theirs in parts)


def _sum(*parts: Quantity) -> Quantity:
    total = ZERO
    for part in parts:
        total = total + part
    return total
