import os
from pathlib import Path

import pytest

import duetpy
from duetpy.library import Library
from duetpy.loading import read_source
from duetpy.source import Source
from tests.effort import often


def add(path: Path) -> tuple[Library, list[str]]:
    source = read_source(str(path))
    assert isinstance(source, Source)
    library = Library()
    library.add(source)
    return library, sorted(Path(name).name for name in library.programs)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lib").mkdir()
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_devices_and_pipes_are_not_imported(folder: Path) -> None:
    (folder / "null.duet").symlink_to(os.devnull)
    main = write(folder / "x.duet", 'import "null.duet";\nimport "pipe.duet";\n1\n')
    assert add(main)[1] == ["x.duet"]
    os.mkfifo(folder / "pipe.duet")
    assert add(main)[1] == ["x.duet"]
    write(folder / "null.zcdp.duet", "def a = 1.0\n")
    (folder / "file.duet").symlink_to(folder / "null.zcdp.duet")
    assert add(write(folder / "y.duet", 'import "file.duet";\na\n'))[1] == ["file.duet", "y.duet"]


def test_everything_that_is_imported_is_read_once(folder: Path) -> None:
    write(folder / "lib" / "a.duet", 'import "b.duet";\ndef a = 1.0\n')
    write(folder / "lib" / "b.duet", "def b = 1.0\n")
    main = write(folder / "x.duet", 'import "lib/a.duet";\nimport "lib/b.duet";\na + b\n')
    library, names = add(main)
    assert names == ["a.duet", "b.duet", "x.duet"]
    assert library.load(str(main), "lib/a.duet") is library.load(str(main), "lib/../lib/a.duet")
    assert library.load(str(main), "lib/none.duet") is None


def test_circles_end(folder: Path) -> None:
    write(folder / "a.duet", 'import "b.duet";\ndef a = 1.0\n')
    write(folder / "b.duet", 'import "a.duet";\ndef b = 1.0\n')
    _, names = add(folder / "a.duet")
    assert names == ["a.duet", "b.duet"]
    _, diagnostics = duetpy.load(folder / "a.duet").try_check()
    assert [diagnostic.code for diagnostic in diagnostics] == ["D0106"]


def test_long_chains_need_no_stack(folder: Path) -> None:
    length = often(600, 250)
    for index in range(length):
        write(folder / f"{index}.duet", f'import "{index + 1}.duet";\ndef x{index} = 1.0\n')
    write(folder / f"{length}.duet", "def max = 1.0\n")
    _, names = add(folder / "0.duet")
    assert len(names) == length + 1


def test_a_soft_word_that_an_import_defines_is_a_name(folder: Path) -> None:
    write(folder / "b.duet", "def max = ℝ⁺[3.0]\n")
    write(folder / "a.duet", 'import "b.duet";\ndef twice = sλ . x : ℝ ⇒ max ⋅ x\n')
    main = write(folder / "x.duet", 'import "a.duet";\nsλ . x : ℝ ⇒ max ⋅ (twice x)\n')
    assert duetpy.load(main).check().parameters["x"].sensitivity == "9"


@pytest.mark.parametrize("name", ["people.csv", "-", "x.duet.bak", "folder.duet", "a\\0b.duet"])
def test_only_programs_are_opened(folder: Path, name: str) -> None:
    (folder / "folder.duet").mkdir()
    if "\\0" not in name and name != "folder.duet":
        write(folder / name, "def secret = 8675309\n")
    main = write(folder / "x.duet", f'import "{name}";\n1.0\n')
    _, names = add(main)
    assert names == ["x.duet"]
