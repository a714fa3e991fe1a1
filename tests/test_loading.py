import io
from pathlib import Path

import pytest

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.loading import MAXIMAL_BYTES, notion_of_name, read_source, resolve_import, source_of
from duetpy.source import Source
from duetpy.typecheck.notions import Notion


@pytest.mark.parametrize(
    ("name", "notion"),
    [
        ("x.eps.duet", Notion.PURE),
        ("x.ed.duet", Notion.APPROX),
        ("x.approx.duet", Notion.APPROX),
        ("x.renyi.duet", Notion.RENYI),
        ("x.zcdp.duet", Notion.ZCDP),
        ("x.tcdp.duet", Notion.TCDP),
        ("x.gdp.duet", Notion.GDP),
        ("x.rao.duet", Notion.RAO),
        ("a.b.c.zcdp.duet", Notion.ZCDP),
        ("dir.eps.duet/x.zcdp.duet", Notion.ZCDP),
        ("./x.eps.duet", Notion.PURE),
        ("x.duet", None),
        ("x.nonsense.duet", None),
        ("dir.eps.duet/x.duet", None),
        ("eps.duet", None),
        ("x.zcdp.ed.duet.txt", None),
        ("-", None),
        ("<text>", None),
    ],
)
def test_the_name_chooses_the_notion(name: str, notion: Notion | None) -> None:
    assert notion_of_name(name) is notion


def refused(name: str) -> Diagnostic:
    found = read_source(name)
    assert isinstance(found, Diagnostic)
    return found


def test_a_file_is_read_with_any_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.duet"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    source = read_source(str(path))
    assert isinstance(source, Source)
    assert source.text == "a\nb\nc\n"
    assert source.name == str(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert refused(str(tmp_path / "none.duet")).code == "D0090"
    assert refused(str(tmp_path)).code == "D0090"
    assert refused("a\0b").code == "D0090"


def test_text_that_is_not_utf8_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "x.duet"
    path.write_bytes("εε\nαβ".encode() + b"\xff")
    diagnostic = refused(str(path))
    assert diagnostic.code == "D0091"
    assert diagnostic.where == f"{path}:2:3"
    assert "0xff" in diagnostic.notes[0]


def test_a_file_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.duet"
    path.write_bytes(b" " * (MAXIMAL_BYTES + 1))
    assert refused(str(path)).code == "D0090"
    assert "did you mean" not in str(refused(str(path)).help)
    path.write_bytes(b" " * MAXIMAL_BYTES)
    assert isinstance(read_source(str(path)), Source)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("ε\r\n".encode())))
    source = read_source("-")
    assert isinstance(source, Source)
    assert source.text == "ε\n"
    monkeypatch.setattr("sys.stdin", None)
    assert refused("-").code == "D0090"


@pytest.mark.parametrize(
    ("importer", "path", "found"),
    [
        ("x.duet", "y.duet", "y.duet"),
        ("dir/x.duet", "y.duet", "dir/y.duet"),
        ("dir/x.duet", "../y.duet", "y.duet"),
        ("-", "y.duet", "y.duet"),
        ("<text>", "sub/y.duet", "sub/y.duet"),
    ],
)
def test_imports_are_relative_to_the_importing_file(importer: str, path: str, found: str) -> None:
    assert resolve_import(importer, path) == str(Path(found))


def test_a_text_keeps_its_letters() -> None:
    assert source_of("x", "\ufeffe\u0301").text == "e\u0301"
