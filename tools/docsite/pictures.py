# SPDX-License-Identifier: Apache-2.0
"""Pictures of the pages, taken of real reports in a browser; ./dev docs --pictures."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

import threadmodel
from describe import ROOT

EXAMPLES = ROOT / "docs" / "examples"
PICTURES = ROOT / "docs" / "pictures"
PATIENCE_MS = 180_000


@dataclass(frozen=True)
class Picture:
    """Of which run, which view of the report, and how tall."""

    run: str
    view: str
    height: int


ALL = {
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


def open_report(browser: Browser, picture: Picture, folder: Path) -> Page:
    """Show a view of a run's report, in a window of the picture's size."""
    report = folder / "report.html"
    # The page names its source as it was opened: not where this tree lies.
    with chdir(EXAMPLES):
        threadmodel.open(picture.run).to_html(report)
    page = browser.new_page(viewport={"width": 1200, "height": picture.height})
    page.set_default_timeout(PATIENCE_MS)
    page.goto(report.as_uri())
    page.wait_for_selector("html[data-ready=all]")
    if picture.view != "overview":
        page.click(f"#tab-{picture.view}")
    if picture.view == "timeline":
        page.wait_for_selector(".lanes[data-drawn]")
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
