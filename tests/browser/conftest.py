# SPDX-License-Identifier: Apache-2.0
"""A headless browser, and reports opened in it from disk.

What a page shows is read from it: from its elements, and for what is painted from the
state that it was painted from, `threadmodelTimeline`. Nothing here waits for a time;
what takes long on a busy machine is waited for until it is there.
"""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright

import random_runs
import runs
import threadmodel

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Long enough for any machine: what takes so long is broken.
PATIENCE_MS = 180_000
VIEWS = ("overview", "timeline", "statistics", "locks", "whatif", "flame")

Visit = Callable[..., Page]
Show = Callable[..., Page]


@pytest.fixture
def model() -> threadmodel.Model:
    model = threadmodel.Model()
    runs.fill(model)
    return model


@pytest.fixture
def busy() -> threadmodel.Model:
    model = threadmodel.Model()
    random_runs.fill(model, 9, threads=7, objects=4, count=2500)
    return model


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    assert CHROMIUM, "no chromium: ./dev check browser installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Watched:
    """What a page did besides showing: each of these is a fault."""

    def __init__(self, page: Page) -> None:
        self.faults: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("console", self._heard)
        page.on("dialog", self._asked)
        page.on("request", lambda request: self.requests.append(request.url))

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"{message.type}: {message.text}")

    def _asked(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Open a page from disk, and at the end look at what it did."""
    watched: list[tuple[Watched, str]] = []
    contexts = []

    def open_page(path: Path, **options: Any) -> Page:
        options.setdefault("viewport", {"width": 1400, "height": 900})
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        watched.append((Watched(page), path.as_uri()))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready=all]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    for pages, uri in watched:
        assert pages.faults == []
        assert [url for url in pages.requests if url != uri] == []


@pytest.fixture
def show(visit: Visit, tmp_path: Path) -> Show:
    """Open the report of a model."""

    def open_report(
        model: threadmodel.Model, view: str = "overview", **options: Any
    ) -> Page:
        path = tmp_path / f"report-{len([*tmp_path.glob('report-*')])}.html"
        model.to_html(path, detail=options.pop("detail", 400_000))
        page = visit(path, **options)
        if view != "overview":
            go(page, view)
        return page

    return open_report


def go(page: Page, view: str) -> None:
    """Open a view by its tab."""
    page.click(f"#tab-{view}")
    page.wait_for_selector(f"#view[aria-labelledby=tab-{view}]")
    if view == "timeline":
        page.wait_for_selector(".lanes[data-drawn]")


def state(page: Page, expression: str) -> Any:
    """Read the timeline's state: `s` is it, `scene` what draws it."""
    return page.evaluate(
        "() => { const { state: s, scene } = threadmodelTimeline;"
        f" void scene; return {expression}; }}"
    )


def grid(page: Page, label: str) -> Locator:
    """Find a table by what it is called."""
    return page.locator(f'[role=grid][aria-label="{label}"]').first


def grid_rows(page: Page, label: str) -> list[dict[str, str]]:
    """Return what a table shows: text by the id of the column, in the order shown."""
    found: list[dict[str, str]] = grid(page, label).evaluate(
        """grid => [...grid.querySelectorAll('[role=row][row-id]')]
            .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
            .map(row => Object.fromEntries([...row.querySelectorAll('[col-id]')]
                .map(one => [one.getAttribute('col-id'), one.textContent.trim()])))"""
    )
    return found


def until(page: Page, read: Callable[[], Any], wanted: Any) -> Any:
    """Read again, frame after frame, until it is what is wanted; what it then is."""
    for _ in range(500):
        found = read()
        if found == wanted:
            break
        page.evaluate("() => new Promise(requestAnimationFrame)")
    return found


def cell(page: Page, label: str, row: int, column: str) -> Locator:
    """Find a cell of a table by the place of its row and the id of its column."""
    return grid(page, label).locator(f'[row-index="{row}"] [col-id="{column}"]')
