# SPDX-License-Identifier: Apache-2.0
"""The tree of causes, the first picture of the report."""

import pytest
from playwright.sync_api import Page

import threadmodel
from conftest import Show
from service import Service


@pytest.fixture(scope="module")
def model() -> threadmodel.Model:
    """A service whose requests wait for one of two permits."""
    return Service(permits=2, seconds=2).model()


# Frames move on a timer of the page, soon after the key.
ZOOMED = """() => {
    const width = (it) => it.getBoundingClientRect().width
    const frame = document.activeElement.closest('g')
    const whole = width(document.querySelector('.causes svg'))
    return Math.abs(width(frame.querySelector('rect')) - whole) <= 2
}"""


def frames(page: Page) -> list[str]:
    found = page.locator(".causes g.frame")
    return [
        found.nth(at).get_attribute("aria-label") or "" for at in range(found.count())
    ]


def test_requests_are_divided_by_cause_before_anything_else(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model)
    first = page.locator("#view section").first
    assert "Where the time of requests went" in first.locator("h2").inner_text()
    rows = list(model.causes(main=True))
    drawn = frames(page)
    for row in rows:
        if row["share"] >= 0.02 and row["depth"] < 12:
            assert any(label.startswith(f"{row['text']}: ") for label in drawn)


def test_the_table_beside_it_has_the_largest_causes(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model)
    cells = page.locator(".causes tbody tr")
    said = [" ".join(cells.nth(at).inner_text().split()) for at in range(cells.count())]
    rows = [row for row in model.causes(main=True) if row["depth"] > 0]
    largest = max(rows, key=lambda row: (row["depth"] == 2) * row["time_ns"])
    assert any(largest["text"] in line for line in said)
    assert all("%" in line for line in said)


def test_a_cause_is_reached_and_zoomed_by_keyboard_and_found_by_its_name(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model)
    page.locator(".causes g.frame").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    note = page.locator(".causes .note").first
    reached = note.inner_text()
    assert " %" in reached
    page.keyboard.press("Enter")
    page.wait_for_function(ZOOMED)
    page.locator(".causes button", has_text="Show all").click()
    page.locator(".causes input").fill("borrow")
    assert page.locator(".causes rect[fill='#e600e6']").count() > 0
    page.locator(".causes input").fill("")
    assert page.locator(".causes rect[fill='#e600e6']").count() == 0


def test_a_run_without_time_to_divide_has_no_picture(show: Show) -> None:
    page = show(threadmodel.Model())
    assert page.locator(".causes").count() == 0
