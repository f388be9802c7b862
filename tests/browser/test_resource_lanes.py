# SPDX-License-Identifier: Apache-2.0
"""Lanes of pools and endpoints: uses at once, who waits, and what is collapsed."""

from typing import Any

import pytest
from playwright.sync_api import Page
from test_resources_page import one_connection

import threadmodel
from conftest import Show, grid, state, until
from threadmodel import Event, EventFlag, EventKind, Frame, ObjectKind

MS = 1_000_000
LENGTH = 1000 * MS
DB, CACHE, CLIENT = 11, 12, 13
ASK = 1


def service() -> threadmodel.Model:
    """Three threads ask a database, and one of them a cache at the end.

    The database is asked by a from 100 to 400 ms, by b from 200 to 500 and by c from
    300 to 350; the cache by c from 900 to 950. An idle worker waits for its client.
    """
    model = threadmodel.Model()
    for thread, name in enumerate(("a", "b", "c", "idle"), 1):
        model.define_thread(thread, name)
    model.define_class(1, "demo.Shop")
    model.define_method(1, 1, "ask")
    model.define_stack(ASK, [Frame(1, line=7)])
    for number, name in ((DB, "10.0.0.7:5432"), (CACHE, "cache:11211"), (CLIENT, "x")):
        model.define_object(number, 0, name=name, kind=ObjectKind.SOCKET)
    calls = [
        (100, 400, 1, DB, EventFlag(0)),
        (200, 500, 2, DB, EventFlag(0)),
        (300, 350, 3, DB, EventFlag(0)),
        (900, 950, 3, CACHE, EventFlag(0)),
        (10, 990, 4, CLIENT, EventFlag.IDLE),
    ]
    events = [Event(1, thread, EventKind.THREAD_START) for thread in (1, 2, 3, 4)]
    for start, end, thread, object_, flags in calls:
        here: dict[str, Any] = {"object": object_, "stack": ASK, "flags": flags}
        events += [
            Event(start * MS, thread, EventKind.AWAIT, **here),
            Event(end * MS, thread, EventKind.AWAITED, **here),
        ]
    events += [Event(LENGTH + 1, 1, EventKind.THREAD_END)]
    model.ingest(sorted(events, key=lambda event: event.time_ns))
    return model


def lanes(page: Page, kind: str) -> list[dict[str, Any]]:
    """Read what lanes there are of a kind: names, holds and steps."""
    found: list[dict[str, Any]] = state(
        page, f"s.data.locks.all.filter(it => it.kind === '{kind}')"
    )
    return found


def kinds(page: Page) -> list[str]:
    found: list[str] = state(page, "s.rows.value.rows.map(row => row.kind)")
    return found


def switch(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def point(page: Page, time_ns: float, top: int = 0) -> tuple[float, float]:
    box = page.get_by_role("application").bounding_box()
    assert box
    x: float = state(page, f"scene.x({time_ns})")
    return box["x"] + x + 1, box["y"] + 26 + top + 10


def test_a_pool_has_a_lane_with_its_uses_and_who_waits(show: Show) -> None:
    model = one_connection()
    page = show(model, "timeline")
    (pool,) = lanes(page, "pool")
    assert pool["name"] == "demo.Pool.borrow"
    uses = [
        (use["thread"], use["start_ns"], use["end_ns"]) for use in model.resource_uses()
    ]
    holds = [(hold["label"], hold["start"], hold["end"]) for hold in pool["holds"]]
    assert holds == uses
    waits = [row for row in model.timeline() if row["method"] == "demo.Pool.borrow"]
    queue = pool["queue"]
    assert queue["highest"] == 2
    assert queue["value"] == [
        sum(row["start_ns"] <= time < row["end_ns"] for row in waits)
        for time in queue["time"]
    ]
    switch(page, "Pools")
    assert until(page, lambda: kinds(page)[:2], ["lock", "lane"]) == ["lock", "lane"]
    page.mouse.move(*point(page, 6 * MS))
    tip = page.locator(".tip")
    tip.wait_for()
    said = tip.text_content() or ""
    for part in ("pool demo.Pool.borrow", "in use 1 at", "user middle", "queue 1 at"):
        assert part in said
    page.mouse.click(*point(page, 6 * MS))
    assert state(page, "s.data.threads[s.lane.value].name") == "middle"


def test_an_endpoint_has_a_lane_with_its_calls_at_once(show: Show) -> None:
    page = show(service(), "timeline")
    database, cache = lanes(page, "endpoint")
    assert [database["name"], cache["name"]] == ["10.0.0.7:5432", "cache:11211"]
    steps = dict(
        zip(database["atOnce"]["time"], database["atOnce"]["value"], strict=True)
    )
    # Since the run began, which was at 1 ns.
    wanted = {100: 1, 200: 2, 300: 3, 350: 2, 400: 1, 500: 0}
    assert steps == {ms * MS - 1: value for ms, value in wanted.items()}
    page.get_by_role("application").focus()
    page.keyboard.press("l")
    assert kinds(page)[:3] == ["lock", "lock", "lane"]
    page.keyboard.press("ArrowDown")
    said = page.locator(".timeline > [role=status]")
    assert "endpoint 10.0.0.7:5432, calls 1 at" in (said.text_content() or "")
    assert "caller a" in (said.text_content() or "")
    page.keyboard.press("ArrowRight")
    assert "caller b" in (said.text_content() or "")
    page.keyboard.press("o")
    assert state(page, "s.data.threads[s.lane.value].name") == "b"


def test_lanes_with_nothing_in_the_part_shown_are_collapsed(show: Show) -> None:
    page = show(service(), "timeline")
    switch(page, "Endpoints")
    assert kinds(page)[:2] == ["lock", "lock"]
    state(page, f"s.look({600 * MS}, {LENGTH})")
    collapsed = ["lock", "group", "lane"]
    assert until(page, lambda: kinds(page)[:3], collapsed) == collapsed
    group = state(page, "s.rows.value.rows[1]")
    assert group["name"] == "nothing here"
    assert state(page, "s.rows.value.rows[0].lock") == 1
    # The keyboard reaches it, and opens it.
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert "nothing here: 1 lane, collapsed" in state(page, "s.announced.value")
    page.keyboard.press("Enter")
    opened = ["lock", "group", "lock"]
    assert until(page, lambda: kinds(page)[:3], opened) == opened
    state(page, f"s.look(0, {LENGTH})")
    both = ["lock", "lock", "lane"]
    assert until(page, lambda: kinds(page)[:3], both) == both


def test_calls_and_uses_are_a_table_too(show: Show) -> None:
    page = show(service(), "timeline")
    switch(page, "Endpoints")
    page.get_by_role("button", name="Show as a table").click()
    label = "Holds of the part of the run that is shown"
    grid(page, label).wait_for()
    rows = page.locator(f'.grid:has([aria-label="{label}"])').get_attribute("data-rows")
    assert rows == "4"


@pytest.mark.parametrize("name", ["Pools", "Endpoints"])
def test_where_there_is_none_there_is_no_lane(show: Show, name: str) -> None:
    model = threadmodel.Model()
    model.define_thread(1, "alone")
    model.ingest(
        [Event(1, 1, EventKind.THREAD_START), Event(9, 1, EventKind.THREAD_END)]
    )
    page = show(model, "timeline")
    assert page.get_by_role("button", name=name, exact=True).is_disabled()
