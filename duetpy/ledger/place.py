"""Where a ledger may lie: not on a file system of another computer, under one name, and next to nothing that blocks.

sqlite's transactions rest on locks and on a sync that reaches the disk. Between computers either may be missing without any
error (sqlite.org/lockingv3.html, section 6; sqlite.org/faq.html, question 5), and then two processes spend the same rest.

Linux tells the kind of every mounted file system in /proc/self/mountinfo (proc(5)), and Windows writes shares with two
backslashes. On other systems nothing is known here, and nothing is refused.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from duetpy.diagnostics.display import visible
from duetpy.ledger import refusals

BESIDE = ("-journal", "-wal", "-shm")
"""What sqlite keeps next to a file (sqlite.org/tempfiles.html)."""

JOURNAL = bytes.fromhex("d9d505f920a163d7")

OF_JOURNALS = ("-journal", "-wal")

STARTS = (JOURNAL, b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
"""How a journal and a write-ahead log begin (sqlite.org/fileformat2.html, sections 3 and 4.1); with zeros, one that is being
written."""

MOUNTS = Path("/proc/self/mountinfo")

OF_OTHERS = refusals.named(
    """
    nfs nfs4 cifs smb2 smb3 smbfs ncp ncpfs afs kafs coda ceph 9p virtiofs vboxsf vmhgfs prl_fs acfs davfs
    lustre gpfs beegfs beegfs_nodev glusterfs orangefs pvfs2 ocfs2 gfs gfs2 panfs wekafs
    """
)
"""Kinds of file systems whose files lie on other computers, or on the host of a virtual machine, and may be open there too."""

OF_OTHERS_IN_USER_SPACE = refusals.named(
    """
    sshfs rclone s3fs goofys gcsfuse geesefs glusterfs ceph-fuse ceph davfs davfs2 curlftpfs smbnetfs afpfs
    juicefs blobfuse blobfuse2 moosefs mfs mount-s3 mountpoint-s3 google-drive-ocamlfuse gvfsd-fuse
    vmhgfs-fuse portal onedriver seaweedfs alluxio-fuse
    """
)
"""The same for what follows `fuse.`."""

_ESCAPED = re.compile(r"\\([0-7]{3})")


def place_of(given: object) -> Path:
    """The path of a ledger, which may be given as bytes by an object that stands for it; raises `ValueError` for what says none."""
    if isinstance(given, str | os.PathLike):
        with suppress(Exception):
            return Path(os.fsdecode(given))
    raise ValueError("ledger is not a path")


def of_another(path: Path) -> str | None:
    """The kind of file system, if no ledger may lie on it; None for other kinds, and if the kind is not known."""
    place = os.path.realpath(path)
    if sys.platform == "win32":
        return "a network share" if place.startswith("\\\\") and not place.startswith("\\\\?\\") else None
    try:
        mounts = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    at, kind = deepest(mounts, place)
    # The root of a sandbox may be shown as 9p; nobody else has it.
    return kind if is_of_others(kind) and not (kind == "9p" and at == "/") else None


def deepest(mounts: str, place: str) -> tuple[str, str]:
    """The mount under which a real path lies, and its kind; of several at one point the last covers the others."""
    found, kind = "", ""
    for line in mounts.splitlines():
        fields, _, rest = line.partition(" - ")
        parts = fields.split(" ")
        if len(parts) < 5 or not rest:
            continue
        point = unescaped(parts[4])
        is_above = point == "/" or place == point or place.startswith(f"{point}/")
        if is_above and len(point) >= len(found):
            found, kind = point, rest.split(" ")[0]
    return found, kind


def unescaped(point: str) -> str:
    """Spaces, tabs, line breaks and backslashes are written by their octal number."""
    return _ESCAPED.sub(lambda code: chr(int(code[1], 8)), point)


def is_of_others(kind: str) -> bool:
    first, _, name = kind.partition(".")
    return first in OF_OTHERS or (first in ("fuse", "fuseblk") and name in OF_OTHERS_IN_USER_SPACE)


def refuse_far(path: Path) -> None:
    """Raises `DuetError` where the file lies, or would lie, on a file system of another computer."""
    try:
        kind = of_another(path)
    except (OSError, ValueError) as error:
        raise refusals.unusable(path, error) from None
    if kind is not None:
        raise refusals.far(path, kind)


def refuse_names(path: Path) -> None:
    """Raises `DuetError` for anything but a regular file, for a file with two names, or one next to another database's log."""
    if path.is_symlink():
        raise refusals.refusal(refusals.NO_LEDGER, f"{visible(str(path))} is a link", "name the file itself")
    if not path.exists():
        raise refusals.refusal(
            refusals.NO_LEDGER,
            f"cannot find the ledger {visible(str(path))}",
            "create one with duetpy ledger create PATH --budget epsilon=1",
        )
    if not path.is_file():
        message = f"{visible(str(path))} is not a regular file"
        raise refusals.refusal(refusals.NO_LEDGER, message, "name the file that ledger create made")
    if path.stat().st_nlink > 1:
        raise refusals.linked(path)
    refuse_beside(path)
    for other, _ in _beside(path):
        if other.endswith("-wal"):
            raise refusals.other_log(path, other)


def refuse_beside(path: Path) -> None:
    """Raises `DuetError` where sqlite would open something next to the file that is not a file, or would take away what it did
    not write: whatever has the name of a journal is deleted as one."""
    for other, mode in _beside(path):
        if not stat.S_ISREG(mode):
            raise refusals.no_file_beside(path, other)
        start = _start(other) if other.endswith(OF_JOURNALS) else b""
        if not start.startswith(STARTS) and start.strip(b"\0"):
            raise refusals.no_journal(path, other)


def _start(path: str) -> bytes:
    """The first bytes of a file; none where another process has finished with it meanwhile."""
    try:
        with open(path, "rb") as file:
            return file.read(8)
    except FileNotFoundError:
        return b""


def refuse_name(path: Path) -> None:
    """Raises `DuetError` for the name of a new ledger that sqlite would take for that of another file's journal."""
    if path.name.endswith(BESIDE):
        raise refusals.refusal(
            refusals.NO_LEDGER,
            f"{visible(str(path))} is a name that SQLite uses for its own files",
            "choose a name that does not end in -journal, -wal or -shm",
        )


def _beside(path: Path) -> Iterator[tuple[str, int]]:
    """What lies next to a ledger under a name that sqlite opens, and its mode; links are not followed."""
    for end in BESIDE:
        other = f"{path}{end}"
        try:
            yield other, os.lstat(other).st_mode
        except FileNotFoundError:
            continue
