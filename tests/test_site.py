"""The pages become a site in which every link leads somewhere, and that needs nothing from another place."""

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
NOT_IN_THE_NAVIGATION = "source"

pytest.importorskip("material", reason="the site needs mkdocs-material: python tools/requirements.py docs")


class Site(HTMLParser):
    """What a page of the site links to, what it loads, its places, and the text of its code."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in ("script", "img", "iframe") and "src" in given:
            self.loads.append(given["src"])
        elif tag == "link" and given.get("rel") != "canonical":
            self.loads.append(given["href"])


def build(folder: Path, target: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "mkdocs", "build", "--site-dir", str(target)],
        cwd=folder,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Site]:
    """The pages of the site, by their paths."""
    target = tmp_path_factory.mktemp("site").resolve()
    done = build(ROOT, target)
    assert done.returncode == 0, done.stderr
    return {path: Site(path.read_text(encoding="utf-8")) for path in target.rglob("*.html") if path.name != "404.html"}


def test_every_page_of_the_repository_is_in_the_site(site: dict[Path, Site]) -> None:
    shown = [path for path in site if f"/{NOT_IN_THE_NAVIGATION}/" not in path.as_posix()]
    assert len(shown) == len(PAGES)


def test_every_link_leads_to_a_file_and_to_a_place_in_it(site: dict[Path, Site]) -> None:
    places = cache(lambda path: site[path].places)
    for path, page in site.items():
        for link in page.links:
            if re.match(r"\w+:", link):
                continue
            target, _, place = unquote(link).partition("#")
            found = Path(os.path.normpath(path.parent / target)) if target else path
            assert found.is_file(), f"{path.name} links to {link}"
            assert not place or found not in site or place in places(found), f"{path.name} links to {link}"


def test_nothing_is_loaded_from_another_place(site: dict[Path, Site]) -> None:
    loaded = {each for page in site.values() for each in page.loads}
    assert any(each.endswith(".css") for each in loaded)
    assert [each for each in loaded if "//" in each] == []


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("[x](nowhere.md)", "nowhere.md"),
        ("[x](tutorial.md#nowhere)", "nowhere"),
        ("[x](../duetpy/nowhere.py)", "nowhere.py"),
    ],
    ids=["file", "place", "file of another folder"],
)
def test_a_link_that_leads_nowhere_stops_the_build(tmp_path: Path, wrong: str, says: str) -> None:
    for name in ("docs", "examples", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for page in [*ROOT.glob("*.md"), ROOT / "mkdocs.yml"]:
        shutil.copy(page, tmp_path)
    # The files to which pages link, beyond those folders.
    for name in ("duetpy", "tests", "benchmarks", "LICENSE", "CITATION.cff", "pyproject.toml", "Makefile"):
        (tmp_path / name).symlink_to(ROOT / name)
    with (tmp_path / "docs" / "ledger.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{wrong}\n")
    done = build(tmp_path, tmp_path / "out")
    assert done.returncode == 1
    assert says in done.stderr
