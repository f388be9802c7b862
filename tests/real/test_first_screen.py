# SPDX-License-Identifier: Apache-2.0
"""The first screen of reports of real servers, each with a bottleneck planted in it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

import first_screen
import maven
import threadmodel
from cases import CASES
from jdks import JDKS
from rounds import PLANTED, Workshop

SERVERS = ("hikari", "h2-row", "tomcat-workers", "logback", "hsqldb-table")
PATIENCE_MS = 180_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium: ./dev check browser installs it")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium, args=["--headless", "--no-sandbox"]
        )
        yield started
        started.close()


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    if not JDKS:
        pytest.skip("no JDK")
    cases = [case for case in CASES if case.name in SERVERS]
    try:
        return Workshop(JDKS[0], tmp_path_factory.mktemp("servers"), cases)
    except maven.NotFetchedError as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("name", SERVERS)
def test_it_answers_what_where_who_how_much_and_what_now(
    name: str, workshop: Workshop, browser: Browser, tmp_path: Path
) -> None:
    (case,) = [case for case in CASES if case.name == name]
    trace, _ = workshop.record(case, PLANTED)
    path = tmp_path / "report.html"
    threadmodel.open(trace).report(path)
    for scheme in ("light", "dark"):
        page = browser.new_page(
            color_scheme=scheme,  # type: ignore[arg-type]
            viewport={"width": first_screen.WIDTH, "height": first_screen.HEIGHT},
        )
        page.set_default_timeout(PATIENCE_MS)
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready=all]")
        page.wait_for_selector(".finding .picture svg, .finding .ring")
        first_screen.check_first_finding(page)
        page.close()
