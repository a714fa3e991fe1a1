"""The cost term: what a program does to a private input, before any notion prices it.

A cost term says which mechanisms touched an input and how they were combined. The checker only builds terms; each notion
of privacy is an interpretation of them (`duetpy.accounting`). Every parameter is a `Quantity` over the kind variables of
the program, so that one check serves every size and every budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias, cast

from attrs import field, frozen

from duetpy import trees
from duetpy.by_value import Shown
from duetpy.depth import DEEPER
from duetpy.trees import Tree, map_children, map_parts, own, parts, walk
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Comparison, KindVar, Quantity, QuantityTooLarge

SIZE_LIMIT = 100_000
"""The largest number of parts of a cost. Functions that call each other twice double it with every call, and all that reads a cost
takes time for each part."""


@frozen(eq=False, repr=False)
class Node(Shown, Tree):
    """What the constructors of a cost share: equality and hashing that go down a term without the Python stack."""

    _digest: int | None = field(init=False, repr=False, default=None)
    _own: tuple[object, ...] | None = field(init=False, repr=False, default=None)
    _below: list[Node] = field(init=False, repr=False)
    node_count: int = field(init=False, repr=False)
    """How many constructors it is made of, each counted as often as it stands there."""

    def __attrs_post_init__(self) -> None:
        below = trees.children(self, Node)
        node_count = 1 + sum([child.node_count for child in below])
        if node_count > SIZE_LIMIT:
            raise QuantityTooLarge(f"a cost of more than {SIZE_LIMIT} parts")
        object.__setattr__(self, "_below", below)
        object.__setattr__(self, "node_count", node_count)

    def own(self) -> tuple[object, ...]:
        """What distinguishes it from others of its class with the same nodes below, looked up once: equal costs are counted."""
        if self._own is None:
            object.__setattr__(self, "_own", own(self, Node))
        assert self._own is not None
        return self._own

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        pending: list[tuple[Node, Node]] = [(self, other)]
        while pending:
            one, two = pending.pop()
            if one is two:
                continue
            if type(one) is not type(two) or one.own() != two.own():
                return False
            if len(one._below) != len(two._below):
                return False
            pending.extend(zip(one._below, two._below, strict=True))
        return True

    def __hash__(self) -> int:
        pending: list[Node] = [self]
        while pending:
            here = pending[-1]
            unknown = [child for child in here._below if child._digest is None] if here._digest is None else []
            if unknown:
                pending.extend(unknown)
                continue
            pending.pop()
            if here._digest is None:
                below = tuple([child._digest for child in here._below])
                object.__setattr__(here, "_digest", hash((type(here).__name__, here.own(), below)))
        assert self._digest is not None
        return self._digest


class Zero(Node):
    """Nothing was spent."""


@frozen(eq=False, repr=False)
class NonPrivate(Node):
    """The input is released in the clear; `reason` says how, with the input as its subject: ``is returned without noise``."""

    reason: str = ""


CHOOSES_PARTS = "decides which parts of parallel there are"
IS_ROSTER = "says who is in a table of persons"
CHOOSES_PART = "decides which part of parallel a row is in"
IN_EVERY_PART = "is used by every part of parallel"
"""How what parallel looks at, and is not its table, is released."""


@frozen(eq=False, repr=False)
class Atom(Node):
    """One run of one mechanism whose sensitivity to this input is at most the one it was calibrated for.

    `params` are the mechanism's own, by name:

    ===============  =====================================================================================
    laplace          ε: Laplace noise of scale s/ε (also mlaplace, in L1)
    gauss            calibrated in the notion `calibration`: approx ε δ, zcdp ρ, renyi α ε, tcdp ρ ω, gdp μ, rao θ
    exponential      ε: weights exp(ε u / 2s)
    noisy-max        ε
    above-threshold  ε: Lap(2/ε) on the threshold, Lap(4/ε) on each query; where less is lost than ε, what is lost follows
    rand-resp        k, ε: k-ary randomized response
    dlaplace         ε: discrete Laplace on integers, of scale s/ε
    dgauss           as gauss, discrete
    ggauss           N, ratio: generalized Gaussian, density ∝ exp(−(|x|/s)^N), ratio = sensitivity/s
    canonical        ε, δ: canonical noise of (ε, δ) in units of s; δ may be 0
    gibbs            ε: entropic regularisation, bounded range ε
    keys, key-counts ε, δ: whether one key is shown that an added or removed row has; with how many rows
    key-gauss        ε, δ, k: which of the k keys are shown that an added or removed row has, with how many rows
    ===============  =====================================================================================
    """

    mechanism: str
    params: tuple[Quantity, ...]
    calibration: Notion | None = None
    steps: int | None = None
    """dlaplace, dgauss: the sensitivity s of the one whole number, where that is a known whole number."""


@frozen(eq=False, repr=False)
class Given(Node):
    """A trusted cost stated in a notion: ε; ε δ; α ε; ρ; ρ ω; μ; θ."""

    notion: Notion
    params: tuple[Quantity, ...]


@frozen(eq=False, repr=False)
class Seq(Node):
    """Adaptive sequential composition."""

    parts: tuple[Cost, ...]


@frozen(eq=False, repr=False)
class Repeat(Node):
    """`count`-fold adaptive sequential composition of one cost.

    A step moves the input of all runs. Where the runs are `apart`, it moves that of `count` among any number of runs, and another
    step moves that of others: rows in parts of the same table.
    """

    count: Quantity
    body: Cost
    apart: bool = False


@frozen(eq=False, repr=False)
class Advanced(Node):
    """`count`-fold composition, to be rendered by advanced composition with slack δ′."""

    count: Quantity
    slack: Quantity
    body: Cost


@frozen(eq=False, repr=False)
class Choice(Node):
    """One of the branches runs; which one is public.

    The branch is the same function of what was released before, on every input: however many steps an input moves by, on all
    inputs on the way the same one runs. Of a `scattered` choice that is so of one step only. It stands in a body that runs many
    times, on rows of its own each time (`scattered`): two steps may fall into two runs, and each takes a branch of its own.

    Where a `test` on static numbers decides, there are two branches: the first runs where it holds, the other where it does not.
    All runs and all steps take the same one, and once the numbers are known only that one is left.
    """

    branches: tuple[Cost, ...]
    scattered: bool = False
    test: Comparison | None = None


@frozen(eq=False, repr=False)
class Together(Node):
    """One person's change moves several inputs of one mechanism at once, by one step each; `parts` are the costs by input.

    Not sequential composition: pure ε adds, but (ε, δ) takes δ₁ + e^{ε₁} δ₂ and zCDP takes (√ρ₁ + √ρ₂)².
    """

    parts: tuple[Cost, ...]


@frozen(eq=False, repr=False)
class Group(Node):
    """The input moves by up to `size` steps: group privacy.

    Where the steps are `alike`, each brings a row to the tables from which the body draws by coins, or takes one from them: of all
    that the body draws, as many rows come and as many go.
    """

    size: Quantity
    body: Cost
    alike: bool = False


@frozen(eq=False, repr=False)
class Sampled(Node):
    """The body saw only a random part of the rows.

    `scheme` is ``sample`` (b rows of m without replacement, replace-one; `rate` = b/m) or ``poisson`` (each row with
    probability `rate`, add/remove).
    """

    scheme: str
    rate: Quantity
    body: Cost


@frozen(eq=False, repr=False)
class Shuffled(Node):
    """`count` local reports, each of cost `body`, shuffled."""

    count: Quantity
    body: Cost


@frozen(eq=False, repr=False)
class Converted(Node):
    """The body was priced in `inner` and its price converted, with slack δ where the conversion needs one."""

    inner: Notion
    slack: Quantity | None
    body: Cost


Cost: TypeAlias = (
    Zero
    | NonPrivate
    | Atom
    | Given
    | Seq
    | Repeat
    | Advanced
    | Choice
    | Together
    | Group
    | Sampled
    | Shuffled
    | Converted
)

ZERO_COST = Zero()


def children(cost: Cost) -> list[Cost]:
    """The costs directly inside a cost."""
    return cast("list[Cost]", trees.children(cost, Node))


def costs_in(cost: Cost, enters: Callable[[Cost], bool] | None = None) -> Iterator[Cost]:
    """A cost and every cost inside it; of a cost that is not entered nothing that is inside."""
    return walk(cost, children, enters)


def is_free(cost: Cost) -> bool:
    return isinstance(cost, Zero)


def is_unbounded(cost: Cost) -> bool:
    return isinstance(cost, NonPrivate)


def _merged(costs: Iterable[Cost]) -> list[Cost] | NonPrivate:
    kept: list[Cost] = []
    for cost in costs:
        if isinstance(cost, NonPrivate):
            return cost
        if not isinstance(cost, Zero):
            kept.append(cost)
    return kept


def sequence(costs: Iterable[Cost]) -> Cost:
    """Sequential composition: flat, without zeros; one unbounded part makes the whole unbounded."""
    flat: list[Cost] = []
    for cost in costs:
        if isinstance(cost, Seq):
            flat.extend(cost.parts)
        else:
            flat.append(cost)
    kept = _merged(flat)
    return _as_one(kept, Seq)


def _as_one(kept: list[Cost] | NonPrivate, made: type[Seq | Together]) -> Cost:
    """Several costs in one; of one or of none, itself or nothing."""
    if isinstance(kept, NonPrivate):
        return kept
    if len(kept) < 2:
        return kept[0] if kept else ZERO_COST
    return made(tuple(kept))


def together(costs: Iterable[Cost]) -> Cost:
    """The cost of a change that moves several inputs at once."""
    return _as_one(_merged(costs), Together)


def choice(costs: Iterable[Cost], *, scattered: bool = False, test: Comparison | None = None) -> Cost:
    """The cost of a public choice among branches; `scattered` and `test` as of a `Choice`."""
    branches = tuple(costs)
    if test is not None and test.fails({}):
        return branches[1]
    if test is not None and test.opposite().fails({}):
        return branches[0]
    kept = _merged(branches)
    if isinstance(kept, NonPrivate):
        return kept
    distinct = tuple(dict.fromkeys(kept))
    if len(distinct) < 2 and (test is None or distinct == branches[:1] == branches[1:]):
        return distinct[0] if distinct else ZERO_COST
    return Choice(distinct, scattered) if test is None else Choice(branches, test=test)


def scattered(cost: Cost) -> Cost:
    """The cost of a body of which there are many runs, each on rows of its own: a step is one in one of them, whichever it is."""

    def below(child: Node) -> Cost:
        with DEEPER:
            return scattered(cast(Cost, child))

    changed = map_children(cost, Node, below)
    if isinstance(changed, Choice):
        return choice(changed.branches, scattered=changed.test is None, test=changed.test)
    return changed


def repeat(count: Quantity, body: Cost, *, apart: bool = False) -> Cost:
    """`count`-fold sequential composition; `apart` as of a `Repeat`."""
    if count.is_zero:
        return ZERO_COST
    if isinstance(body, Zero | NonPrivate) or count.constant == 1:
        return body
    return Repeat(count, body, apart)


def group(size: Quantity, body: Cost, *, alike: bool = False) -> Cost:
    """The cost when the input moves by `size` steps instead of one; `alike` as of a `Group`.

    A size of zero costs nothing. A size proved to be at most one costs the body: one step is what the body was priced
    for, and a fractional step is no smaller than a whole one where distances are discrete.
    """
    if isinstance(body, Zero | NonPrivate):
        return body
    if size.is_zero:
        return ZERO_COST
    if size.is_infinite:
        return NonPrivate("can change by an unbounded number of steps")
    if size.leq(Quantity.of(1)):
        return body
    return Group(size, body, alike)


def substitute(cost: Cost, mapping: Mapping[KindVar, Quantity]) -> Cost:
    """Replace kind variables, all at once."""
    # A function that calls another one twice holds its cost twice: what stands in many places is changed once.
    known: dict[Node, Cost] = {}

    def changed(part: object) -> object:
        match part:
            case Node():
                if part not in known:
                    with DEEPER:
                        known[part] = _composed(cast(Cost, map_parts(part, changed)))
                return known[part]
            case Quantity() | Comparison():
                return part.substitute(mapping)
            case _:
                return part

    return cast(Cost, changed(cost)) if mapping else cost


def _composed(cost: Cost) -> Cost:
    """A cost in the form that what composes it gives."""
    match cost:
        case Seq(parts):
            return sequence(parts)
        case Repeat(count, body, apart):
            return repeat(count, body, apart=apart)
        case Choice(branches, apart, test):
            return choice(branches, scattered=apart, test=test)
        case Together(parts):
            return together(parts)
        case Group(size, body, alike):
            return group(size, body, alike=alike)
        case _:
            return cost


def samples_one_way(cost: Cost) -> bool:
    """Whether the price of a step rests on that all tables from which `poisson` draws gain rows by it, or all lose rows.

    Amplified one way and amplified the other are two laws, and what is composed is composed with its like. A group of several
    steps holds both ways.
    """
    one_way = costs_in(cost, lambda here: not (isinstance(here, Group) and Quantity.of(1).lt(here.size)))
    return any(isinstance(here, Sampled) and here.scheme == "poisson" for here in one_way)


def variables(cost: Cost) -> frozenset[KindVar]:
    """The kind variables that a cost mentions."""
    found: set[KindVar] = set()
    for here in costs_in(cost):
        for part in parts(here):
            if isinstance(part, Quantity | Comparison):
                found |= part.variables()
    return frozenset(found)
