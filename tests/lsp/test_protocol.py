"""The language server over its protocol, with a client in another process: what an editor sees."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from duetpy.cli.lsp import NOT_INSTALLED
from tests.cli.harness import environment
from tests.lsp.client import Client, applied, hover_text, place, spans, units

CLAIM = """\
-- 𝔻 is outside of the basic plane, and so are 𝕄 and 𝔹: {- 𝔻𝔻𝔻 -}
pλ m : ℕ, ε : ℝ⁺ . 𝔻s : 𝕄 [L∞, U | m, age : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  {- 𝔻𝔻 -} laplace[1.0, ε] <𝔻s> { 2.0 ⋅ real (count (mmap-row 𝔻s { r ⇒ 65.0 ≤ r.age })) }
"""
RIGHT = (
    CLAIM.replace("1.0, ε", "auto, ε")
    .replace("real (count (mmap-row 𝔻s { r ⇒ 65.0 ≤ r.age }))", "rest")
    .replace("  {-", "  let rest = count (mmap-row 𝔻s { r ⇒ 65.0 ≤ r.age }) in\n  {-")
)


def end(text: str) -> tuple[int, int]:
    return text.count("\n"), units(text[text.rfind("\n") + 1 :])


# ---------------------------------------------------------------------------------------------------------------------
# Diagnostics


def test_a_diagnostic_has_its_code_its_place_and_its_help(client: Client) -> None:
    text = CLAIM.replace("real (count (mmap-row 𝔻s { r ⇒ 65.0 ≤ r.age }))", "count (mmap-row 𝔻s { r ⇒ 65.0 ≤ r.age })")
    (found,) = client.open("claim.eps.duet", text).diagnostics
    assert found.code == "D0311"
    assert found.severity == lsp.DiagnosticSeverity.Error
    assert found.source == "duetpy"
    assert spans(text, found.range) == "2.0 ⋅ count (mmap-row 𝔻s { r ⇒ 65.0 ≤ r.age })"
    assert "𝔻s has 2 here" in found.message
    assert "help: write a sensitivity of 2, or laplace[auto, …]" in found.message
    (claims,) = found.related_information or ()
    assert claims.message == "claims 1"
    assert spans(text, claims.location.range) == "1.0"


def test_a_change_is_checked_anew_and_a_closed_text_has_no_diagnostics(client: Client) -> None:
    assert client.open("change.eps.duet", "sλ x : ℝ ⇒ y").diagnostics
    assert not client.change("change.eps.duet", "sλ x : ℝ ⇒ x").diagnostics
    assert client.change("change.eps.duet", "sλ x : ℝ ⇒").diagnostics
    client.shut("change.eps.duet")
    assert not client.found(client.uri("change.eps.duet"), None).diagnostics


def test_a_warning_is_a_warning(client: Client) -> None:
    (found,) = client.open("warning.eps.duet", "pλ . x : ℝ ⇒ return 1").diagnostics
    assert (found.code, found.severity) == ("D0416", lsp.DiagnosticSeverity.Warning)


def test_of_many_changes_the_last_is_checked(client: Client) -> None:
    text = "sλ x : ℝ ⇒ let twice = x + x in twice"
    client.open("typing.duet", "")
    for end in range(len(text)):
        client.type("typing.duet", text[:end])
    assert not client.change("typing.duet", text).diagnostics


def test_texts_of_any_kind_are_answered(client: Client) -> None:
    """An incomplete program, a text that is not a program, and an empty text."""
    for number, text in enumerate(
        ("", "\n", "\ufeff", "\0", "pλ", "𝔻", "let", "{-", '"', "def f =", 'import "x.duet";', "))((", "\\")
    ):
        name = f"odd-{number}.eps.duet"
        client.open(name, text)
        at = end(text)
        client.hover(name, *at)
        client.complete(name, *at)
        client.definition(name, *at)
        client.format(name)
        assert client.hints(name) == []


def test_a_text_that_is_there_no_more_has_nothing_to_tell(client: Client) -> None:
    """A request and the end of a text may cross."""
    client.open("gone.duet", "sλ x : ℝ ⇒ x\n")
    client.shut("gone.duet")
    assert (client.hover("gone.duet", 0, 3), client.hints("gone.duet"), client.format("gone.duet")) == (None, [], [])
    with pytest.raises(JsonRpcException, match="no name"):
        client.rename("gone.duet", 0, 3, "y")


def test_a_text_that_is_no_file_is_checked(client: Client) -> None:
    assert not client.open("untitled:Untitled-1", "notion eps; sλ x : ℝ ⇒ x").diagnostics
    assert client.format("untitled:Untitled-1")


# ---------------------------------------------------------------------------------------------------------------------
# What is shown


def test_hovering_shows_type_metric_sensitivity_cost_and_rule(client: Client) -> None:
    assert not client.open("right.eps.duet", RIGHT).diagnostics
    table = hover_text(client.hover("right.eps.duet", *place(RIGHT, "𝔻s", nth=1)))
    assert "𝔻s : 𝕄 [L∞, U | m, age : 𝔻 ∷ []]" in table
    assert "distance: the number of rows that differ" in table
    assert "- `𝔻s`: 1" in table
    product = client.hover("right.eps.duet", *place(RIGHT, "⋅"))
    assert "- `𝔻s`: 2" in hover_text(product)
    assert "rule `⋅`: The product of two numbers." in hover_text(product)
    assert product is not None
    assert product.range is not None
    assert spans(RIGHT, product.range) == "2.0 ⋅ rest"
    release = hover_text(client.hover("right.eps.duet", *place(RIGHT, "laplace")))
    assert "privacy cost in pure ε\n\n- `𝔻s`: ε" in release
    assert "noise: sensitivity 2, scale 2/ε" in release
    assert "rule `laplace`" in release


def test_hovering_over_a_parameter_shows_why_it_costs_what_it_costs(client: Client) -> None:
    client.open("why.eps.duet", RIGHT)
    told = hover_text(client.hover("why.eps.duet", *place(RIGHT, "𝔻s : ")))
    assert "𝔻s costs ε" in told
    assert "noise for a sensitivity of 2" in told


def test_a_program_that_is_refused_shows_types_and_no_number(client: Client) -> None:
    text = RIGHT.replace("2.0 ⋅ rest", "2.0 ⋅ rest + missing")
    client.open("refused.eps.duet", text)
    told = hover_text(client.hover("refused.eps.duet", *place(text, "rest", nth=1)))
    assert "rest : ℝ" in told
    assert "no sensitivity and no cost is proved yet" in told
    assert "`𝔻s`" not in told
    assert client.hints("refused.eps.duet") == []


def test_hints_stand_behind_what_they_are_about(client: Client) -> None:
    client.open("hints.eps.duet", RIGHT)
    text = RIGHT.split("\n")
    shown = []
    for hint in client.hints("hints.eps.duet"):
        line = text[hint.position.line].encode("utf-16-le")
        shown.append((line[: 2 * hint.position.character].decode("utf-16-le").split()[-1], hint.label))
    assert shown == [("𝔻s", " costs ε"), ("laplace[auto", " = 2"), ("<𝔻s", ": 2")]


def test_the_definition_of_a_name_an_import_and_a_primitive(client: Client, folder: Path) -> None:
    library = "-- ⟨𝔻⟩\ndef clipped = sλ x : 𝔻 ⇒ clip[0.0, 1.0] x\n"
    (folder / "lib.duet").write_text(library, encoding="utf-8")
    text = 'import "lib.duet";\nsλ 𝔻x : 𝔻 ⇒ let y = clipped 𝔻x in y + y\n'
    client.open("definition.duet", text)
    local = client.definition("definition.duet", *place(text, "𝔻x", nth=1))
    assert local is not None
    assert (local.range.start.line, local.range.start.character) == place(text, "𝔻x")
    other = client.definition("definition.duet", *place(text, "clipped"))
    assert other is not None
    assert other.uri == client.uri("lib.duet")
    assert spans(library, other.range) == "clipped"
    file = client.definition("definition.duet", *place(text, "lib.duet"))
    assert file is not None
    assert file.uri == client.uri("lib.duet")
    plus = client.definition("definition.duet", *place(text, "+"))
    assert plus is not None
    assert plus.uri.endswith("/grammar/prelude.duet")


def test_the_definition_of_what_the_package_brings_along(client: Client) -> None:
    text = 'import "std:stats";\nnoisy-count\n'
    client.open("of-package.duet", text)
    for part in ("noisy-count", "std:stats"):
        found = client.definition("of-package.duet", *place(text, part))
        assert found is not None
        path = Path(found.uri.removeprefix("file://"))
        assert path.parts[-2:] == ("std", "stats.duet")
        assert path.is_file()


# ---------------------------------------------------------------------------------------------------------------------
# Edits


def test_a_name_is_renamed_where_it_is_meant_and_nowhere_else(client: Client) -> None:
    text = "sλ x : ℝ, 𝔻s : ℝ ⇒ let y = x in (let x = 𝔻s in x + y) + x -- x"
    client.open("rename.duet", text)
    edits = client.rename("rename.duet", *place(text, "x"), "𝔻t")
    assert list(edits) == [client.uri("rename.duet")]
    assert (
        applied(text, edits[client.uri("rename.duet")])
        == "sλ 𝔻t : ℝ, 𝔻s : ℝ ⇒ let y = 𝔻t in (let x = 𝔻s in x + y) + 𝔻t -- x"
    )


@pytest.mark.parametrize("new", ["y", "let", "a b", "", "2x", "-- x"])
def test_a_name_that_would_mean_something_else_is_refused(client: Client, new: str) -> None:
    text = "sλ x : ℝ ⇒ let y = x in x + y"
    client.open("capture.duet", text)
    with pytest.raises(JsonRpcException):
        client.rename("capture.duet", *place(text, "x"), new)


def test_a_definition_is_renamed_in_every_file_that_sees_it(client: Client, folder: Path) -> None:
    library = "def half = sλ x : ℝ ⇒ x / 2.0\ndef quarter = sλ x : ℝ ⇒ half (half x)\n"
    (folder / "halves.duet").write_text(library, encoding="utf-8")
    closed = 'import "halves.duet";\nsλ half : ℝ ⇒ quarter half\n'
    (folder / "closed.duet").write_text(closed, encoding="utf-8")
    saved = 'import "halves.duet";\nsλ y : ℝ ⇒ half y\n'
    (folder / "saved.duet").write_text(saved, encoding="utf-8")
    text = 'import "halves.duet";\nsλ z : ℝ ⇒ half (quarter z)\n'
    client.open("halving.duet", text)
    edits = client.rename("halving.duet", *place(text, "half"), "by-two")
    assert set(edits) == {client.uri(name) for name in ("halves.duet", "saved.duet", "halving.duet")}
    assert applied(text, edits[client.uri("halving.duet")]) == 'import "halves.duet";\nsλ z : ℝ ⇒ by-two (quarter z)\n'
    assert applied(saved, edits[client.uri("saved.duet")]) == 'import "halves.duet";\nsλ y : ℝ ⇒ by-two y\n'
    assert applied(library, edits[client.uri("halves.duet")]).count("by-two") == 3


def test_a_text_is_formatted_with_its_line_ends(client: Client) -> None:
    text = "-- 𝔻\r\nsλ x : ℝ ⇒\r\n   x   +    x\r\n"
    client.open("format.duet", text)
    (edit,) = client.format("format.duet")
    assert edit.new_text == "-- 𝔻\r\nsλ x : ℝ ⇒\r\n  x + x\r\n"
    assert edit.range == lsp.Range(lsp.Position(0, 0), lsp.Position(3, 0))
    client.change("format.duet", edit.new_text)
    assert client.format("format.duet") == []
    client.change("format.duet", "sλ x : ℝ ⇒ (")
    assert client.format("format.duet") == []


def test_a_backslash_and_a_name_become_a_sign(client: Client) -> None:
    text = "sλ 𝔻 : ℝ ⇒ \\ep"
    client.open("signs.duet", text)
    items = {item.label: item for item in client.complete("signs.duet", *end(text))}
    edit = items["\\eps"].text_edit
    assert isinstance(edit, lsp.TextEdit)
    assert applied(text, [edit]) == "sλ 𝔻 : ℝ ⇒ ε"
    assert items["\\eps"].filter_text == "\\eps"
    assert client.capabilities.completion_provider is not None
    assert client.capabilities.completion_provider.trigger_characters == ("\\", ".")


@pytest.mark.parametrize(
    ("typed", "sign"),
    [("\\Nat", "ℕ"), ("\\Disc", "𝔻"), ("\\forall", "∀"), ("\\=>", "⇒"), ("\\infty", "∞"), ("\\langle", "⟨")],
)
def test_every_sign_has_its_names(client: Client, typed: str, sign: str) -> None:
    client.open("names-of-signs.duet", typed)
    items = {item.label: item for item in client.complete("names-of-signs.duet", 0, len(typed))}
    edit = items[typed].text_edit
    assert isinstance(edit, lsp.TextEdit)
    assert edit.new_text == sign


def test_names_in_scope_primitives_and_mechanisms_are_offered(client: Client) -> None:
    text = "pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒ let far = 1.0 in n ← laplace[auto, ε] <xs> { co"
    client.open("complete.eps.duet", text)
    items = {item.label: item for item in client.complete("complete.eps.duet", *end(text))}
    assert {"xs", "ε", "far", "count", "laplace", "let"} <= set(items)
    assert "n" not in items
    assert items["count"].detail is not None
    assert "⊸" in items["count"].detail
    assert items["laplace"].detail == "laplace[sensitivity, ε] <inputs> { … }"
    assert "gauss" not in items, "there is no Gaussian noise in this notion"
    client.open("complete.ed.duet", text)
    items = {item.label: item for item in client.complete("complete.ed.duet", *end(text))}
    assert items["gauss"].detail == "gauss[sensitivity, ε, δ] <inputs> { … }"


def test_after_a_point_the_columns_are_offered(client: Client) -> None:
    """Of the row before it, in a program whose brackets are closed, as editors do at once; nothing of anything else."""
    before = "pλ xs : 𝔻𝔽[age : 𝔻, home-town : 𝕊] ⇒ laplace[1, 1] <xs> { real (rows (mfilter xs { r ⇒ r."
    for typed, after in (("", " })) }"), ("ho", " < 3.0 })) }")):
        client.open("columns.eps.duet", before + typed + after)
        items = {item.label: item for item in client.complete("columns.eps.duet", *end(before + typed))}
        assert set(items) == {"age", "home-town"}
        assert items["age"].detail == "𝔻"
    for other in ("sλ x : ℝ ⇒ x.", "sλ x : ℝ ⇒ x + 3."):
        client.open("columns.eps.duet", other)
        assert client.complete("columns.eps.duet", *end(other)) == []


def test_a_misspelt_mechanism_is_mended(client: Client) -> None:
    text = "pλ xs : 𝔻𝔽[age : 𝔻] ⇒ laplce[1, 1] <xs> { real (rows xs) }"
    (wrong,) = client.open("misspelt.eps.duet", text).diagnostics
    assert "did you mean laplace?" in wrong.message
    action = client.actions("misspelt.eps.duet", wrong.range)[0]
    assert action.title == "Replace `laplce` by `laplace`"


def test_a_program_in_ascii_is_offered_words_in_ascii(client: Client) -> None:
    client.open("ascii.duet", "slam x : Real => s")
    labels = {item.label for item in client.complete("ascii.duet", 0, 18)}
    assert {"sqrt", "Real", "plam"} <= labels
    assert not {"√", "ℝ", "pλ"} & labels


@pytest.mark.parametrize("text", ["-- co", "row.co", '"co', "sλ r : ℝ ⇒ r.co", "12"])
def test_nothing_is_offered_where_nothing_can_stand(client: Client, text: str) -> None:
    client.open("quiet.duet", text)
    assert client.complete("quiet.duet", 0, units(text)) == []


def test_a_help_that_is_an_edit_is_a_code_action(client: Client) -> None:
    text = CLAIM.replace("real (count (mmap-row 𝔻s { r ⇒ 65.0 ≤ r.age }))", "count (mmap-row 𝔻s { r ⇒ 65.0 ≤ r.age })")
    (found,) = client.open("action.eps.duet", text).diagnostics
    actions = {each.title: each for each in client.actions("action.eps.duet", found.range)}
    edit = actions["Infer the sensitivity: `laplace[auto, …]`"].edit
    assert edit is not None
    assert edit.changes is not None
    better = applied(text, list(edit.changes[client.uri("action.eps.duet")]))
    assert better == text.replace("1.0, ε", "auto, ε")
    assert not client.change("action.eps.duet", better).diagnostics
    assert client.actions("action.eps.duet", found.range) == []


@pytest.mark.parametrize("head", ["", "-- a comment\n", "notion eps;\n", '-- a comment\nimport "std:linear";\n'])
def test_an_import_that_is_missing_is_a_code_action(client: Client, head: str) -> None:
    text = f"{head}plam xs : DF[a : Disc], static eps : Real+ => noisy-count@[ . xs.[a], eps]\n"
    name = f"statistic{len(head)}.eps.duet"
    (found,) = client.open(name, text).diagnostics
    (action,) = client.actions(name, found.range)
    assert action.title == 'Write `import "std:stats";`'
    assert action.edit is not None
    assert action.edit.changes is not None
    better = applied(text, list(action.edit.changes[client.uri(name)]))
    assert not client.change(name, better).diagnostics
    assert sorted(better.split()) == sorted([*text.split(), "import", '"std:stats";'])


# ---------------------------------------------------------------------------------------------------------------------
# The command


@pytest.mark.parametrize(
    ("offered", "encoding"),
    [(lsp.PositionEncodingKind.Utf8, "utf-8"), (lsp.PositionEncodingKind.Utf32, "utf-32-le")],
)
def test_positions_count_what_client_and_server_agreed_on(
    offered: lsp.PositionEncodingKind, encoding: str, tmp_path: Path
) -> None:
    client = Client(tmp_path, [offered])
    assert client.capabilities.position_encoding == offered
    text = "-- 𝔻ε\nsλ 𝔻ε : ℝ ⇒ 𝔻ε + unknown"
    (found,) = client.open("encoded.duet", text).diagnostics
    assert spans(text, found.range, encoding) == "unknown"
    where = client.definition("encoded.duet", *place(text, "𝔻ε", encoding, nth=2))
    assert where is not None
    assert spans(text, where.range, encoding) == "𝔻ε"
    assert client.close() == 0


def test_without_the_library_the_command_says_how_to_install_it(tmp_path: Path) -> None:
    """A folder that comes first on the path stands for an environment without the library."""
    (tmp_path / "pygls.py").write_text(
        "raise ModuleNotFoundError('No module named pygls', name='pygls')\n", encoding="utf-8"
    )
    paths = environment()["PYTHONPATH"]
    done = subprocess.run(
        [sys.executable, "-m", "duetpy", "lsp"],
        env=environment(PYTHONPATH=f"{tmp_path}:{paths}"),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == NOT_INSTALLED.format(name="pygls")
    assert "pip install 'duetpy[lsp]'" in done.stderr


def test_what_is_no_message_ends_nothing_and_prints_nothing_else(tmp_path: Path) -> None:
    """Standard output is the protocol's: whatever comes in, nothing but messages goes out."""
    bad = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "unknown/method"}).encode()
    sent = b"Content-Length: %d\r\n\r\n%s" % (len(bad), bad)
    end = json.dumps({"jsonrpc": "2.0", "method": "exit"}).encode()
    sent += b"Content-Length: %d\r\n\r\n%s" % (len(end), end)
    done = subprocess.run(
        [sys.executable, "-m", "duetpy", "lsp", "--stdio"],
        input=sent,
        env=environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    left, seen = done.stdout, []
    while left:
        head, _, rest = left.partition(b"\r\n\r\n")
        (length,) = [int(line.partition(b":")[2]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length")]
        seen.append(json.loads(rest[:length]))
        left = rest[length:]
    assert seen
    assert {each["jsonrpc"] for each in seen} == {"2.0"}
