"""Public choices that steps of a group are taken to find alike, and samples by coins that are taken to move alike."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

CHOICES = (
    Mutant(
        "runs on rows of their own are taken to make one choice",
        "cost",
        "        return choice(changed.branches, scattered=changed.test is None, test=changed.test)",
        "        return choice(changed.branches, test=changed.test)",
        ("parallel", "pfld-rows", "shuffle", "mmapp"),
    ),
    Mutant(
        "all parts are taken to make one choice",
        "rules.privacy",
        "        spent[root] = costs.group(size, costs.repeat(most, costs.scattered(body.cost(part)), apart=True))",
        "        spent[root] = costs.group(size, costs.repeat(most, body.cost(part), apart=True))",
        ("parallel",),
    ),
    Mutant(
        "all batches are taken to make one choice",
        "rules.parallelism",
        "    of_first, of_second = costs.scattered(first.cost), costs.scattered(second.cost)",
        "    of_first, of_second = first.cost, second.cost",
        ("pfld-rows",),
    ),
    Mutant(
        "all entries are taken to make one choice",
        "rules.parallelism",
        "        return costs.repeat(matrix.width * maximum(size, ONE), costs.scattered(cost))",
        "        return costs.repeat(matrix.width * maximum(size, ONE), cost)",
        ("mmapp",),
    ),
    Mutant(
        "all reports are taken to make one choice",
        "rules.shuffling",
        "    report = costs.scattered(costs.together(body.cost(root) for root in dict.fromkeys(roots)))",
        "    report = costs.together(body.cost(root) for root in dict.fromkeys(roots))",
        ("shuffle",),
    ),
    Mutant(
        "a substitution gathers what is scattered",
        "cost",
        "            return choice(branches, scattered=apart, test=test)",
        "            return choice(branches, test=test)",
        ("privacy-application",),
    ),
    Mutant(
        "a scattered choice composes as one",
        "accounting.losses_of_cost",
        "            return [(ChoiceLoss(options, apart), 1)]",
        "            return [(ChoiceLoss(options), 1)]",
        ("group",),
    ),
    Mutant(
        "the group of a scattered choice is the larger group",
        "accounting.losses.derived",
        "            return GroupLoss(size, loss) if largest is None else grouped(size, largest)",
        "            return ChoiceLoss(tuple(grouped(size, branch) for branch in branches))",
        ("group",),
    ),
    Mutant(
        "the least of a family dominates it",
        "accounting.losses.families",
        "return max(branches, key=lambda branch",
        "return min(branches, key=lambda branch",
        ("group",),
    ),
    Mutant(
        "the least ρ of several dominates them",
        "accounting.losses.families",
        "slope, cap = max(each.slope for each in curves)",
        "slope, cap = min(each.slope for each in curves)",
        ("group",),
    ),
    Mutant(
        "the largest ω of several dominates them",
        "accounting.losses.families",
        "return CurveLoss(slope, cap, min(each.order for each in curves))",
        "return CurveLoss(slope, cap, max(each.order for each in curves))",
        ("group",),
    ),
    Mutant(
        "coins draw from what gains a row here and loses one there",
        "rules.functions",
        "        if not moves_one_way(type_) and costs.samples_one_way(cost):\n"
        "            checker.report(selection.poisson_both_ways(param.span, param.name.text, type_))\n",
        "        pass\n",
        ("poisson",),
    ),
    Mutant(
        "the parts of a pair τ & σ move one way",
        "neighbours",
        "            return not (holds_tables(left) and holds_tables(right)) and moves_one_way(left) and moves_one_way(right)",
        "            return moves_one_way(left) and moves_one_way(right)",
        ("poisson",),
    ),
    Mutant(
        "the cells of a row in L∞ move one way",
        "neighbours",
        "            return (type_.norm is not Norm.LINF or _has_one(type_)) and all(map(moves_one_way, t.children(type_)))",
        "            return all(map(moves_one_way, t.children(type_)))",
        ("poisson",),
    ),
    Mutant(
        "the first part of a pair decides which way it moves",
        "neighbours",
        "            return all(map(moves_one_way, t.children(type_)))\n        case t.With",
        "            return any(map(moves_one_way, t.children(type_)))\n        case t.With",
        ("poisson",),
    ),
    Mutant(
        "one step of a group is held both ways",
        "cost",
        "lambda here: not (isinstance(here, Group) and Quantity.of(1).lt(here.size)))",
        "lambda here: not isinstance(here, Group | Seq))",
        ("poisson",),
    ),
)
