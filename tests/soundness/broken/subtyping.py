"""What may stand for what, and what may be opened, called or made."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

SUBTYPING = (
    Mutant(
        "a function stands for one of a larger domain",
        "subtype",
        "        is_subtype(wanted.domain, ours.domain)\n        and ours.sensitivity",
        "        is_subtype(ours.domain, wanted.domain)\n        and ours.sensitivity",
        ("refused",),
    ),
    Mutant(
        "a function's result does not matter",
        "subtype",
        "        and ours.rounding.leq(wanted.rounding)\n        and is_subtype(ours.codomain, wanted.codomain)\n",
        "        and ours.rounding.leq(wanted.rounding)\n",
        ("refused",),
    ),
    Mutant(
        "what a function is measured against may be its own variable",
        "subtype",
        "fresh = tuple(KindVar.fresh(var.name, var.kind) for var in left.kinds)",
        "fresh = left.kinds",
        ("refused",),
    ),
    Mutant(
        "the side conditions of a function that stands for another do not matter",
        "subtype",
        "        and not unmet(ours, wanted)\n",
        "",
        ("passed",),
    ),
    Mutant(
        "the side conditions of a privacy function that stands for another do not matter",
        "subtype",
        "        and not unmet(known, wanted)\n",
        "",
        ("passed",),
    ),
    Mutant(
        "one of two functions is called under the side conditions of the other",
        "subtype",
        "conditions=tuple(dict.fromkeys((*ours.conditions, *theirs.conditions)))",
        "conditions=theirs.conditions",
        ("passed",),
    ),
    Mutant(
        "a condition follows from a weaker one",
        "conditions",
        "return is_strong_enough and self.left.leq(other.left) and other.right.leq(self.right)",
        "return is_strong_enough and other.left.leq(self.left) and self.right.leq(other.right)",
        ("passed",),
    ),
    Mutant(
        "a strict condition follows from one that is not",
        "conditions",
        'is_strong_enough = other.relation == "<" or self.relation == "≤"',
        "is_strong_enough = True",
        ("passed",),
    ),
    Mutant(
        "a promise is kept by whatever function is passed on",
        "conditions",
        "            return condition.is_plain()\n",
        "            return True\n",
        ("passed",),
    ),
    Mutant(
        "a function that makes large tables is passed on",
        "subtype",
        "is_no_larger(condition.left, _arguments(wanted))",
        "True",
        ("passed",),
    ),
    Mutant(
        "a box of a larger debt stands for one of a smaller",
        "subtype",
        "return context_leq(debt, wanted_debt) and is_subtype(boxed, wanted_boxed)",
        "return is_subtype(boxed, wanted_boxed)",
        ("unbox", "refused"),
    ),
    Mutant(
        "the debts of boxes are compared input by input, but those that only one has",
        "subtype",
        "quantity.leq(right[root]) for root, quantity in left.entries.items()\n",
        "quantity.leq(right[root]) for root, quantity in left.entries.items() if right.mentions(root)\n",
        ("unbox", "refused"),
    ),
    Mutant(
        "a larger index stands for a smaller",
        "subtype",
        "            return size.leq(wanted)\n",
        "            return True\n",
        ("rand-resp", "index"),
    ),
    Mutant(
        "a discrete value is a real",
        "subtype",
        "        case (t.StaticNat(), t.Nat()) | (t.Idx(), t.Nat()) | (t.StaticReal(), t.Real()):\n            return True",
        "        case (t.StaticNat(), t.Nat()) | (t.Idx(), t.Nat()) | (t.StaticReal() | t.Disc(), t.Real()):\n"
        "            return True",
        ("conv", "refused"),
    ),
    Mutant(
        "a table of unknown size stands for one of a fixed size",
        "subtype",
        "                and left.rows == right.rows\n",
        "                and (left.rows is None or left.rows == right.rows)\n",
        ("coerce", "refused"),
    ),
    Mutant(
        "a table of fixed size is one of unknown size",
        "subtype",
        "                and left.rows == right.rows\n",
        "                and (right.rows is None or left.rows == right.rows)\n",
        ("coerce",),
    ),
)
