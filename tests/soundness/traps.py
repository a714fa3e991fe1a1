"""What a broken rule can be caught on: a program, a price or a law, with what is claimed of it and a search that refutes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

from attrs import frozen

from duetpy.accounting.price import Refusal, numbers
from duetpy.typecheck.conditions import Obligation
from duetpy.typecheck.show import show_type
from tests.soundness import certified
from tests.soundness.alike import STEPS, alike
from tests.soundness.catalogue import REFUSED, everything
from tests.soundness.certified import CERTIFIED, Certified
from tests.soundness.constructed import CONSTRUCTED, Constructed, is_refuted_at
from tests.soundness.distributions import TOLERANCE
from tests.soundness.falsify import IllScoped, Refused, by_definition, check, claims, searched
from tests.soundness.key_laws import COUNTED, GAUSSIAN, KEYED, Keyed
from tests.soundness.key_laws import price_of as price_of_keys
from tests.soundness.key_laws import used as used_by_keys
from tests.soundness.meaningless import MEANINGLESS, Meaningless, accepts
from tests.soundness.orders import out_of_order
from tests.soundness.prices import PRICES, Priced, used_up
from tests.soundness.releases import REFUSED as REFUSED_RELEASES
from tests.soundness.releases import RELEASES
from tests.soundness.replay import exposed, private_program
from tests.soundness.scattered import APART, AS_ONE, chosen
from tests.soundness.unfounded import RESTING, Resting, refuted, said
from tests.soundness.witness import Witness, claimed, used
from tests.soundness.witnesses import WITNESSES

NOTHING = "refused"
UNSEEN = "not told by a claim"


@frozen
class Trap:
    """Something that a broken rule is caught on.

    Parameters
    ----------
    rule
        The rule that it is about.
    text
        What it is, as a reader would name it.
    claim
        What the checker says of it, in a form in which two answers can be compared.
    catches
        Whether so many trials show the checker to be wrong.
    """

    rule: str
    text: str
    claim: Callable[[], object]
    catches: Callable[[int], bool]

    def has_changed(self) -> bool:
        """Whether the checker says something different from what it says with its own rules."""
        said = self.claim()
        return said == UNSEEN or said != believed()[self]


@cache
def believed() -> dict[Trap, object]:
    """What the checker says of each trap; asked first while its rules are the right ones."""
    return {trap: trap.claim() for trap in traps()}


@cache
def traps() -> tuple[Trap, ...]:
    """All of them, the quick ones first and the random quantities last."""
    return (
        *(
            Trap(
                priced.rule,
                f"{priced.notion.value}: {priced.cost}",
                partial(price_of, priced),
                partial(is_underpriced, priced),
            )
            for priced in PRICES
        ),
        *(
            Trap(
                witness.rule,
                f"{witness.notion.value}: {witness.text}",
                partial(cost_of, witness),
                partial(is_outdone, witness),
            )
            for witness in WITNESSES
        ),
        *(
            Trap(
                pair.rule,
                f"{pair.text} at {pair.width} columns",
                partial(type_of, pair.text),
                partial(is_wrong_at, pair),
            )
            for pair in CONSTRUCTED
        ),
        *(
            Trap(program.rule, f"{program.notion.value}: {program.text}", unseen, partial(is_accepted, program))
            for program in MEANINGLESS
        ),
        *(
            Trap(case.rule, f"{case.notion.value}: {case.name}", partial(bounds_of, case), partial(is_unfounded, case))
            for case in RESTING
        ),
        *(
            Trap(each.rule, f"certified: {each.cost}", partial(certified.bound, each), partial(is_uncertified, each))
            for each in CERTIFIED
        ),
        *(
            Trap(rule, text, partial(chosen, text), partial(is_chosen_otherwise, text, wanted))
            for wanted, table in ((True, APART), (False, AS_ONE))
            for rule, text in table
        ),
        *(
            Trap(rule, text, partial(alike, text), partial(is_moved_otherwise, text, wanted))
            for rule, text, wanted in STEPS
        ),
        *(
            Trap(keyed.rule, keyed.text, partial(shown_of, keyed), partial(is_shown_too_often, keyed))
            for keyed in (*KEYED, *COUNTED, *GAUSSIAN)
        ),
        *(Trap("refused", text, partial(type_of, text), partial(is_refuted, text)) for text in REFUSED),
        *(Trap("refused", text, partial(units_of, text), partial(is_exposed, text)) for text in REFUSED_RELEASES),
        *(
            Trap(release.rule, release.text, partial(units_of, release.text), partial(is_exposed, release.text))
            for release in RELEASES
        ),
        *(
            Trap(case.rule, case.text, partial(type_of, case.text), partial(is_refuted, case.text))
            for case in everything()
        ),
        Trap("order", "random quantities", unseen, is_out_of_order),
    )


# ---------------------------------------------------------------------------------------------------------------------
# What is claimed


def type_of(text: str) -> object:
    """The type of a sensitivity function, and what it is claimed under."""
    typed = check(text)
    if not typed.ok or typed.type is None:
        return NOTHING
    return show_type(typed.type), conditions(typed.obligations)


def units_of(text: str) -> object:
    """The price of each unit of a privacy function, and what it is claimed under."""
    try:
        claim = private_program(text)
    except Refused:
        return NOTHING
    return tuple((members, epsilon.show()) for members, epsilon in claim.units), conditions(claim.typed.obligations)


def cost_of(witness: Witness) -> object:
    """The price at the witness's neighbours."""
    try:
        claim = claimed(witness)
    except Refused:
        return NOTHING
    return values(numbers(claim.cost, witness.notion, claim.kinds))


