"""What is reported about a mistake: which word or sign is missing where, in the reader's words.

A place is named by the rule that is being read and what it goes on with. Where no words are given for one, the token
before it names it.
"""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.grammar.automaton import Automaton, Place, Trial
from duetpy.grammar.build_terms import Header
from duetpy.grammar.declared import FORMS
from duetpy.grammar.pieces import Piece
from duetpy.grammar.words import CONVERSIONS, MECHANISMS, SAMPLERS

PLACES: dict[tuple[str, str], str] = {
    ("bound", "="): "after {let}",
    ("bound", ","): "between the names of the pair",
    ("bound", "⟩"): "after the names of the pair",
    ("let", "in"): "after the bound expression of {let}",
    ("if_", "then"): "after the condition of `if`",
    ("if_", "else"): "after the first branch of `if`",
    ("braced", "}"): "after the branch of `if`",
    ("bind", ";"): "after the privacy expression of `{name} ←`",
    ("lam", "⇒"): "after the parameters of `sλ`",
    ("plam", "⇒"): "after the parameters of `pλ`",
    ("params", ","): "between the parameters of `{word}`",
    ("aligned", "⟩"): "after the aligned parameters",
    ("plain", ":"): "after `{name}`",
    ("left", "⇒"): "after `inl {name}`",
    ("right", "⇒"): "after `inr {name}`",
    ("there", "⇒"): "after `some {name}`",
    ("absent", "⇒"): "after `none`",
    ("case", ";"): "after the first branch of `case`",
    ("case_missing", ";"): "after the first branch of `case`",
    ("case", "{"): "before the branches of `case`",
    ("case", "}"): "after the branches of `case`",
    ("case_missing", "}"): "after the branches of `case`",
    ("inl", "inl"): "at the beginning of a branch of `case`",
    ("inr", "inr"): "at the beginning of a branch of `case`",
    ("absent", "none"): "at the beginning of a branch of `case`",
    ("nothing", "["): "after `none`",
    ("nothing", "]"): "after the type of `none`",
    ("body", "⇒"): "after the names that `{word}` binds",
    ("names", ","): "after the names that `{word}` binds",
    ("body", "{"): "before the body of `{word}`",
    ("body", "}"): "after the body of `{word}`",
    ("mechanism", "{"): "before the body of `{word}`",
    ("mechanism", "}"): "after the body of `{word}`",
    ("mechanism", "]"): "after the parameters of `{word}`",
    ("selection", "]"): "after the parameters of `{word}`",
    ("convert", "{"): "before the body of `{word}`",
    ("convert", "}"): "after the body of `{word}`",
    ("convert", "]"): "after the δ of `{word}`",
    ("sample", "]"): "after the size of `{word}`",
    ("aloop", "]"): "after the δ′ of `aloop`",
    ("aloop", "on"): "after the count of `aloop`",
    ("loop", "on"): "after the count of `loop`",
    ("parallel", "]"): "after the table and keys of `parallel`",
    ("rand_nat", "]"): "after the bounds of `rand-nat`",
    ("clip", "]"): "after the bounds of `clip`",
    ("clip_norm", "]"): "after the norm of `{word}`",
    ("clip_norm", "["): "and a norm after `{word}`",
    ("inject", "]"): "after the type of `{word}`",
    ("index", "["): "after `#`",
    ("update", "["): "after `#`",
    ("index", "]"): "after the index",
    ("update", "]"): "after the index",
    ("call", "["): "after `@`",
    ("call", "]"): "after the arguments of `@`",
    ("column", "⧽"): "after the name of a column",
    ("select", "]"): "after the names of columns",
    ("static", "]"): "after the value of `{word}`",
    ("tstatic", "]"): "after the value of `{word}`",
    ("group", ")"): "after the expression in parentheses",
    ("pair", ","): "after the first part of the pair",
    ("pair", "⟩"): "after the second part of the pair",
    ("set", "{"): "after `℘`",
    ("set", "}"): "after the elements of the set",
    ("listed", ","): "or `>` between private names",
    ("listed", ">"): "between private names",
    ("mcreate", "|"): "after the norm of `mcreate`",
    ("mcreate", ","): "after the rows of `mcreate`",
    ("mcreate", "]"): "after the size of `mcreate`",
    ("fold", ","): "after the first value of `mfold-row`",
    ("flat", "["): "after `flat`",
    ("flat", "]"): "after the number of rows of `flat`",
    ("join_some", "["): "or `⧼` after `joinDF`",
    ("join_some", "]"): "after the number of partners",
    ("gradient", "|"): "after the loss of `{word}`",
    ("gradient", ";"): "after the model of `{word}`",
    ("gradient", ","): "after the features of `{word}`",
    ("opaque_code", ":"): "after the location of the function",
    ("guarantee", "≤"): "after `{name}`",
    ("defined", "="): "after `def {name}`",
    ("notion", ";"): "after `notion {name}`",
    ("import_", ";"): "after the path of `import`",
    ("kind", ":"): "after `{name}`",
    ("quantifier", "."): "after the kinds of `∀`",
    ("quantifier", ","): "or `.` after the kinds of `∀`",
    ("entry", "@"): "after `{name}`",
    ("member", ":"): "after the field `{name}`",
    ("named_value", "="): "after the field `{name}`",
    ("record_of", "}"): "after the fields of the record",
    ("pfunction", "⊸⋆"): "after the cost of a private argument",
    ("pforall", "⊸⋆"): "after the private arguments",
    ("view", "@"): "after the type of a private argument",
    ("cons", "∷"): "after the type of a column",
    ("tgroup", ")"): "after the type in parentheses",
    ("tcall", ")"): "after the argument of `{name}`",
    ("tset", ")"): "after the element type of `℘`",
    ("tindex", "]"): "after the size of `𝕀`",
    ("record", "]"): "after the fields of `{word}`",
    ("persons", "|"): "after the identifier of `persons`",
    ("persons", "]"): "after the files of `persons`",
    ("box", "]"): "after the sensitivities of `box`",
    ("function", "]"): "after the sensitivity of `⊸`",
    ("forall", "]"): "after the sensitivity of `⊸`",
    ("costs", "⟩"): "after the parts of the cost",
    ("bracketed", "["): "before the arguments of `{word}`",
    ("bracketed", "]"): "after the arguments of `{word}`",
    ("gradient", "]"): "after the arguments of `{word}`",
    ("join_frames", "]"): "after the arguments of `{word}`",
    ("pfold", "]"): "after the arguments of `pfld-rows`",
    ("declaration", ":"): "after `prim {name}`",
}
"""A rule and what it goes on with ↦ where that is."""

