"""The pages that people read say what the program does.

Each page is followed from top to bottom in a folder with the examples of this repository; tests/pages.py says what a block
holds and how what it prints is compared. A block ``duet NAME refused CODE`` is a program that meets a diagnostic; ``lark``
blocks quote rules of the grammar. `pytest tests/test_documents.py --update` writes what is printed into the pages.

All texts for readers, messages included, are free of turns that a reader would stumble over.
"""

import ast
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

from duetpy import parse
from tests.pages import Page, blocks, shape
from tests.sources import parsed

ROOT = Path(__file__).parents[1]
PAGES = (
    "README.md",
    "docs/tutorial.md",
    "docs/language.md",
    "docs/cost.md",
    "docs/audit.md",
    "docs/ten-minutes.md",
    "docs/eight-tasks.md",
    "docs/from-duet.md",
    "docs/data.md",
    "docs/statistics.md",
    *(page.relative_to(ROOT).as_posix() for page in sorted((ROOT / "docs" / "howto").glob("*.md"))),
)

_LINK = re.compile(r"\]\(([^)#]*)(#[^)]*)?\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a reader follows a page: the examples of this repository, and the page's own files."""
    (tmp_path / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.usefixtures("reader")
def test_a_page_prints_what_it_says(page: str, update: bool, capsys: pytest.CaptureFixture[str]) -> None:
    followed = Page(page)
    followed.follow(capsys)
    if not update:
        assert not followed.wrong, "\n".join(followed.wrong)
    elif followed.wrong:
        (ROOT / page).write_text(followed.text, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_a_program_on_a_page_is_accepted_or_refused_as_it_says(page: str) -> None:
    for block in blocks(page):
        if block.language == "duet":
            _, name, *rest = block.words
            _, diagnostics = parse(block.text, name=name).try_check()
            assert [found.code for found in diagnostics] == rest[1:], f"{page}:{block.line}"
            assert rest[:1] in ([], ["refused"])


def test_the_pages_hold_something_to_run() -> None:
    assert {block.language for page in PAGES for block in blocks(page)} >= {"duet", "console", "lark", "pycon"}


WRONG = """
```console
$ duetpy explain nothing-of-that-name
x
```

```pycon
>>> 1 + 1
3
>>> {}["x"]
```

```console random
$ duetpy --version
duetpy 1
$ head -1 data.csv
```

```csv data.csv
age
30
```
"""


def test_what_a_page_does_not_print_as_it_says_is_seen_and_put_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    # The data stands before its use on a page that is right.
    first, _, last = WRONG.partition("```csv")
    page = tmp_path / "page.md"
    page.write_text(f"```csv{last}{first}", encoding="utf-8")
    followed = Page(str(page))
    followed.follow(capsys)
    assert [each.partition("\n")[0].rpartition(": ")[2] for each in followed.wrong][:2] == [
        "duetpy explain nothing-of-that-name",
        "1 + 1",
    ]
    assert "KeyError" in followed.wrong[2]
    assert "head -1" in followed.wrong[-1]
    right = followed.text
    assert ">>> 1 + 1\n2\n" in right
    assert "$ head -1 data.csv\nage\n```" in right
    page.write_text(right.replace('>>> {}["x"]\n', ""), encoding="utf-8")
    followed = Page(str(page))
    followed.follow(capsys)
    assert followed.wrong == []
    assert followed.text == page.read_text(encoding="utf-8")


def test_a_block_of_another_kind_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text("```text\nduetpy\n```\n", encoding="utf-8")
    with pytest.raises(pytest.fail.Exception, match="would not be tested"):
        Page(str(page)).follow(capsys)


def test_numbers_are_left_open_and_words_are_not() -> None:
    assert shape("0.9436619718309859") == shape("0.97")
    assert shape("receipt 2:" + 32 * "6e") == shape("receipt 4:" + 32 * "c1")
    assert shape("mean 53.8  ± 0.6") == shape("mean 7 ± 1e-3")
    assert shape("mean 53.8") != shape("median 53.8")
    assert shape("1 2") != shape("1")


EVERY_PAGE = sorted(
    path.relative_to(ROOT).as_posix()
    for found in ("*.md", "docs/**/*.md", "examples/**/*.md")
    for path in ROOT.glob(found)
)


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target, anchor in _LINK.findall(text):
        if "://" not in target:
            linked = (ROOT / page).parent / target if target else ROOT / page
            assert linked.exists(), f"{page} links to {target}"
            assert not anchor or anchor in anchors(linked), f"{page} links to {target}{anchor}"


def test_pages_name_source_files_that_there_are() -> None:
    sources = {path.relative_to(ROOT).as_posix() for top in SOURCES for path in (ROOT / top).rglob("*.py")}
    pages = {page: (ROOT / page).read_text(encoding="utf-8") for page in EVERY_PAGE if page != "CHANGELOG.md"}
    named = [(page, name) for page, text in pages.items() for name in _SOURCE_FILE.findall(text)]
    assert len(named) > 50
    unknown = [
        f"{page}: {name}"
        for page, name in named
        if not any(f"/{source}".endswith(f"/{name}") for source in sources) and f"```python {name}" not in pages[page]
    ]
    assert not unknown, "\n".join(unknown)


SOURCES = ("duetpy", "tests", "benchmarks", "tools", "examples", "playground")
_SOURCE_FILE = re.compile(r"`([\w/]+\.py)\b")


def anchors(page: Path) -> set[str]:
    """The places of a page that can be linked to: its headings, in small letters with hyphens for spaces."""
    headings = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {"#" + re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


NOTION_PAGES = sorted({path.name for path in (ROOT / "docs" / "notions").glob("*.md")} - {"README.md", "tight.md"})


@pytest.mark.parametrize("page", NOTION_PAGES)
def test_a_page_of_a_notion_says_what_it_promises_how_it_composes_and_when_to_choose_it(page: str) -> None:
    text = (ROOT / "docs" / "notions" / page).read_text(encoding="utf-8")
    opening = text.split("\n\n")[1:4]
    assert [each.split("**")[1] for each in opening] == ["Promises:", "Composes:", "Choose it"]
    assert all(each.rstrip().endswith(".") and len(each.split()) > 5 for each in opening)


def test_the_page_of_the_language_quotes_the_grammar() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "grammar_rules.py"))
    page = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    grammar = (ROOT / "duetpy" / "grammar" / "duet.lark").read_text(encoding="utf-8")
    assert page.count("```lark ") >= 6
    assert tool["quoted"](page, grammar) == page, "run python tools/grammar_rules.py"
    changed = grammar.replace('"mmap-row"', '"rows-of"').replace('first ";" expr', 'first "then" expr')
    assert tool["quoted"](page, changed) != page


def test_all_judgements_are_on_one_page() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "judgements.py"))
    page = (ROOT / "docs" / "judgements.md").read_text(encoding="utf-8")
    assert page == tool["page"](), "run python tools/judgements.py"
    assert page.count("\n## [") == len(list((ROOT / "docs" / "rules").glob("*.md"))) - 1
    with pytest.raises(AssertionError, match="states it"):
        tool["stated"]("# a page\n\nwithout a rule")


