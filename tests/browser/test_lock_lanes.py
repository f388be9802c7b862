# SPDX-License-Identifier: Apache-2.0
"""Lanes of locks: who had which lock, who queued, and the way from there to threads."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page

import random_runs
import threadmodel
from conftest import Show, grid, state, until
from threadmodel import Event, EventFlag, EventKind, Run, drawn, excerpt

MS = 1_000_000
AXIS, LOCK = 26, 40
STOCK, LOG = 100, 200


@pytest.fixture
def model() -> threadmodel.Model:
    """A stock, which a has from 10 to 50 ms, b to 80 at most, and then c.

    b queues for it from 20 to 50, c from 30 to 80. a queues for a log from 60 to 62.
    """
    model = threadmodel.Model()
    for number, name in ((1, "app.Stock"), (2, "app.Log")):
        model.define_class(number, name, f"{name[4:]}.java")
    for number, name in enumerate("abc", 1):
        model.define_thread(number, name)
    model.define_object(STOCK, 1)
    model.define_object(LOG, 2)
    kind = EventKind
    reported = EventFlag.PEER_REPORTED
    stock = {"object": STOCK}
    events: list[tuple[int, int, EventKind, dict[str, Any]]] = [
        (0, 1, kind.THREAD_START, {}),
        (0, 2, kind.THREAD_START, {}),
        (0, 3, kind.THREAD_START, {}),
        (10, 1, kind.ACQUIRED, stock),
        (20, 2, kind.CONTENDED_ENTER, {**stock, "peer": 1, "flags": reported}),
        (30, 3, kind.CONTENDED_ENTER, {**stock, "peer": 1, "flags": reported}),
        (50, 1, kind.RELEASED, stock),
        (50, 2, kind.CONTENDED_ENTERED, stock),
        (60, 1, kind.CONTENDED_ENTER, {"object": LOG}),
        (62, 1, kind.CONTENDED_ENTERED, {"object": LOG}),
        (80, 3, kind.CONTENDED_ENTERED, stock),
        (100, 3, kind.SLEEP, {}),
        (110, 3, kind.SLEPT, {}),
    ]
    model.ingest(
        [Event(1 + ms * MS, thread, what, **more) for ms, thread, what, more in events]
    )
    return model


@pytest.fixture
def busy() -> threadmodel.Model:
    model = threadmodel.Model()
    random_runs.fill(model, 9, threads=7, objects=40, count=4000)
    return model


def lanes(page: Page) -> Locator:
    return page.get_by_role("application", name="Timeline of threads")


def switch(page: Page) -> None:
    page.get_by_role("button", name="Locks", exact=True).click()
    assert until(page, lambda: state(page, "s.others.value.has('lock')"), True)


def shown(page: Page) -> list[dict[str, Any]]:
    """Read what there is to draw: each lock with its holds and its queue."""
    found: list[dict[str, Any]] = state(
        page, "s.data.locks.all.filter(it => it.kind === 'lock')"
    )
    return found


def point(page: Page, lock: int, time_ns: float, y: int = 12) -> tuple[float, float]:
    """Find where an instant of a lock's lane is on the screen."""
    box = lanes(page).bounding_box()
    assert box
    x: float = state(page, f"scene.x({time_ns})")
    return box["x"] + x + 1, box["y"] + AXIS + lock * LOCK + y


def said(page: Page) -> str:
    return page.locator(".timeline > [role=status]").text_content() or ""


def blocked_time(model: threadmodel.Model) -> dict[str, int]:
    rows = model.blame("object")
    return {row["object"]: row["total_ns"] for row in rows if row["object"]}


def test_lanes_of_locks_are_switched_on_and_off(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model, "timeline")
    kinds = "s.rows.value.rows.map(row => row.kind)"
    assert "lock" not in state(page, kinds)
    switch(page)
    assert state(page, kinds) == ["lock", "lock", "lane", "lane", "lane"]
    assert page.get_by_text("2 locks", exact=True).is_visible()
    page.get_by_role("button", name="Locks", exact=True).click()
    until(page, lambda: state(page, "s.others.value.size"), 0)
    assert state(page, kinds) == ["lane"] * 3
    lanes(page).focus()
    page.keyboard.press("l")
    assert state(page, kinds)[:2] == ["lock", "lock"]


