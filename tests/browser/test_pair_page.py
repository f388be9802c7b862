# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side: one scale, one window, and the difference of their stacks."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page
from test_accessible_page import AXE, RULES

import threadmodel
from conftest import Visit, grid_rows, until
from threadmodel import Selection
from threadmodel.cli import why_page
from threadmodel.text import duration

ROOT = Path(__file__).resolve().parents[2]
SLOW, FIXED = (ROOT / f"docs/examples/press/{name}.tmt" for name in ("slow", "fixed"))
MS = 1_000_000


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    return written(tmp_path)


def written(
    folder: Path, *options: str, runs: tuple[Path, Path] = (SLOW, FIXED)
) -> Path:
    path = folder / "pair.html"
    command = [sys.executable, "-m", "threadmodel", "diff"]
    package = str(Path(threadmodel.__file__).parents[1])
    subprocess.run(
        [*command, *runs, "-o", path, *options],
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
        side = page.get_by_role("region", name=f"{title}: ")
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
    frame = page.locator(".flame").get_by_role("treeitem", name="Press.setAndPrint")
    assert before > 0
    assert frame.get_attribute("aria-label") == (
        "Press.setAndPrint: 2.66 s before, 0 ns after, -100 %"
    )
    page.get_by_role("button", name="Owners of the locks").click()
    page.get_by_role("treeitem", name="Press: 2.66 s before, 0 ns after").wait_for()


def test_causes_of_both_runs_are_beside_one_another(
    visit: Visit, tmp_path: Path
) -> None:
    slow, fixed = (ROOT / f"docs/examples/shop/{it}.tmt" for it in ("slow", "fixed"))
    page = visit(written(tmp_path, runs=(slow, fixed)))
    tables = [threadmodel.open(path).causes(main=True) for path in (slow, fixed)]
    changes = why_page.changes(*tables)
    region = page.get_by_role("region", name="What changed, for each request")
    words = region.locator("h2 .aside").inner_text()
    assert words.startswith("241 ms before, 104 ms after")
    rows = grid_rows(page, "Causes, before and after")
    for row in rows[:8]:
        assert any(
            row["cause"] == change.text
            and row["before"] == duration(round(change.before_ns))
            and row["after"] == duration(round(change.after_ns))
            for change in changes
        ), row
    most = next(it for it in changes if it.text == "asleep in Shop$Prices.ask")
    assert most.before_ns == pytest.approx(187 * MS, abs=2 * MS)
    asleep = f"{most.text}: {duration(round(most.before_ns))} before, 0 ns after"
    assert region.get_by_role("treeitem", name=asleep).count() == 1


def test_a_range_drives_the_tables_of_both_and_stands_in_the_address(
    visit: Visit, pair: Path
) -> None:
    page = visit(pair)
    page.get_by_role("application", name="Timeline of threads").first.focus()
    page.keyboard.press("+")
    page.wait_for_function("() => location.hash.includes('from=')")
    page.keyboard.press("d")
    hashed = page.evaluate("location.hash")
    page.wait_for_function("before => location.hash !== before", arg=hashed)
    address = page.url
    found = re.fullmatch(r"#from=(\d+)&to=(\d+)", page.evaluate("location.hash"))
    assert found
    part = Selection(window=(int(found[1]), int(found[2])))

    def wanted() -> dict[str, str]:
        sums = [
            sum(
                row["blocked_total_ns"]
                for row in threadmodel.open(path).callers(part)
                if row["method"] == "Press.setAndPrint"
            )
            for path in (SLOW, FIXED)
        ]
        return dict(zip(("before", "after"), map(duration, sums), strict=True))

    def shown() -> dict[str, str]:
        for row in grid_rows(page, "Waits, before and after"):
            if (
                row["where"].startswith("Press.setAndPrint")
                and row["state"] == "blocked"
            ):
                return {name: row[name] for name in ("before", "after")}
        return {}

    assert until(page, shown, wanted()) == wanted()
    stacks = page.locator(".flame")
    blocked = stacks.get_by_role("treeitem", name="Press.setAndPrint")
    words = f"{wanted()['before']} before, {wanted()['after']} after"
    page.wait_for_function(
        "words => document.body.innerHTML.includes(words)", arg=words
    )
    assert words in (blocked.get_attribute("aria-label") or "")
    # A link to it shows the same.
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("html[data-ready=all]")
    assert [start for start, _ in windows(page)] == [int(found[1])] * 2


def test_the_page_of_two_runs_breaks_no_rule(visit: Visit, pair: Path) -> None:
    for scheme in ("light", "dark"):
        page = visit(pair, color_scheme=scheme, bypass_csp=True)
        page.evaluate(AXE.read_text())
        found = page.evaluate(RULES)["violations"]
        assert found == [], json.dumps(found, indent=1)