# ---------------------------------------------------------------------------------------------------------------------
# Plain English

TURNS = {
    r"\b(?:[Tt]ells?|[Tt]elling|told) of\b": "reports, reveals",
    r"\b(?:is|are|was|were|be|been) told\b": "is reported, you see",
    r"\bthere (?:is|are) none\b": "say what is missing",
    r"\b(?:is|are|was|were) none\b": "is not a …",
    r"(?:^|[.;:] )[Ww]ho has\b": "a person with, anyone who has",
    r"\b[Bb]eside\b": "compared with, next to, together with",
    r"\b(?:mends|mended)\b": "fixed",
    r"\b(?:is|are|was) paid\b|\bpa(?:ys|id) for\b": "is spent, is charged",
    r"\bknows? nothing of\b|\bsays? nothing of\b": "… nothing about",
    r"\bspeaks? of\b": "is about, applies to",
    r"\brefuses the run\b": "stops the run",
    r"\btoo kind\b": "too permissive",
    r"\beasier to tell\b": "easier to distinguish",
    r"\b(?:[Aa]|[Oo]ne) (?:row|person|patient) (?:more|less)\b": "an added row, a removed row",
    r"\bbut for (?:its|the|their)\b": "except for, up to",
    r"\b(?:seldom|in vain|[Hh]ence|whence)\b": "rarely, without success, so",
    r"\b(?:with|of) chances?\b": "with probability",
    r"(?<![Tt]here )\bis no (?:number|function|shift|guarantee|budget|plain|length|mechanism)\b": "is not a …",
    r"\bha(?:s|ve) (?:a|no) part in\b": "affects, does not affect",
    r"\bof which nothing is known\b|\bnothing is (?:known|proved|claimed) of\b": "… about",
    r"\bwhere (?:it|there) is (?:none|one)\b": "if …",
    r"\b(?:one|a) (?:person|row|page|line|file|rule|page) a (?:row|line|column|page|file|rule|notion)\b": "per",
    r"\b(?:that|which|what|who) (?:is|are) no (?!longer\b|more\b|less\b|\w+er\b)\w+": "that is not a …",
    r"\banew\b": "again",
    r"\bbesides\b": "except, in addition to",
    r"\b(?:goes|gone) through (?:the )?(?:rows|tables)\b|\bare gone through\b": "reads, processes",
    r"\btests?\S* holds? that\b|`` holds that\b": "checks that",
    r"\band the like\b": "name them, or: and others",
    r"\bnothing binds\b": "unknown name",
    r"\bunasked\b": "unless you ask for it",
    r"\bpays?\b|\bpaying\b": "costs, is charged",
    r"\bcomes? (?:or|and) goes?\b|\bcom(?:e|ing) (?:or|and) go(?:ing)?\b": "is added or removed",
    r"\bread so\b": "read in this way",
    r"\bbehind (?:the|its|a|their) (?:type|record|name|size)s?\b": "after",
    r"\b[Ii]nside of\b": "inside",
    r"\bpacked (?:by|file)\b|\b(?:is|are) (?:un)?packed\b|\bunpack(?:s|ing)?(?: it)?\b": "compressed, decompressed",
    r"\b[Cc]omput(?:e[sd]?|ing) (?:something |anything )?of\b": "from",
    r"\b(?:[Ww]rite|stands?) (?:\w+ ){0,3}behind\b": "after",
    r"\bsays? no range\b": "has no range",
    r"\bis no part of\b": "is not part of",
    r"\b(?:in each turn|number of turns|public turns)\b": "iteration",
    r"\b(?:goes|gone) and comes?\b": "is removed and added again",
    r"\b(?:parameters?|columns?|rows?|names?) of its (?:in|that)\b": "its …",
    r"\bas any other\b": "like any other, an ordinary",
    r"\bsays? something else than\b": "reports something different",
    r"\bof whom\b|\bto whom\b": "say who does it",
    r"\bof which there (?:is|are) no (?:number|bound|limit)\b": "nothing bounds …",
    r"\b(?:k|\d+|one|two|three|four|five|several) (?:rows?|keys?|visits?|numbers) a (?:row|person|patient|line)\b": "per",
}
"""Turns that are not idiomatic, each with what to write instead."""

