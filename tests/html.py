"""Reading pages: every element is closed in its place, and none loads or runs anything."""

from html.parser import HTMLParser

VOID = frozenset(("br", "meta"))
ALLOWED = VOID | frozenset(
    [
        "html",
        "head",
        "title",
        "style",
        "body",
        "h1",
        "h2",
        "p",
        "pre",
        "strong",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    ]
)
ATTRIBUTES = frozenset(("charset", "name", "content", "http-equiv", "lang", "class", "scope"))


class Page(HTMLParser):
    """The text of a page, with what it may not hold refused."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        assert {name for name, _ in attrs} <= ATTRIBUTES, attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def text_of_page(html: str) -> str:
    """The text of a page or a part of one; fails where it is not well formed."""
    page = Page()
    page.feed(html)
    page.close()
    assert not page.open
    assert "url(" not in html
    assert "@import" not in html
    return page.text
