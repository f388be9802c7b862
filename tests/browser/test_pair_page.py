# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side: one scale, one window, and the difference of their stacks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page
from test_accessible_page import AXE, RULES

import threadmodel
from conftest import Visit

ROOT = Path(__file__).resolve().parents[2]
SLOW, FIXED = (ROOT / f"docs/examples/press/{name}.tmt" for name in ("slow", "fixed"))
MS = 1_000_000


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    return written(tmp_path)


def written(folder: Path, *options: str) -> Path:
    path = folder / "pair.html"
    command = [sys.executable, "-m", "threadmodel", "diff"]
    package = str(Path(threadmodel.__file__).parents[1])
    subprocess.run(
        [*command, SLOW, FIXED, "-o", path, *options],
        env={**os.environ, "PYTHONPATH": package},
        check=True,
    )
    return path


def windows(page: Page) -> list[tuple[int, int]]:
    """Return what each timeline shows: its begin, and the length of its scale."""
    found: list[tuple[int, int]] = page.evaluate(
        """() => [...document.querySelectorAll('.minimap')].map(one =>
            [+one.getAttribute('aria-valuenow'), +one.getAttribute('aria-valuemax')])"""
    )
    return [tuple(one) for one in found]  # type: ignore[misc]


def test_two_timelines_have_one_scale_and_one_window(visit: Visit, pair: Path) -> None:
    page = visit(pair)
    longest = max(threadmodel.open(path).length_ns for path in (SLOW, FIXED))
    assert windows(page) == [(0, longest), (0, longest)]
    for number, others in ((0, 1), (1, 0)):
        lanes = page.get_by_role("application", name="Timeline of threads")
        lanes.nth(number).focus()
        page.keyboard.press("+")
        page.keyboard.press("d")
        begins = [start for start, _ in windows(page)]
        assert begins[number] > 0
        assert begins[others] == begins[number]


def test_each_run_states_its_own_length(visit: Visit, pair: Path) -> None:
    page = visit(pair)
    for title, path, length in (("Before", SLOW, "1.53 s"), ("After", FIXED, "1.70 s")):
        side = page.get_by_role("region", name=title)
        assert path.name in side.locator("h2").first.inner_text()
        assert length in side.locator("h2").first.inner_text()
        assert length in side.locator(".panel").inner_text()


def test_a_part_is_what_both_show_at_first(visit: Visit, tmp_path: Path) -> None:
    page = visit(written(tmp_path, "--from", "400ms", "--to", "900ms"))
    assert [start for start, _ in windows(page)] == [400 * MS, 400 * MS]
    assert "500 ms -> 500 ms" in page.locator("main").inner_text()


def test_the_flame_graph_is_of_the_difference(visit: Visit, pair: Path) -> None:
    page = visit(pair)
    (before,) = [
        row["blocked_total_ns"]
        for row in threadmodel.open(SLOW).callers()
        if row["method"] == "Press.setAndPrint"
    ]
    frame = page.get_by_role("treeitem", name="Press.setAndPrint")
    assert before > 0
    assert frame.get_attribute("aria-label") == (
        "Press.setAndPrint: 2.66 s before, 0 ns after, -100 %"
    )
    page.get_by_role("button", name="Owners of the locks").click()
    page.get_by_role("treeitem", name="Press: 2.66 s before, 0 ns after").wait_for()


def test_the_page_of_two_runs_breaks_no_rule(visit: Visit, pair: Path) -> None:
    for scheme in ("light", "dark"):
        page = visit(pair, color_scheme=scheme, bypass_csp=True)
        page.evaluate(AXE.read_text())
        found = page.evaluate(RULES)["violations"]
        assert found == [], json.dumps(found, indent=1)