FORMER = (
    "the input still has a part in what `rows` tells of the result",
    "drops the row if there is none",
    "a bad cell refuses the run and is told of by its place",
    "Who has several rows is protected less",
    "speed beside numpy",
    "rules made too kind",
    "Only the newest version is mended",
    "a filtered row is paid for twice",
    "one Rényi order says nothing of the others",
    "the lemma speaks of that table",
    "had the same noise but for its sign",
    "a row more in a part leaves their number",
    "two drawn tables seldom hold two partners",
    "tells neighbours apart with chance δ",
    "'1' is no budget",
    "on integers it is a little easier to tell",
    "one person a row",
    "an array of numbers that are no characters",
    "these are not parsed anew",
    "accepts no charge besides that one",
    "what goes through the rows",
    "the rows of the tables that are gone through",
    "`tests/test_two_edits.py` holds that no other file knows a name",
    "columns of dates, bytes and the like",
    "nothing binds the name median",
    "nothing takes 0 in their place unasked",
    "so a passenger pays 3ε",
    "the number of persons that come or go",
    "a table that does not fit into memory is always read so",
    "write `?` behind the type of a cell",
    "Inside of a body about one person",
    "cannot be read: a .zip file is packed",
    "unpack it first",
    "anything may be computed of `p.visits`",
    "of at most k keys a row",
    "a neighbour has one row more or one row less",
    "the order of rows has no part in h",
    "write the range behind 𝔻 or 𝔻?",
    "the type of the column says no range",
    "This is no part of the type",
    "longer by a fixed number of digits in each turn",
    "a patient whose rows change goes and comes again",
    "may name other parameters of its in the range of a column",
    "A call that gives all arguments is one as any other",
    "may say something else than when the run was charged",
    "Tell of an error of the syntax",
    "What is captured moves every turn, of which there is no number",
)