BY_POSITION: dict[tuple[str, int], str] = {
    ("matrix", 3): "after the norm of `𝕄`",
    ("matrix", 5): "after the clip of `𝕄`",
    ("matrix", 7): "after the rows of `𝕄`",
    ("matrix", 9): "after the columns of `𝕄`",
    ("partition", 3): "after the frame of `partitionDF`",
    ("partition", 5): "after the column of `partitionDF`",
    ("partition", 7): "after the arguments of `partitionDF`",
}

NAMED: dict[str, str] = {
    "bound": "the name of a variable",
    "first": "the name of a variable",
    "names": "the name of a variable",
    "inl": "the name of a variable",
    "inr": "the name of a variable",
    "some": "the name of a variable",
    "entry": "the name of a variable",
    "listed": "the name of a private variable",
    "defined": "the name of a definition",
    "plain": "the name of a parameter",
    "kind": "the name of a type-level variable",
    "column": "the name of a column",
    "field": "the name of a column",
    "labels": "the name of a column",
    "select": "the name of a column",
    "partition": "the name of a column",
    "gradient": "the name of a loss",
    "guarantee": "the letter of a cost, such as `ε`",
    "member": "the name of a field",
    "named_value": "the name of a field",
    "cons": "the name of a column",
}
"""A rule ↦ what the name in it is."""

QUOTED = 'a heading that is not a single word stands in quotation marks, as in `"annual income" : 𝔻`'
"""What to do about a heading that cannot be a name."""

ALIGNED = "write aligned parameters as `⟨xs : …, ys : …⟩` (or `<|xs : …, ys : …|>`)"

NORMED: dict[str, str] = {
    "matrix": "the norm of `𝕄`",
    "mcreate": "the norm of `mcreate`",
    "clip_norm": "the norm of `{word}`",
}

SIZED = frozenset({("tindex", 2), ("tstatic", 2), ("static", 2), ("function", 3), ("forall", 4), ("entry", 2)})
"""Where in a rule a type-level real stands, and no type."""


