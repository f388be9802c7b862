# SPDX-License-Identifier: Apache-2.0
"""Pictures of the pages, taken of real reports in a browser; ./dev docs --pictures.

Screens of a terminal are what the commands print, on the recordings of the pages. That
of `top` is what it draws at the end of a recording, as it does while one is written.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI

import threadmodel
from describe import ROOT
from threadmodel.cli import page as sheet
from threadmodel.cli import top_screen, why_page
from threadmodel.cli.page import Section
from threadmodel.text import duration

EXAMPLES = ROOT / "docs" / "examples"
PICTURES = ROOT / "docs" / "pictures"
PATIENCE_MS = 180_000
COLUMNS, LINES = 110, 26
TERMINAL = """<!doctype html><html lang="en"><title>A terminal</title>
<style>body {{ margin: 0; background: #12151c; color: #e6e9f0; }}
pre {{ margin: 16px 20px; font: 15px/1.4 "DejaVu Sans Mono", monospace; }}</style>
<pre>{code}</pre></html>"""


@dataclass(frozen=True)
class Picture:
    """A view of a run's report, and its height."""

    run: str
    view: str
    height: int


@dataclass(frozen=True)
class Screen:
    """Sections of a run that a command prints in a terminal."""

    run: str
    sections: Callable[[threadmodel.Model, Console], list[Section]]


def _tree(model: threadmodel.Model, _: Console) -> list[Section]:
    return [why_page.tree(model.causes(main=True), 0.01, 12)]


def _live(model: threadmodel.Model, console: Console) -> list[Section]:
    view = top_screen.View(window_ns=10**10, height=LINES)
    heading = f"Shop, {duration(model.length_ns)}"
    return top_screen.sections(model, view, heading, console)


ALL: dict[str, Picture | Screen] = {
    "tree": Screen("shop/slow.tmt", _tree),
    "live": Screen("shop/slow.tmt", _live),
    "findings": Picture("demo/demo.tmt", "overview", 760),
    "timeline": Picture("demo/demo.tmt", "timeline", 640),
    "locks": Picture("demo/demo.tmt", "locks", 640),
    "service": Picture("shop/slow.tmt", "overview", 700),
    "pool": Picture("shop/fixed.tmt", "overview", 700),
    "virtual": Picture("fetch/fetch.tmt", "overview", 700),
}


@contextmanager
def chromium() -> Iterator[Browser]:
    """Open a browser without a window."""
    program = shutil.which("chromium")
    assert program, "no chromium: ./dev check browser installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--headless", "--no-sandbox"]
        )
        yield browser
        browser.close()


def open_report(browser: Browser, picture: Picture | Screen, folder: Path) -> Page:
    """Show a view of a run's report, in a window of the picture's size."""
    report = folder / "report.html"
    # The page names its source as it was opened: not where this tree lies.
    with chdir(EXAMPLES):
        model = threadmodel.open(picture.run)
    if isinstance(picture, Screen):
        return _open_screen(browser, picture, model, report)
    model.to_html(report)
    page = browser.new_page(viewport={"width": 1200, "height": picture.height})
    page.set_default_timeout(PATIENCE_MS)
    page.goto(report.as_uri())
    page.wait_for_selector("html[data-ready=all]")
    if picture.view != "overview":
        page.click(f"#tab-{picture.view}")
    if picture.view == "timeline":
        page.wait_for_selector(".lanes[data-drawn]")
    return page


def _open_screen(
    browser: Browser, screen: Screen, model: threadmodel.Model, path: Path
) -> Page:
    """Show what a command prints, in a window as wide as the terminal."""
    with open("/dev/null", "w") as nowhere:
        console = Console(
            record=True,
            width=COLUMNS,
            file=nowhere,
            force_terminal=True,
            color_system="truecolor",
            highlight=False,
        )
        sheet.show(screen.sections(model, console), console)
    path.write_text(
        console.export_html(
            inline_styles=True, code_format=TERMINAL, theme=DIMMED_MONOKAI
        )
    )
    page = browser.new_page(viewport={"width": 1060, "height": 200})
    page.goto(path.as_uri())
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": 1060, "height": height})
    return page


def photograph(browser: Browser, name: str, folder: Path) -> Path:
    """Take a picture into a folder."""
    path = folder / f"{name}.png"
    with tempfile.TemporaryDirectory() as work:
        page = open_report(browser, ALL[name], Path(work))
        page.screenshot(path=path)
        page.close()
    return path


def photograph_all() -> None:
    """Take all pictures anew, into docs/pictures."""
    PICTURES.mkdir(exist_ok=True)
    with chromium() as browser:
        for name in ALL:
            print(photograph(browser, name, PICTURES).relative_to(ROOT))