def read_by_people() -> Iterator[tuple[str, str]]:
    """Every text for readers with its place: pages, comments of programs, explanations, what commands print, messages."""
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "duetpy/**/*.md",
        "duetpy/**/*.toml",
        "duetpy/**/*.duet",
        "examples/**/*.md",
        "examples/**/*.duet",
        "docs/*.ipynb",
        "playground/src/*.html",
        "editors/**/*.md",
        "editors/**/package.json",
        "mkdocs.yml",
    ):
        for path in sorted(ROOT.glob(pattern)):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "tests" / "cases").rglob("*.*")):
        if path.suffix in (".out", ".err"):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "duetpy").rglob("*.py")):
        for line, text in messages(parsed(path)):
            yield f"{path.relative_to(ROOT).as_posix()}:{line}", text


def messages(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The texts in a source file that are not docstrings."""
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            yield node.lineno, node.value


def docstrings_and_comments() -> Iterator[tuple[str, str]]:
    """What the sources say to those who work on them, with its place."""
    for path in sorted(
        path for top in ("duetpy", "tools", "benchmarks", "tests") for path in (ROOT / top).rglob("*.py")
    ):
        place, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        for node in ast.walk(parsed(path)):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                yield f"{place}:{node.lineno}", node.value.value
        # What follows the sign inside a text is read too: texts are in plain English as well.
        for number, line in enumerate(text.splitlines(), 1):
            if "#" in line:
                yield f"{place}:{number}", line[line.index("#") :]


def turns(text: str) -> list[str]:
    """The turns in a text, each with what to write instead. Names of files and of tests, in quotation marks of code, are not
    prose; neither are the marks of comments at the starts of lines."""
    prose = re.sub(r"`[^`]*`", "``", re.sub(r"\s+(?:-- )?", " ", text))
    return [f"{found[0]!r}: {instead}" for turn, instead in TURNS.items() for found in re.finditer(turn, prose)]


def test_texts_are_in_plain_english() -> None:
    found = [f"{place}: {turn}" for place, text in read_by_people() for turn in turns(text)]
    assert not found, "\n".join(found)


def test_docstrings_and_comments_are_in_plain_english() -> None:
    found = [f"{place}: {turn}" for place, text in docstrings_and_comments() for turn in turns(text)]
    assert not found, "\n".join(found)


def test_the_turns_are_seen() -> None:
    assert [text for text in FORMER if not turns(text)] == []
    assert turns("there\n-- is none") == turns("there is none") != []
    assert turns("`tests/test_x.py::beside` is next to it") == []


GLOSSARY = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([^|]*) ?\|$", re.MULTILINE)


def entries_of_the_glossary() -> list[tuple[str, str, list[str]]]:
    """The words of the glossary, what they mean, and the words that are not used in their place."""
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    found = [tuple(cell.strip() for cell in line) for line in GLOSSARY.findall(text)][2:]
    return [(word, meaning, [each.strip() for each in others.split(",") if each]) for word, meaning, others in found]


def test_the_glossary_is_in_order_and_has_each_word_once() -> None:
    words = [word for word, _, _ in entries_of_the_glossary()]
    assert len(words) > 30
    assert words == sorted(set(words), key=str.lower)


def test_pages_and_messages_use_one_word_for_one_idea() -> None:
    others = {each: word for word, _, found in entries_of_the_glossary() for each in found}
    assert len(others) >= 10
    pattern = re.compile(rf"\b({'|'.join(others)})s?\b", re.IGNORECASE)
    found = [
        f"{place}: {each[1]}, which the glossary calls {others[each[1].lower()]}"
        for place, text in read_by_people()
        if place != "docs/glossary.md"
        for each in pattern.finditer(re.sub(r"`[^`]*`", "``", text))
    ]
    assert not found, "\n".join(found)


def test_messages_are_read_and_docstrings_are_not() -> None:
    tree = ast.parse('"""A module."""\n\ndef f(x):\n    """A function."""\n    raise ValueError(f"{x} is too large")\n')
    assert list(messages(tree)) == [(5, " is too large")]
    places = {place.partition(":")[0] for place, _ in read_by_people()}
    assert {
        "README.md",
        "docs/rules/call.md",
        "duetpy/grammar/prelude.duet",
        "duetpy/cli/run.py",
        "duetpy/grammar/texts.toml",
    } <= places