def place_of(automaton: Automaton, terminal: str) -> Place | None:
    """The rule that a terminal would continue, from its beginning on the stack; None where it is not accepted."""
    trial = Trial(automaton)
    if trial.settle(terminal) is None:
        return None
    state = trial.top()
    for item in automaton.tables.kernel(state):
        symbols = item.rule.expansion
        if item.position < len(symbols) and symbols[item.position].name == terminal:
            return Place(item, _bases(trial, item.position))
    # The terminal begins a rule: the rule around it is what the place is named after.
    for item in automaton.tables.kernel(state):
        if item.position < len(item.rule.expansion):
            return Place(item, _bases(trial, item.position))
    return None


def _bases(trial: Trial, count: int) -> tuple[int, ...]:
    """Where the last symbols on a stack begin."""
    above = trial.bases[-count:] if count else []
    below = range(trial.depth - (count - len(above)), trial.depth)
    return (*below, *above)


class Wording:
    """Puts places into words.

    Parameters
    ----------
    automaton
        The parser where it stands.
    """

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton

    def where(self, terminal: str, before: str) -> str:
        """Where a terminal would stand; `before` is the token before it."""
        place = place_of(self.automaton, terminal)
        if place is None:
            return f"after `{before}`" if before else "here"
        name = place.item.rule.name
        words = BY_POSITION.get((name, place.item.position)) or self.listing(place, terminal)
        words = words or PLACES.get((self.named(terminal), terminal))
        if words is None:
            return f"after `{before}`" if before else "here"
        return words.format(let=self.let(place), name=self.name(place), word=self.word(place))

    def listing(self, place: Place, terminal: str) -> str | None:
        """The words for a place; a comma in a list belongs to what the list stands in."""
        return PLACES.get((place.item.rule.name, terminal))

    def pieces(self, place: Place) -> Sequence[Piece]:
        """What has been read of the rule, and of what it begins with."""
        return [piece for piece in self.automaton.values[max(0, place.bases[0] - 1) :][:4] if isinstance(piece, Piece)]

    def let(self, place: Place) -> str:
        name = self.name(place, many=False)
        return f"`let {name}`" if name else "`let`"

    def name(self, place: Place, many: bool = True) -> str:
        """The name that a rule begins with."""
        for piece in self.pieces(place) if place.bases else ():
            if piece.type == "header" and isinstance(piece.value, Header):
                names = piece.value.names
                return names[0].text if many or len(names) == 1 else ""
            if piece.type in ("NAME", "BOUND", "LABEL", "STRING", "PRIMITIVE", "FUNCTION"):
                return piece.value or ""
            if piece.type == "⟨" and not many:
                return ""
        return ""

    def word(self, place: Place) -> str:
        """The word that begins the form that a place is in."""
        values = self.automaton.values
        index = min(place.bases[0] if place.bases else len(values), len(values) - 1)
        while index >= 0:
            piece = values[index]
            if isinstance(piece, Piece) and piece.type in _FORMS:
                return piece.type
            index -= 1
        return "?"

    def named(self, terminal: str) -> str:
        """The rule that a terminal is a part of."""
        trial = Trial(self.automaton)
        state = trial.settle(terminal)
        if state is None:
            return ""
        return next((item.rule.name for item in self.automaton.tables.kernel(state)), "")

    def context(self, terminal: str) -> tuple[str, int]:
        """The rule around a terminal, and how much of it has been read."""
        place = place_of(self.automaton, terminal)
        return (place.item.rule.name, place.item.position) if place else ("", 0)


_FORMS = frozenset(
    {
        *MECHANISMS,
        *CONVERSIONS,
        *SAMPLERS,
        *("sλ", "pλ", "aloop", "loop", "parallel", "mmapp"),
        *("pmap-col", "pfld-rows", "rand-nat", "mmap", "mmap-row", "mmap-col", "bmap", "mapDF", "mfold-row", "mfilter"),
        "flat",
        *("mcreate", "zip", "chunks", "join₁", "∇", "U∇", "row∇", "step∇", "clip", "inl", "inr", "none"),
        *FORMS,
        *("ℕ", "ℝ", "ℝ⁺", "record", "𝔻𝔽", "persons", "addColDF", "joinDF₁", "joinDF", "partitionDF"),
    }
)
"""Words that a place is named after."""
