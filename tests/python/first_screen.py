# SPDX-License-Identifier: Apache-2.0
"""The part of a report that is visible without scrolling on a usual laptop."""

import re

from playwright.sync_api import Locator, Page

WIDTH, HEIGHT = 1440, 900
_LENGTH = re.compile(r"\d (ns|us|ms|s)\b")


def is_in_sight(page: Page, one: Locator) -> bool:
    """Return whether an element is in the window completely, with nothing cut off."""
    box = one.bounding_box()
    assert box, "it is not shown at all"
    is_cut = one.evaluate("one => one.scrollWidth > one.clientWidth + 1")
    size = page.viewport_size
    assert size
    return (
        not is_cut
        and box["x"] >= 0
        and box["y"] >= 0
        and box["x"] + box["width"] <= size["width"]
        and box["y"] + box["height"] <= size["height"]
    )


def check_first_finding(page: Page) -> None:
    """Check that the first finding states cause, place, threads, time and advice."""
    assert page.viewport_size == {"width": WIDTH, "height": HEIGHT}
    assert page.evaluate("scrollY") == 0
    card = page.locator(".finding").first
    assert is_in_sight(page, card)
    assert card.locator("h3").inner_text()  # what
    assert card.locator("code").inner_text()  # where
    parts = dict(
        zip(
            card.locator("dt").all_inner_texts(),
            card.locator("dd").all_inner_texts(),
            strict=True,
        )
    )
    assert {"Waits", "Holds"} & set(parts)  # who
    assert any(_LENGTH.search(text) for text in parts.values())  # how much
    assert parts["Try"]  # what now
    for part in card.locator("dl > div").all():
        assert is_in_sight(page, part)
    assert is_in_sight(page, card.locator(".picture, .ring").first)
    assert is_in_sight(page, card.get_by_role("button", name="Show the evidence"))
    # No content is wider than the window.
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