@pytest.mark.parametrize("which", ["model", "busy"])
def test_holds_and_owners_are_those_of_the_model(
    show: Show, which: str, request: pytest.FixtureRequest
) -> None:
    model: threadmodel.Model = request.getfixturevalue(which)
    page = show(model, "timeline")
    wanted = blocked_time(model)
    locks = shown(page)
    assert [lock["name"] for lock in locks] == list(wanted)[: drawn.LOCKS]
    for lock in locks:
        holds = [row for row in model.holds() if row["object"] == lock["name"]]
        assert [
            (hold["label"], hold["start"], hold["end"] if hold["isEndKnown"] else None)
            for hold in lock["holds"]
        ] == [(row["thread"], row["start_ns"], row["end_ns"]) for row in holds]


def test_the_queue_is_as_long_as_threads_are_blocked(
    show: Show, busy: threadmodel.Model
) -> None:
    page = show(busy, "timeline")
    timeline = [
        row
        for row in busy.timeline()
        if row["state"] in ("blocked", "reentering", "parked", "deadlocked")
    ]
    for lock in shown(page):
        spans = [
            (row["start_ns"], row["end_ns"])
            for row in timeline
            if row["object"] == lock["name"]
        ]
        queue = lock["queue"]
        assert queue["time"] == sorted({time for span in spans for time in span})
        assert queue["value"] == [
            sum(start <= time < end for start, end in spans) for time in queue["time"]
        ]
        assert queue["highest"] == max(queue["value"])


def test_one_owner_has_one_colour_and_what_is_estimated_is_lighter(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model, "timeline", color_scheme="light")
    # Away from the names.
    times = [15, 46, 56, 78, 100]
    assert [pixel[3] for pixel in pixels(page, times)] == [0] * 5
    switch(page)
    until(page, lambda: pixels(page, times)[0][3], 255)
    a, again, b, late, c = pixels(page, times)
    assert a == again
    assert a[3] == 255
    assert b[:3] != a[:3]
    assert b[:3] == pytest.approx(late[:3], abs=3)
    # Of b's hold no instant but its start is certain, of c's nothing but that.
    assert 0 < b[3] < 128
    assert c[3] == 0
    owners = [(hold["label"], hold["owner"]) for hold in shown(page)[0]["holds"]]
    assert owners == [("a", 0), ("b", 1), ("c", 2)]


def pixels(page: Page, times: list[int]) -> list[list[int]]:
    """Read the pixels of the bar of the first lock, at times in ms."""
    found: list[list[int]] = page.evaluate(
        """times => {
            const { scene } = threadmodelTimeline;
            // The canvas itself is not to be read again and again.
            const { canvas } = scene.over;
            const copy = new OffscreenCanvas(canvas.width, canvas.height);
            const context = copy.getContext('2d', { willReadFrequently: true });
            context.drawImage(canvas, 0, 0);
            return times.map(ms => [...context.getImageData(
                Math.round(scene.x(ms * 1e6)), 26 + 18, 1, 1).data]);
        }""",
        times,
    )
    return found


def test_hovering_shows_owner_from_to_provenance_and_queue(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model, "timeline")
    switch(page)
    name = next(iter(blocked_time(model)))
    tip = page.locator(".tip")
    for ms, words in (
        (40, ["owner a", "from 10.000 ms, exact", "to 50.000 ms, exact", "queue 2 at"]),
        (70, ["owner b", "to 80.000 ms, inferred", "queue 1 at"]),
        (100, ["owner c", "to not known", "queue 0 at"]),
        (5, ["owner none, or not known", "queue 0 at"]),
    ):
        page.mouse.move(*point(page, 0, ms * MS))
        tip.wait_for()
        text = tip.text_content() or ""
        assert f"lock {name}" in text
        for part in words:
            assert part in text


def test_a_click_chooses_what_the_owner_did_then(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model, "timeline")
    switch(page)
    page.mouse.click(*point(page, 0, 15 * MS))
    assert state(page, "s.data.threads[s.lane.value].name") == "a"
    page.mouse.click(*point(page, 0, 105 * MS))
    assert state(page, "s.data.threads[s.lane.value].name") == "c"
    chosen = state(page, "s.picked.value.level.start[s.picked.value.row]")
    assert chosen == 100 * MS
    panel = page.get_by_label("The chosen interval")
    assert "sleeping" in (panel.text_content() or "")
    # Where nobody is known to have had it, the lock itself is chosen.
    page.mouse.click(*point(page, 0, 5 * MS))
    assert state(page, "s.lane.value") is None
    assert page.get_by_label("The chosen hold").is_visible()


