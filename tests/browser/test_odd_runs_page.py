# SPDX-License-Identifier: Apache-2.0
"""Runs that are not like others: each report is sensible."""

import pytest
from playwright.sync_api import Page

import threadmodel
from conftest import VIEWS, Show, go, state
from threadmodel import Event, EventFlag, EventKind, Run


def walk(page: Page) -> dict[str, str]:
    """Open every view; return what each says."""
    said = {}
    for view in VIEWS:
        page.click(f"#tab-{view}")
        page.wait_for_selector(f"#view[aria-labelledby=tab-{view}]")
        page.wait_for_selector(".unpacking", state="detached")
        said[view] = page.locator("#view").inner_text()
    return said


def test_a_run_without_threads(show: Show) -> None:
    said = walk(show(threadmodel.Model()))
    assert "Cannot tell: the data has no event." in said["overview"]
    assert "no threads" in said["timeline"]
    assert "0 threads" in said["statistics"]
    assert "No deadlock was found." in said["locks"]
    assert "nothing to gain" in said["whatif"]
    assert "No thread was in this state." in said["flame"]


def test_a_run_of_one_thread(show: Show) -> None:
    model = threadmodel.Model()
    model.define_thread(1, "alone")
    model.ingest(
        [Event(5, 1, EventKind.THREAD_START), Event(500, 1, EventKind.THREAD_END)]
    )
    page = show(model)
    said = walk(page)
    assert "1 thread" in said["statistics"]
    go(page, "timeline")
    assert state(page, "s.rows.value.lanes") == [0]


def test_an_instant_is_a_run(show: Show) -> None:
    model = threadmodel.Model()
    model.define_thread(1, "brief")
    model.ingest([Event(5, 1, EventKind.THREAD_START)])
    page = show(model)
    walk(page)
    go(page, "timeline")
    page.keyboard.press("+")


def test_a_run_of_deadlocks_only(show: Show) -> None:
    model = threadmodel.Model()
    for pair in range(30):
        left, right = 2 * pair + 1, 2 * pair + 2
        for thread, other in ((left, right), (right, left)):
            model.define_thread(thread, f"t{thread}")
            model.ingest(
                [
                    Event(
                        10 * pair + thread,
                        thread,
                        EventKind.CONTENDED_ENTER,
                        object=1000 + other,
                        peer=other,
                        flags=EventFlag.PEER_REPORTED,
                    )
                ]
            )
    page = show(model)
    walk(page)
    go(page, "locks")
    assert page.locator("article.deadlock").count() == 30
    assert page.locator("article.deadlock .member").count() == 60


def test_a_dump_only(show: Show) -> None:
    """All events are of one instant, as a thread dump has them."""
    model = threadmodel.Model()
    model.define_run(Run(format="jstack", start_ns=1))
    for thread, blocked in enumerate((2, 3, 4, 8, 3), 1):
        model.define_thread(thread, f"dumped-{thread}", "main")
        model.ingest([Event(1, thread, EventKind.SNAPSHOT, object=7, value=blocked)])
    page = show(model)
    said = walk(page)
    assert "5 threads" in said["statistics"]
    go(page, "timeline")
    assert state(page, "s.rows.value.lanes.length") == 5
    assert "one instant" in said["timeline"]
    # There is no time in it, and each lane is filled by what its thread was doing.
    drawn = state(
        page,
        "s.rows.value.lanes.map(lane => { const { level: l, row } = "
        "scene.pick(700, 26 + s.rows.value.topOf(lane) + 12);"
        " return [s.data.threads[lane].state, l.start[row], l.end[row]]; })",
    )
    rows = model.threads()
    assert drawn == [[row["state"], 0, 1] for row in rows]


@pytest.mark.parametrize("count", [100_000])
def test_a_hundred_thousand_threads(show: Show, count: int) -> None:
    model = threadmodel.Model()
    kind = EventKind
    for thread in range(1, count + 1):
        model.define_thread(thread, f"virtual-{thread}", "pool", virtual=True)
    model.ingest(
        [Event(thread, thread, kind.THREAD_START) for thread in range(1, count + 1)]
    )
    model.ingest(
        [
            Event(
                count + thread,
                1 + thread % count,
                kind.PARK if thread % 2 else kind.CONTENDED_ENTER,
                object=1 + thread % 9,
            )
            for thread in range(count)
        ]
    )
    page = show(model)
    said = walk(page)
    assert "100,000 threads" in said["statistics"]
    go(page, "timeline")
    assert state(page, "s.rows.value.lanes.length") == count
    lanes = page.get_by_role("application", name="Timeline of threads")
    lanes.focus()
    page.keyboard.press("ArrowDown")
    page.get_by_placeholder("thread, class, method").fill("virtual-99999")
    page.keyboard.press("Enter")
    assert state(page, "s.data.threads[s.lane.value].name") == "virtual-99999"
    assert lanes.evaluate("element => element.scrollTop") > 1_000_000


def test_names_and_times_that_are_not_known(show: Show) -> None:
    model = threadmodel.Model()
    big = 2**64 - 1
    model.ingest(
        [
            Event(1, big, EventKind.CONTENDED_ENTER, object=big),
            Event(2, big - 1, EventKind.WAIT, object=big),
            Event(9, big, EventKind.CONTENDED_ENTERED, object=big),
        ]
    )
    page = show(model)
    walk(page)
    go(page, "timeline")
    labels = state(page, "s.data.threads.map(thread => thread.label)")
    assert labels == [f"thread {big}", f"thread {big - 1}"]
    assert state(page, "s.rows.value.lanes.length") == 2
