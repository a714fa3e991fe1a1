"""A ledger lies on a disk of this computer."""

import os
from fractions import Fraction
from pathlib import Path

import pytest

from duetpy.accounting.budget import Charge, parse_budget
from duetpy.diagnostics.error import DuetError
from duetpy.ledger import place, refusals
from duetpy.ledger.place import deepest, of_another, unescaped
from duetpy.ledger.store import Ledger, create
from tests.ledger.test_store import reserve

MOUNTS = """\
22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
23 22 0:20 / /proc rw - proc proc rw
24 22 0:30 / {folder} rw shared:3 master:1 - {kind} server:/export rw
"""


def mounted(monkeypatch: pytest.MonkeyPatch, folder: Path, kind: str) -> None:
    """A folder on another kind of file system, as far as the system's table tells."""
    table = folder.parent / "mountinfo"
    table.write_text(MOUNTS.format(folder=str(folder).replace(" ", "\\040"), kind=kind), encoding="utf-8")
    monkeypatch.setattr(place, "MOUNTS", table)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "a share"
    made.mkdir()
    return made


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "afs", "fuse.sshfs", "fuse.rclone", "ceph"])
def test_none_is_made_elsewhere(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounted(monkeypatch, folder, kind)
    path = folder / "people.ledger"
    with pytest.raises(DuetError) as caught:
        create(path, parse_budget("epsilon=1"), "people")
    (told,) = caught.value.diagnostics
    assert (told.code, told.message) == (
        "D0724",
        f"the ledger {path} is on a network file system",
    )
    assert told.notes == (f"{kind}: its locks may not work, so two runs could spend the same remaining budget",)
    assert told.help == "keep the ledger on a local disk"
    assert list(folder.iterdir()) == []


def test_none_is_charged_elsewhere_and_all_can_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "people.ledger"
    create(path, parse_budget("epsilon=1"), "people")
    assert reserve(path) == 1
    mounted(monkeypatch, folder, "nfs4")
    with pytest.raises(DuetError, match="network file system"):
        reserve(path)
    assert len(Ledger(path).state().entries) == 1


def test_a_link_to_elsewhere_is_followed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounted(monkeypatch, folder, "cifs")
    (folder.parent / "near").symlink_to(folder)
    assert of_another(folder.parent / "near" / "people.ledger") == "cifs"
    assert of_another(folder.parent / "people.ledger") is None


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "zfs", "tmpfs", "overlay", "fuseblk", "fuse.ntfs-3g", "apfs"])
def test_disks_of_this_computer_are_fine(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounted(monkeypatch, folder, kind)
    create(folder / "people.ledger", parse_budget("epsilon=1"), "people")
    assert reserve(folder / "people.ledger") == 1


def test_where_the_system_tells_nothing_nothing_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "MOUNTS", folder / "none")
    assert of_another(folder) is None
    (folder / "none").write_bytes(b"\xff\n1 2 3\n 4 5 6 7 8 9 - \n")
    assert of_another(folder) is None


def test_the_deepest_and_last_mount_counts() -> None:
    table = "1 0 0:1 / / rw - 9p none rw\n2 1 0:2 / /a rw - nfs x rw\n3 1 0:3 / /a rw - ext4 x rw\n4 3 0:4 / /ab rw - cifs x rw"
    assert deepest(table, "/a/x") == ("/a", "ext4")
    assert deepest(table, "/ab") == ("/ab", "cifs")
    assert deepest(table, "/abc") == ("/", "9p")
    assert unescaped(r"/a\040b\134040") == r"/a b\040"


def test_what_is_no_file_is_not_taken_for_one_that_is_missing(tmp_path: Path) -> None:
    """A pipe would be waited for."""
    os.mkfifo(tmp_path / "pipe")
    for path, told in [
        (tmp_path, "is not a regular file"),
        (tmp_path / "pipe", "is not a regular file"),
        (tmp_path / "no", "cannot find"),
    ]:
        with pytest.raises(DuetError, match=f"D0722.*{told}"):
            Ledger(path).state()


def test_commands_take_paths_as_one_word(tmp_path: Path) -> None:
    """A path may hold what a shell reads in another way, and a program's name as well."""
    path = tmp_path / "my $HOME.ledger"
    create(path, parse_budget("epsilon=1"), "people")
    asked = Charge(Fraction(2))
    (spent,) = refusals.exceeded(path, Ledger(path).state(), asked, {"program": "a b.eps.duet"}).diagnostics
    assert f"(duetpy calibrate 'a b.eps.duet' --ledger '{path}' --vary …)" in (spent.help or "")
    (linked,) = refusals.linked(path).diagnostics
    assert f"find … -samefile '{path}'" in (linked.help or "")
