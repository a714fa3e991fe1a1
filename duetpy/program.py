"""Programs as values: read, check, price, run.

    load, parse ─→ Program ─check→ Checked ─cost, run→ numbers, Release

A `Program` that could not be read or parsed is a value too; it is refused when it is checked. Numeric rooms are imported
when they are first needed, so that checking stays fast.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from os import PathLike, fspath
from typing import TYPE_CHECKING, Literal

from attrs import define, field, frozen

from duetpy.cached import cached_property
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.diagnostics.markup import block, paragraph, shortened
from duetpy.grammar.ast import File
from duetpy.loading import chosen_notion, read_import, read_source, refused_name, source_of
from duetpy.report.by_name import Costs
from duetpy.report.proved import Proved
from duetpy.settings import exact_delta, notion_called, short_numbers
from duetpy.source import Source
from duetpy.typecheck.notions import Notion

if TYPE_CHECKING:
    from duetpy.audit.findings import Audit
    from duetpy.library import Library
    from duetpy.report.calibration import Calibration
    from duetpy.report.comparison import Comparison, Unit
    from duetpy.report.verdict import Statement
    from duetpy.report.why import Why
    from duetpy.run_arguments import Goal
    from duetpy.runtime.engines import Engine
    from duetpy.runtime.release.release import Release
    from duetpy.typecheck.check import Typed


@define(eq=False, slots=False, repr=False)
class Program:
    """A program text with the notion in which its cost is computed.

    Parameters
    ----------
    name
        The file's name, against which imports are resolved.
    file
        The syntax tree, with holes where the text could not be read; None if there is no text.
    notion, notion_origin
        The notion, and where it came from: ``command line``, ``argument``, ``notion line``, ``file name`` or ``default``.
    syntax
        What was wrong with the text.
    """

    name: str
    file: File | None
    notion: Notion
    notion_origin: str
    syntax: tuple[Diagnostic, ...] = ()
    library: Library | None = field(default=None)

    def __repr__(self) -> str:
        count = len(self.syntax)
        wrong = f"; {count} {'problem' if count == 1 else 'problems'}" if count else ""
        return f"<Program {shortened(self.name)}: {self.notion.info.headline} ({self.notion_origin}){wrong}>"

    def _repr_html_(self) -> str:
        text = "" if self.file is None else self.file.span.source.text
        return paragraph(repr(self)[1:-1]) + block(text)

    def by_persons(self, persons: Mapping[str, tuple[str, int]]) -> Program:
        """The program on data frames in which a person has several rows: ``{"visits": ("patient", 3)}`` says which column of
        visits names the person, and that at most three rows of each count. Raises ValueError if that is not possible."""
        from duetpy.grammar.several_rows import of_persons

        if self.file is None or self.syntax:
            return self
        file = of_persons(self.file, persons)
        return Program(self.name, file, self.notion, self.notion_origin, library=self.library)

    @cached_property
    def typed(self) -> Typed | None:
        """The judgement of the checker, with every diagnostic; None if there is no text."""
        return self.judged()

    def judged(self, record: bool = False) -> Typed | None:
        """The same, with how it came about where that is to be recorded."""
        if self.file is None or self.library is None:
            return None
        from duetpy.typecheck.check import check_file

        return check_file(
            self.file,
            name=self.name,
            notion=self.notion,
            notion_origin=self.notion_origin,
            load=self.library.load,
            syntax=self.syntax,
            record=record,
        )

    def state(
        self,
        settings: Mapping[str, object] | None = None,
        delta: Fraction | None = None,
        notion: Notion | None = None,
    ) -> Statement:
        """What is proved about the program with some public numbers given, in its own notion or in another one.

        Raises
        ------
        SettingError
            For numbers that the program's variables cannot take, or that contradict each other. Names that the program
            does not declare are ignored.
        """
        from duetpy.report.verdict import refused, state
        from duetpy.valuation import valuation

        if self.typed is None:
            return refused(self.name, self.notion, self.notion_origin, self.syntax)
        with short_numbers():
            return state(self.typed, valuation(self.typed.type, settings or {}), delta, notion)

    def compare(self, settings: Mapping[str, object] | None = None, delta: Fraction | None = None) -> Comparison:
        """The program's cost in every notion, with some public numbers given.

        Raises
        ------
        SettingError
            For numbers that the program's variables cannot take, or that contradict each other.
        """
        from duetpy.report.comparison import Comparison, comparison
        from duetpy.typecheck.neighbours import REPLACE
        from duetpy.valuation import Valuation, valuation

        if self.typed is None:
            return Comparison(self.name, self.notion, self.notion_origin, REPLACE, (), self.syntax, Valuation())
        with short_numbers():
            return comparison(self.typed, valuation(self.typed.type, settings or {}), delta)

    def why(
        self, name: str | None = None, settings: Mapping[str, object] | None = None, depth: int | None = None
    ) -> Why:
        """How the sensitivity or cost of a parameter arose, or of all that it protects; raises as `calibrate` does."""
        from duetpy.report.why import why
        from duetpy.valuation import valuation

        typed = self.judged(record=True)
        if typed is None:
            raise DuetError(self.syntax)
        with short_numbers():
            return why(typed, valuation(typed.type, settings or {}), name, depth)

    def calibrate(self, budget: Goal, vary: str, settings: Mapping[str, object] | None = None) -> Calibration:
        """The value of a number of the program at which it uses up a budget, or reaches an error, and no more.

        Raises
        ------
        DuetError
            If the program is refused, or no value spends the budget; with the reason.
        SettingError
            If `vary` is not a number of the program, or a setting is not valid.
        """
        from duetpy.report.calibration import calibrate
        from duetpy.run_arguments import asked_goal

        if self.typed is None:
            raise DuetError(self.syntax)
        with short_numbers():
            return calibrate(self.typed, settings or {}, vary, asked_goal(budget))

    def audit(self, settings: Mapping[str, object] | None = None, trials: int = 1000, seed: int = 0) -> Audit:
        """Try to refute what is proved about the program, on generated data; see `duetpy.audit`.

        Raises
        ------
        DuetError
            If the program is refused, or cannot be audited; with the reason.
        SettingError
            For settings that the program's variables cannot take, and for settings of what it protects.
        ValueError
            If `trials` or `seed` is not a whole number, or there are fewer than ten trials.
        """
        whole = all(isinstance(number, int) and not isinstance(number, bool) for number in (trials, seed))
        if not whole or trials < 10:
            raise ValueError("trials must be a whole number of at least 10, and seed a whole number")
        from duetpy.audit.attack import attack

        if self.typed is None:
            raise DuetError(self.syntax)
        with short_numbers():
            return attack(self.typed, settings or {}, trials, seed)

    def try_check(self) -> tuple[Checked | None, tuple[Diagnostic, ...]]:
        """The checked program, or None if it was refused, and every diagnostic."""
        statement = self.state()
        return Checked(self, statement) if statement.ok else None, statement.diagnostics

    def check(self) -> Checked:
        """The checked program.

        Raises
        ------
        DuetError
            If the program is refused; with every diagnostic.
        """
        checked, diagnostics = self.try_check()
        if checked is None:
            raise DuetError(diagnostics)
        return checked


@frozen(eq=False, repr=False)
class Checked(Proved):
    """A program that the checker accepts, and what it proves.

    `parameters` maps the names of the parameters, in order, to what is proved about each: ``sensitivity`` or ``cost``, both
    symbolic, ``type``, ``private``, ``unit`` and ``neighbours``; ``value`` and ``tight`` if the program leaves nothing symbolic.
    """

    program: Program
    statement: Statement

    def cost(
        self, /, delta: float | Fraction | str | None = None, notion: str | None = None, **values: object
    ) -> Costs:
        """What the program costs each of its parameters, in numbers.

        Parameters
        ----------
        delta
            The δ of an (ε, δ); if None, the program's own, else 1e-6. A text is read exactly. A `delta` of the program: ``δ=…``.
        notion
            The notion of the cost; if None, the program's own. In (ε, δ) the numeric accountant computes the answer.
        **values
            A number for every size and parameter that the cost mentions, by name: ``ε=0.5`` or ``eps=0.5``.

        Returns
        -------
        Costs
            A dictionary: for each parameter its numbers by name, such as ``{"epsilon": 0.5}``; None is ∞. For a sensitivity
            function, ``{"sensitivity": 2.0}``. Its ``premises`` say what the numbers rest on, such as ``requires 3 ≤ m``.

        Raises
        ------
        DuetError
            If a side condition fails for the numbers, or the program has no cost in the notion.
        ValueError
            If a number is missing, is not declared, or is not a value that its variable can take.
        """
        chosen = self.statement.notion if notion is None else notion_called(notion)
        is_numeric = chosen is Notion.APPROX
        statement = self.program.state(self._declared(values), exact_delta(delta), None if is_numeric else chosen)
        if not statement.ok:
            raise DuetError(statement.diagnostics)
        found = Costs(statement.premises)
        for parameter in statement.parameters:
            numbers = parameter.tight if is_numeric and parameter.cost is not None else parameter.value
            if numbers is None:
                raise ValueError(parameter.without_numbers)
            found[parameter.name] = dict(numbers)
        return found

    def compare(self, /, delta: float | Fraction | str | None = None, **values: object) -> dict[str, Unit]:
        """What the program costs each of its privacy units, in every notion side by side.

        Parameters
        ----------
        delta
            The δ of the certified (ε, δ); if None, the program's own, else 1e-6.
        **values
            Numbers for sizes and parameters; if one is missing, the rows hold formulas.

        Returns
        -------
        dict
            For each unit its `Unit`, by name: ``rows``, each with notion, kind, method, formula, value, conditions
            and, if the program has no cost in the notion, the part that is refused and why; ``worth`` is the best (ε, δ).

        Raises
        ------
        DuetError
            If a side condition fails for the numbers.
        ValueError
            If a number is not declared, or is not a value that its variable can take.
        """
        return {unit.name: unit for unit in self._compared(delta, values).units}

    def _compared(self, delta: float | Fraction | str | None, values: Mapping[str, object]) -> Comparison:
        found = self.program.compare(self._declared(values), exact_delta(delta))
        if not found.ok:
            raise DuetError(found.diagnostics)
        return found

    def why(self, name: str, /, **values: object) -> Why:
        """How a parameter's sensitivity or cost arose, rule by rule; ``str`` of it is the text. Raises as `compare` does.

        Numbers for sizes and parameters are given by name; if one is missing, the steps hold formulas.
        """
        return self.program.why(name, self._declared(values)).accepted()

    def calibrate(
        self,
        /,
        budget: str | Mapping[str, float | Fraction | str] | None = None,
        vary: str = "",
        *,
        _ledger: str | PathLike[str] | None = None,
        _error: float | Fraction | str | None = None,
        **values: object,
    ) -> Calibration:
        """The value of a size or parameter at which the program uses up a budget, or reaches an error, and no more.

        Parameters
        ----------
        budget
            ``"epsilon=1,delta=1e-6"``, or the same as a mapping; ``epsilon`` alone is pure; or ``rho``, or ``mu``.
        vary
            The name of the size or parameter to find.
        _ledger
            In place of a budget: a ledger, whose whole remaining budget may be spent. Nothing is charged. In ε and δ
            the run that spends it must be given the remaining δ, as ``_delta``.
        _error
            In place of a budget: how far released numbers may be off in 95 of 100 runs; ``"0.5@3"`` for those at line 3.
        **values
            The program's other numbers.

        Returns
        -------
        Calibration
            ``value``, and the cost of the program at it: ``cost`` in its own notion, ``tight`` as certified (ε, δ).

        Raises
        ------
        DuetError
            If no value uses up the budget or reaches the error, or nothing is left of the ledger; with the reason.
        ValueError
            If a name, a number or the budget is not valid.
        """
        from duetpy.run_arguments import asked_goal
        from duetpy.settings import SettingError

        if not vary or not isinstance(vary, str):
            raise SettingError("calibrate needs the name of what to find: vary='ε'")
        goal = asked_goal(budget, _ledger, _error, self.program.typed)
        return self.program.calibrate(goal, vary, self._declared(values))

    def run(
        self,
        /,
        *,
        _on_bad_row: Literal["refuse", "default", "drop"] = "refuse",
        _header: Literal["auto", "yes", "no"] = "auto",
        _missing: Collection[str] = (),
        _id: Mapping[str, str] | None = None,
        _insecure_noise: int | Literal["none"] | None = None,
        _engine: Engine | str | None = None,
        _delta: float | Fraction | str | None = None,
        _trust: Collection[str] = (),
        _ledger: str | PathLike[str] | None = None,
        _memory: int | str | None = None,
        _stream: bool = False,
        **arguments: object,
    ) -> Release:
        """Release the program's result.

        Parameters
        ----------
        **arguments
            One for each parameter, by name; sizes and parameters that no argument determines, by their names. Data for a
            parameter is the path of a CSV file, an array, a data frame or a list of rows; for persons, such data by file. A text
            may pick columns as on the command line: ``"x.csv:age,income"`` by name, ``"x.csv:0-3"`` by position. A table, and an
            array or a column for a set, that the program does not protect is refused, since it would be released in the clear,
            unless it is declared public: ``duetpy.public(array)`` or ``"@file.csv"``. Other values not protected are public.
        _on_bad_row, _header, _missing, _id
            ``refuse`` data with a bad cell, take the ``default`` that its column declares, or ``drop`` its row. Whether CSV files
            have a header row; which cells are missing values (``age : 𝔻?``), in addition to empty ones; and the column of
            identifiers in a file of persons, by the name of the file, if the program gives it another name.
        _insecure_noise
            A seed, or ``none`` for no noise: for tests only. The release says so.
        _engine
            What processes the rows: one of `duetpy.engines`, or its name: ``threads`` (the default), ``dask``, ``dask:ADDRESS``.
        _delta, _trust, _ledger
            The δ of the tight (ε, δ) in the report; the modules whose code the program may run (``opaque``); the ledger that is
            charged before noise is drawn.
        _memory, _stream
            The memory for tables of the sizes in the program, in bytes or as ``"64GiB"``; by default all there is. Whether files
            are read again for each pass over their rows and never kept, if the program and the file allow that.

        Raises
        ------
        DuetError
            If an argument, the data, a side condition or the budget is refused. Nothing was released then.
        ValueError
            If δ is not valid, a name is given twice, an option lacks its underscore, or a way of reading does not exist.
        """
        from duetpy.report.displays import ReleaseDisplay
        from duetpy.run_arguments import Held, identify, sort_arguments
        from duetpy.runtime.release.run import run
        from duetpy.runtime.values.memory import parse_size
        from duetpy.settings import SettingError

        typed = self.program.typed
        assert typed is not None
        data, values, refused = Held(), Held(), ""
        try:
            sort_arguments(typed.type, self.parameters, arguments, data, values, Checked.run.__kwdefaults__ or ())
            identify(typed.type, data, _id or {})
        except SettingError as error:
            refused = str(error)
        # A traceback with local variables shows this frame too, and no other one that knows the arguments.
        arguments.clear()
        if refused:
            raise SettingError(refused)
        return run(
            typed,
            data,
            values,
            on_bad_row=_on_bad_row,
            header=_header,
            missing=_missing,
            insecure_noise=_insecure_noise,
            engine=_engine,
            delta=exact_delta(_delta),
            trust=_trust,
            ledger=_ledger,
            memory=parse_size(str(_memory)) if _memory is not None else None,
            stream=_stream,
            display=ReleaseDisplay(),
        )

    def _declared(self, values: Mapping[str, object]) -> Mapping[str, object]:
        """Settings, every one of them declared by the program."""
        from duetpy.run_arguments import declared_values

        return declared_values(self.program.typed, values)


def open_program(name: str, notion: str | None = None, origin: str = "argument") -> Program:
    """The program in a file, or on standard input for ``-``; errors in it are reported when it is checked."""
    source = read_source(name)
    if isinstance(source, Diagnostic):
        return Program(name, None, *chosen_notion(name, None, notion, origin), (source,))
    return program_of(source, notion, origin)


def program_of(
    source: Source,
    notion: str | None = None,
    origin: str = "argument",
    read: Callable[[str], Source | Diagnostic] = read_import,
) -> Program:
    """The program that a text is; `read` reads the files that it imports."""
    from duetpy.library import Library

    loaded = (library := Library(read=read)).add(source)
    chosen = chosen_notion(source.name, loaded.file.notion, notion, origin)
    wrong = (*loaded.diagnostics, *refused_name(source.name, loaded.file.notion, notion))
    return Program(source.name, loaded.file, *chosen, wrong, library)


def load(path: str | PathLike[str], notion: str | None = None) -> Program:
    """Read a program from a file.

    Parameters
    ----------
    path
        The file. Its name chooses the notion, as in ``gd.zcdp.duet``; a ``notion`` line in it overrides the name.
    notion
        eps, approx, renyi, zcdp, tcdp, gdp or rao; overrides both.

    Raises
    ------
    DuetError
        If the file cannot be read or is not UTF-8 text.
    ValueError
        For an unknown notion.
    """
    program = open_program(fspath(path), notion)
    if program.file is None:
        raise DuetError(program.syntax)
    return program


def parse(text: str, notion: str | None = None, name: str = "<text>") -> Program:
    """Read a program from a text; parameters as in `load`, and a name for messages, against which imports are resolved.

    Raises
    ------
    TypeError
        If the text or the name is not a text.
    """
    for what, given in (("text", text), ("name", name)):
        if not isinstance(given, str):
            raise TypeError(f"the {what} of a program must be a str, not {type(given).__name__}; load reads a file")
    return program_of(source_of(name, text), notion)
