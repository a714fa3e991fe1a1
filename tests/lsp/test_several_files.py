"""Several texts in an editor that import each other: open, saved, changed by others, and named in several ways."""

from pathlib import Path

from lsprotocol import types as lsp

from tests.lsp.client import Client, hover_text, place, spans


def test_a_mistake_in_an_imported_file_stands_at_the_import(client: Client, folder: Path) -> None:
    (folder / "broken.duet").write_text("def wrong = 1 +\n", encoding="utf-8")
    text = 'import "broken.duet";\nsλ x : ℝ ⇒ x\n'
    (found,) = client.open("importer.duet", text).diagnostics
    assert spans(text, found.range) == 'import "broken.duet"'
    (where,) = found.related_information or ()
    assert where.location.uri == client.uri("broken.duet")


def test_a_text_that_is_not_saved_is_what_others_import(client: Client, folder: Path) -> None:
    (folder / "shared.duet").write_text("def two = 1.0\n", encoding="utf-8")
    client.open("shared.duet", "def two = 2.0\n")
    client.open("uses.duet", 'import "shared.duet";\nsλ x : ℝ ⇒ two ⋅ x\n')
    hover = client.hover("uses.duet", 1, 11)
    assert "ℝ⁺[2]" in hover_text(hover)
    client.change("shared.duet", "def three = 3.0\n")
    with client.arrived:
        uri = client.uri("uses.duet")
        assert client.arrived.wait_for(lambda: bool(client.published[uri][-1].diagnostics), 60)
    assert client.published[uri][-1].diagnostics[0].code == "D0101"


def test_hints_of_a_text_follow_the_files_that_it_imports(client: Client, folder: Path) -> None:
    """The next answer has them, and the server tells the editor to ask again."""
    (folder / "scale.duet").write_text("def f = sλ x : ℝ ⇒ x\n", encoding="utf-8")
    client.open("scaled.duet", 'import "scale.duet";\nsλ y : ℝ ⇒ f y\n')
    client.open("scale.duet", "def f = sλ x : ℝ ⇒ x\n")
    before = client.refreshed
    for times in (2, 3, 4):
        client.type("scale.duet", f"def f = sλ x : ℝ ⇒ {times}.0 ⋅ x\n")
        assert [each.label for each in client.hints("scaled.duet")] == [f" moves the result by ≤ {times}"]
    with client.arrived:
        assert client.arrived.wait_for(lambda: client.refreshed > before, 60)


def test_a_file_that_changes_on_disk_is_read_again(client: Client, folder: Path) -> None:
    (folder / "disk.duet").write_text("def two = 1.0\n", encoding="utf-8")
    client.open("of-disk.duet", 'import "disk.duet";\nsλ x : ℝ ⇒ two ⋅ x\n')
    (folder / "disk.duet").write_text("def three = 1.0\n", encoding="utf-8")
    change = lsp.FileEvent(client.uri("disk.duet"), lsp.FileChangeType.Changed)
    params = lsp.DidChangeWatchedFilesParams([change])
    client.tell(lambda: client.client.workspace_did_change_watched_files(params))
    with client.arrived:
        uri = client.uri("of-disk.duet")
        assert client.arrived.wait_for(lambda: bool(client.published[uri][-1].diagnostics), 60)
    assert client.published[uri][-1].diagnostics[0].code == "D0101"


def test_a_file_that_changes_on_disk_is_read_again_without_being_told(client: Client, folder: Path) -> None:
    """Not every editor watches files, and what was proved with the old one must not be shown."""
    (folder / "untold.duet").write_text("def f = sλ x : ℝ ⇒ x\n", encoding="utf-8")
    (folder / "of-untold.duet").write_text('import "untold.duet";\n', encoding="utf-8")
    client.open("shows.duet", 'import "of-untold.duet";\nsλ y : ℝ ⇒ f y\n')
    assert [each.label for each in client.hints("shows.duet")] == [" moves the result by ≤ 1"]
    (folder / "untold.duet").write_text("def f = sλ x : ℝ ⇒ x + x\n", encoding="utf-8")
    assert [each.label for each in client.hints("shows.duet")] == [" moves the result by ≤ 2"]


def found_anew(client: Client, name: str, before: int) -> list[str]:
    """The codes of what was found of a text last, once it was checked more often than before."""
    uri = client.uri(name)
    with client.arrived:
        assert client.arrived.wait_for(lambda: len(client.published[uri]) > before, 60)
        return [str(each.code) for each in client.published[uri][-1].diagnostics]


def test_a_text_that_is_closed_without_being_saved_is_what_others_import_no_more(client: Client, folder: Path) -> None:
    (folder / "twice.duet").write_text("def f = sλ x : ℝ ⇒ x + x\n", encoding="utf-8")
    client.open("twice.duet", "def f = sλ x : ℝ ⇒ x\n")
    client.open("calls.duet", 'import "twice.duet";\nsλ y : ℝ ⇒ f y\n')
    assert [each.label for each in client.hints("calls.duet")] == [" moves the result by ≤ 1"]
    before = len(client.published[client.uri("calls.duet")])
    client.shut("twice.duet")
    assert found_anew(client, "calls.duet", before) == []
    assert [each.label for each in client.hints("calls.duet")] == [" moves the result by ≤ 2"]


def test_a_missing_file_is_read_when_it_is_there(client: Client) -> None:
    missing = client.open("early.duet", 'import "late.duet";\nsλ y : ℝ ⇒ g y\n')
    assert [each.code for each in missing.diagnostics] == ["D0105", "D0101"]
    client.open("late.duet", "def g = sλ x : ℝ ⇒ x\n")
    assert found_anew(client, "early.duet", 1) == []
    client.shut("late.duet")
    assert found_anew(client, "early.duet", 2) == ["D0105", "D0101"]


def test_an_address_is_written_as_the_editor_writes_it(client: Client, folder: Path) -> None:
    """Editors and libraries do not write the same signs of a path in the same way."""
    library, program = (f"file://{folder}/{name}".replace(" ", "%20") for name in ("spelt.duet", "spells.duet"))
    assert library != client.uri("spelt.duet")
    client.open(library, "def two = 2.0\n")
    text = 'import "spelt.duet";\nsλ x : ℝ ⇒ two ⋅ x\n'
    assert not client.open(program, text).diagnostics
    assert set(client.rename(program, *place(text, "two"), "twice")) == {library, program}
    client.type(library, "def three = 3.0\n")
    assert found_anew(client, program, 1) == ["D0101"]