def test_locks_are_walked_through_by_keyboard_and_spoken(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model, "timeline")
    switch(page)
    lanes(page).focus()
    names = list(blocked_time(model))
    page.keyboard.press("ArrowDown")
    assert state(page, "s.hold.value") == {"lock": 0, "at": 0}
    assert said(page).startswith(f"lock {names[0]}, owner a, from 10.000 ms, exact")
    page.keyboard.press("ArrowRight")
    assert "owner b" in said(page)
    panel = page.get_by_label("The chosen hold")
    assert "inferred" in (panel.text_content() or "")
    page.keyboard.press("Enter")
    window = state(page, "s.window.value")
    assert window["from"] <= 50 * MS <= 80 * MS <= window["to"]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert said(page) == "The last hold"
    page.keyboard.press("0")
    page.keyboard.press("ArrowDown")
    assert said(page).startswith(f"lock {names[1]}")
    page.keyboard.press("ArrowDown")
    assert state(page, "s.data.threads[s.lane.value].name") == "a"
    assert state(page, "s.hold.value") is None
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("o")
    assert state(page, "s.data.threads[s.lane.value].name") == "b"
    assert page.get_by_label("The chosen interval").is_visible()


def test_holds_are_a_table_too(show: Show, model: threadmodel.Model) -> None:
    page = show(model, "timeline")
    switch(page)
    page.get_by_role("button", name="Show as a table").click()
    label = "Holds of the part of the run that is shown"
    grid(page, label).wait_for()
    rows = page.locator(f'.grid:has([aria-label="{label}"])').get_attribute("data-rows")
    wanted = blocked_time(model)
    assert rows == str(sum(row["object"] in wanted for row in model.holds()))


def test_it_reports_what_is_left_out(
    show: Show, busy: threadmodel.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excerpt, "HOLD_ROWS", 50)
    page = show(busy, "timeline", detail=500)
    switch(page)
    wanted = list(blocked_time(busy))
    assert len(wanted) > drawn.LOCKS
    note = page.locator("[data-lanes]").text_content() or ""
    assert f"{drawn.LOCKS} of {len(wanted)} locks" in note
    total = sum(row["object"] in wanted[: drawn.LOCKS] for row in busy.holds())
    assert f"the longest 50 of {total:,} holds" in note
    assert "without blocks, waits and calls shorter than" in note
    assert sum(len(lock["holds"]) for lock in shown(page)) == 50


def test_several_owners_at_a_time_have_a_line_each(show: Show) -> None:
    model = threadmodel.Model()
    kinds = ("CONTENDED_ENTER", "CONTENDED_ENTERED", "ACQUIRED", "RELEASED")
    model.define_run(Run(kinds=frozenset(EventKind[name] for name in kinds)))
    for number, name in enumerate(("r1", "r2", "w"), 1):
        model.define_thread(number, name)
    kind, shared = EventKind, EventFlag.SHARED
    model.ingest(
        [
            Event(1, 1, kind.ACQUIRED, object=STOCK, flags=shared),
            Event(1001, 2, kind.ACQUIRED, object=STOCK, flags=shared),
            Event(2001, 3, kind.CONTENDED_ENTER, object=STOCK),
            Event(5001, 1, kind.RELEASED, object=STOCK, flags=shared),
            Event(6001, 2, kind.RELEASED, object=STOCK, flags=shared),
            Event(6001, 3, kind.CONTENDED_ENTERED, object=STOCK),
            Event(9001, 3, kind.RELEASED, object=STOCK),
        ]
    )
    page = show(model, "timeline")
    switch(page)
    (lock,) = shown(page)
    lines = [(hold["label"], hold["line"]) for hold in lock["holds"]]
    assert lines == [("r1", 0), ("r2", 1), ("w", -1)]
    tip = page.locator(".tip")
    for time, y, owner in (
        (3000, 6, "r1"),
        (3000, 18, "r2"),
        (8000, 6, "w"),
        (8000, 18, "w"),
    ):
        page.mouse.move(*point(page, 0, time, y))
        tip.wait_for()
        text = tip.text_content() or ""
        assert f"owner {owner}from" in text
        assert ("shared one of several owners" in text) == (owner != "w")


def test_a_run_without_locks_has_no_lanes_of_them(show: Show) -> None:
    model = threadmodel.Model()
    model.define_thread(1, "alone")
    model.ingest(
        [Event(1, 1, EventKind.THREAD_START), Event(9, 1, EventKind.THREAD_END)]
    )
    page = show(model, "timeline")
    button = page.get_by_role("button", name="Locks", exact=True)
    assert button.is_disabled()
    lanes(page).focus()
    page.keyboard.press("l")
    assert state(page, "s.rows.value.rows.map(row => row.kind)") == ["lane"]
