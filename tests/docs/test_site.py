# SPDX-License-Identifier: Apache-2.0
"""The site of the documents: it is made without a complaint, it is whole, it works from
disk."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import threadmodel
from describe import ROOT
from describe.headers import read_api
from threadmodel.cli import COMMANDS

PATIENCE_MS = 180_000


class Anchors(HTMLParser):
    """What of a page can be led to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.feed(page.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids |= {value for name, value in attrs if name == "id" and value}


def slug(name: str) -> str:
    """The id of a heading that is a name."""
    return name.lower().replace("_", "-")


def test_each_document_is_a_page(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix(".html")
        assert (site / name).is_file(), name


def test_the_reference_has_all_of_c(site: Path) -> None:
    api = read_api()
    wanted = {*api.functions, *api.callbacks, *api.structs, *api.enums}
    pages = (site / "reference/c").glob("*.html")
    headed = set().union(*(Anchors(page).ids for page in pages))
    assert {name for name in wanted if slug(name) not in headed} == set()


def test_the_reference_has_all_of_python(site: Path) -> None:
    ids = Anchors(site / "reference/python.html").ids
    assert {
        name
        for name in threadmodel.__all__
        if slug(name) not in {one.lower() for one in ids}
    } == set()
    questions = {
        name
        for name in vars(threadmodel.Model)
        if not name.startswith("_") and callable(getattr(threadmodel.Model, name))
    }
    assert questions
    assert {n for n in questions if f"threadmodel.Model.{n}" not in ids} == set()


def test_the_reference_has_all_commands_and_their_options(site: Path) -> None:
    text = (site / "reference/commands.html").read_text()
    for name in COMMANDS:
        assert f"threadmodel {name}" in text
    assert "--no-regression" in text


def test_the_reference_has_the_options_of_the_agent(site: Path) -> None:
    text = (site / "reference/agent.html").read_text()
    for option in ("file=", "depth=", "held="):
        assert option in text


def test_the_site_asks_the_network_for_nothing(site: Path, browser: Browser) -> None:
    context = browser.new_context(offline=True)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto((site / "index.html").as_uri())
    assert faults == []
    assert [url for url in asked if not url.startswith("file:")] == []
    context.close()


def test_a_search_finds_a_page_without_a_server(site: Path, browser: Browser) -> None:
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{(site / 'search.html').as_uri()}?q=tenure")
    page.wait_for_selector("#search-results li a")
    found = page.locator("#search-results li a").all_inner_texts()
    assert any("Concepts" in text or "Design" in text for text in found)
    context.close()


@pytest.mark.parametrize("width", [390, 1400])
def test_no_page_is_wider_than_its_window(
    site: Path, browser: Browser, width: int
) -> None:
    context = browser.new_context(
        offline=True, viewport={"width": width, "height": 900}
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    wide = []
    for path in sorted(site.glob("*.html")):
        page.goto(path.as_uri())
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wide.append(path.name)
    context.close()
    assert wide == []
