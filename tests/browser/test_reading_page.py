# SPDX-License-Identifier: Apache-2.0
"""Readability of a report: no empty columns, wide graphs, stacks that are cut."""

import itertools
from typing import Any

from playwright.sync_api import Page

import random_runs
import story
from conftest import Show, grid
from threadmodel import Event, EventFlag, EventKind, Frame, Model, Run

LOCKS = 9


def columns(page: Page, label: str) -> list[str]:
    """Return the ids of the columns that a table shows."""
    found: list[str] = grid(page, label).evaluate(
        "one => [...one.querySelectorAll('[role=columnheader]')]"
        ".map(head => head.getAttribute('col-id'))"
    )
    return found


def test_columns_without_a_value_are_hidden(show: Show) -> None:
    played = story.Story()
    for at in range(5):
        played.block(100 * at, 100 * at + 50, 1 + at % 2)
    played.findings()
    page = show(played.model, "statistics")
    grid(page, "Threads").locator("[role=row][row-id]").first.wait_for()
    shown = columns(page, "Threads")
    assert {"name", "blocked_total_ns", "blocked_count"} <= set(shown)
    states = ("waiting", "reentering", "joining", "parked", "sleeping")
    assert not {f"{state}_count" for state in states} & set(shown)
    of_classes = columns(page, "Statistics by class")
    assert "blocked_total" in of_classes
    assert "parked_total" not in of_classes


def in_order(locks: int) -> Model:
    """Threads that take each lock while they hold the one before."""
    model = Model()
    model.define_run(Run(start_ns=1, kinds=frozenset(range(1, 40))))
    events: list[Event] = []
    for number in range(1, locks + 1):
        model.define_class(number, f"app.storage.engine.Lock{number}")
        model.define_object(number * 100, number)
        model.define_method(number, number, "acquire")
        model.define_stack(number, [Frame(number, line=number)])
    now = 1
    kind = EventKind
    for number in range(1, locks):
        held, wanted = number * 100, (number + 1) * 100
        here: dict[str, Any] = {"stack": number + 1}
        events += [
            Event(now, 1, kind.ACQUIRED, object=held, stack=number),
            Event(now + 10, 2, kind.ACQUIRED, object=wanted),
            Event(
                now + 20,
                1,
                kind.CONTENDED_ENTER,
                object=wanted,
                peer=2,
                flags=EventFlag.PEER_REPORTED,
                **here,
            ),
            Event(now + 40, 2, kind.RELEASED, object=wanted),
            Event(now + 50, 1, kind.CONTENDED_ENTERED, object=wanted),
            Event(now + 60, 1, kind.RELEASED, object=wanted),
            Event(now + 70, 1, kind.RELEASED, object=held),
        ]
        now += 100
    model.ingest(events)
    return model


def test_a_graph_wider_than_the_screen_is_read_from_left_to_right(show: Show) -> None:
    model = in_order(LOCKS)
    assert len(model.lock_edges()) == LOCKS - 1
    page = show(model, "locks")
    boxes = [box.bounding_box() or {} for box in page.locator(".order .lock").all()]
    assert len(boxes) == LOCKS
    assert page.locator(".order .edge").count() == LOCKS - 1
    boxes.sort(key=lambda box: box["x"])
    for left, right in itertools.pairwise(boxes):
        assert left["x"] + left["width"] < right["x"]
    # Names are in full size, and what does not fit is scrolled to.
    text = page.locator(".order text").first
    assert text.evaluate("one => getComputedStyle(one).fontSize") == "12px"
    region = page.get_by_role("region", name="Graph of lock order")
    assert region.evaluate("one => one.scrollWidth > one.clientWidth")


def cut_and_whole() -> Model:
    model = Model()
    model.define_run(Run(start_ns=1))
    model.define_class(1, "app.Ledger")
    model.define_object(100, 1)
    model.define_method(1, 1, "post")
    model.define_stack(1, [Frame(1, line=3)], truncated=True)
    model.define_stack(2, [Frame(1, line=4)])
    events = []
    for at, stack in ((0, 1), (100, 2)):
        start = 1 + at * story.MS
        end = start + 50 * story.MS
        kind = EventKind
        events.append(Event(start, 1, kind.CONTENDED_ENTER, object=100, stack=stack))
        events.append(Event(end, 1, kind.CONTENDED_ENTERED, object=100))
    model.ingest(events)
    return model


def test_a_stack_that_is_cut_is_marked_in_the_flame_graph(show: Show) -> None:
    model = cut_and_whole()
    assert list(model.stacks()["truncated"]) == [True, False]
    page = show(model, "flame")
    frames = page.locator("g.frame")
    frames.first.wait_for()
    labels = [one.get_attribute("aria-label") or "" for one in frames.all()]
    cut = [label for label in labels if "cut: outer frames" in label]
    assert len(cut) == 1
    assert cut[0].endswith(": 50.0 ms, 50 %")
    # Below both the cut and the root there is the same method.
    assert sum(label.startswith("app.Ledger.post") for label in labels) == 2


def test_the_flame_graph_begins_with_where_most_time_went(show: Show) -> None:
    played = story.Story(3)
    played.model.define_class(8, "java.util.concurrent.ThreadPoolExecutor", None)
    played.model.define_method(8, 8, "getTask")
    played.model.define_stack(8, [Frame(8, line=1062)])
    kind = EventKind
    played.at(0, 3, kind.WAIT, object=story.QUEUE, stack=8)
    played.at(900, 3, kind.WAITED, object=story.QUEUE)
    played.block(10, 12, 1, owner=2)
    played.at(20, 2, kind.PARK, object=story.QUEUE, stack=story.TAKE)
    played.at(70, 2, kind.UNPARKED, object=story.QUEUE)
    played.findings()
    page = show(played.model, "flame")
    states = page.get_by_role("group", name="States")
    pressed = states.locator("[aria-pressed=true]").all_inner_texts()
    assert [text.strip() for text in pressed] == ["parked"]
    assert "50.0 ms" in page.locator("#flame-title").inner_text()
    # A worker's wait for work is not lost time.
    states.get_by_role("button", name="waiting").click()
    assert "50.0 ms" in page.locator("#flame-title").inner_text()
    assert "900 ms of idle workers" in page.locator(".flame .note").last.inner_text()


def test_a_cut_stack_is_marked_where_it_is_listed(show: Show) -> None:
    page = show(cut_and_whole(), "timeline")
    lines = page.locator(".panel .stack li")
    for instant, is_cut in ((10 * story.MS, True), (110 * story.MS, False)):
        page.evaluate(
            "([at]) => { location.hash = `#timeline&thread=1&at=${at}`; }", [instant]
        )
        page.wait_for_selector(f'.panel[data-start="{instant - 10 * story.MS}"]')
        assert ("cut" in (lines.last.text_content() or "")) is is_cut


def test_bars_of_what_if_share_one_scale(show: Show) -> None:
    model = Model()
    random_runs.fill(model, 1, threads=7, objects=4, count=150)
    page = show(model, "whatif")
    ranked = [row for row in model.whatif_rank() if row["gain_ns"] is not None]
    assert ranked
    most = max(
        abs(row[name])
        for row in ranked
        for name in ("gain_ns", "gain_low_ns", "gain_high_ns")
    )
    for row, bar in zip(ranked, page.locator(".bars .bar span").all(), strict=True):
        style = bar.get_attribute("style") or ""
        width = float(style.partition("width:")[2].strip(" %;"))
        assert abs(width - abs(row["gain_ns"]) / most * 100) < 0.01
