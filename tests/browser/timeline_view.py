# SPDX-License-Identifier: Apache-2.0
"""The timeline as a reader of the page handles it: where its lanes and rows are."""

from typing import Any

from playwright.sync_api import Locator, Page

from conftest import grid_rows, state, until

GUTTER, AXIS, LANE = 190, 26, 24
RUNNING, BLOCKED = 2, 3


def lanes(page: Page) -> Locator:
    return page.get_by_role("application", name="Timeline of threads")


def window(page: Page) -> tuple[float, float]:
    found = state(page, "s.window.value")
    return found["from"], found["to"]


def focus(page: Page) -> None:
    lanes(page).focus()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def point(page: Page, thread: str, time_ns: float) -> tuple[float, float]:
    """Find where an instant of a thread is on the screen."""
    box = lanes(page).bounding_box()
    assert box
    at: list[float] = page.evaluate(
        """([name, time]) => {
            const { state: s, scene } = threadmodelTimeline;
            const { index } = s.data.threads.find(thread => thread.name === name);
            return [scene.x(time), s.rows.value.topOf(index)];
        }""",
        [thread, time_ns],
    )
    return box["x"] + at[0] + 1, box["y"] + AXIS + at[1] + LANE / 2


def drawn_intervals(page: Page) -> list[list[Any]]:
    """Read lane by lane what is there to draw, at the finest level."""
    found: list[list[Any]] = state(
        page,
        "(() => { const l = s.data.lanes.finest; return [...l.start].map((start, i) =>"
        " [start, l.end[i], l.count[i], l.state[i]]); })()",
    )
    return found


def wait_for(page: Page, expression: str, value: Any) -> None:
    """Let frames pass until the state is so."""
    assert until(page, lambda: state(page, expression), value) == value


def wait_for_rows(page: Page, names: set[str]) -> None:
    """Let frames pass until the filter lists just these threads."""

    def shown() -> set[str]:
        return {row["name"] for row in grid_rows(page, "Threads to show")}

    assert until(page, shown, names) == names


def wait_until(page: Page, expression: str) -> None:
    wait_for(page, expression, True)