def shown_of(keyed: Keyed) -> object:
    """The price of a set of keys."""
    try:
        return price_of_keys(keyed)
    except Refused:
        return NOTHING


def price_of(priced: Priced) -> object:
    return values(numbers(priced.cost, priced.notion, {}))


def bounds_of(case: Resting) -> object:
    """The price over a number, where a premise holds and where it fails."""
    return said(case)


def values(found: object) -> object:
    return NOTHING if isinstance(found, Refusal) else repr(found)


def conditions(obligations: Sequence[Obligation]) -> tuple[str, ...]:
    return tuple(obligation.show() for obligation in obligations)


def unseen() -> object:
    """Said of what is quicker to ask than to compare."""
    return UNSEEN


# ---------------------------------------------------------------------------------------------------------------------
# What refutes it


def is_refuted(text: str, trials: int) -> bool:
    """Whether what is claimed of a sensitivity function is false."""
    try:
        claim = claims(check(text), text)
    except Refused:
        return False
    except IllScoped:
        return True
    return searched(claim, by_definition(claim), trials).refutation is not None


def is_wrong_at(pair: Constructed, _: int) -> bool:
    """Whether what is claimed of a function is false at a pair that is made for it."""
    try:
        return is_refuted_at(pair)
    except Refused:
        return False
    except IllScoped:
        return True


def is_exposed(text: str, trials: int) -> bool:
    """Whether a privacy function loses more than is claimed."""
    try:
        claim = private_program(text)
    except Refused:
        return False
    return exposed(claim, trials) is not None


def is_outdone(witness: Witness, _: int) -> bool:
    """Whether neighbours are further apart than is claimed."""
    try:
        return used(witness) > 1 + TOLERANCE
    except Refused:
        return False


def is_underpriced(priced: Priced, _: int) -> bool:
    """Whether laws that a cost allows are further apart than its price."""
    try:
        return used_up(priced) > 1 + TOLERANCE
    except Refused:
        return False


def is_shown_too_often(keyed: Keyed, _: int) -> bool:
    """Whether the keys that are shown of two small tables are further apart than is claimed."""
    try:
        return used_by_keys(keyed) > 1 + TOLERANCE
    except Refused:
        return False


def is_unfounded(case: Resting, _: int) -> bool:
    """Whether a price is given of which a premise fails."""
    return refuted(case)


def is_uncertified(each: Certified, _: int) -> bool:
    """Whether laws that a cost allows are further apart than its certified bound."""
    return certified.used(each) > 1 + TOLERANCE


def is_chosen_otherwise(text: str, wanted: bool, _: int) -> bool:
    """Whether the term of a program says that its runs make one choice where each makes its own, or the other way round."""
    return not all(each is wanted for each in chosen(text))


def is_moved_otherwise(text: str, wanted: tuple[bool, ...], _: int) -> bool:
    """Whether the term of a program says that steps are alike where they are not, or the other way round."""
    return alike(text) != wanted


def is_accepted(program: Meaningless, _: int) -> bool:
    """Whether a program is accepted that must not be."""
    return accepts(program)


def is_out_of_order(trials: int) -> bool:
    return out_of_order(trials // 4) is not None
