# SPDX-License-Identifier: Apache-2.0
"""Threads by what they are: pools, the lane of a pool's sum, and ways to a thread."""

import functools
import re
from typing import Any

import pytest
from playwright.sync_api import Page

import story
import threadmodel
from conftest import VIEWS, Show, go, state, until
from threadmodel import Event, EventFlag, EventKind, Frame, Selection
from threadmodel import page as page_module

MS = 1_000_000
LENGTH = 1000 * MS
WORKERS = 60
ASLEEP = 15
EXEC = "http-nio-8080-exec-*"
ROWS = "s.rows.value.rows.filter(r => r.kind === 'group')"


@pytest.fixture
def server() -> threadmodel.Model:
    """A server: some workers sleep in its second half; and two threads more."""
    model = threadmodel.Model()
    names = ["main", *(f"http-nio-8080-exec-{n}" for n in range(WORKERS)), "poller"]
    threads = range(1, len(names) + 1)
    for thread, name in zip(threads, names, strict=True):
        model.define_thread(thread, name, "main")
    model.ingest([Event(1, thread, EventKind.THREAD_START) for thread in threads])
    sleepers = range(2, 2 + ASLEEP)
    model.ingest([Event(LENGTH // 2, n, EventKind.SLEEP) for n in sleepers])
    model.ingest([Event(LENGTH, n, EventKind.SLEPT) for n in sleepers])
    model.ingest([Event(LENGTH, thread, EventKind.THREAD_END) for thread in threads])
    return model


def focus(page: Page) -> None:
    page.get_by_role("application", name="Timeline of threads").focus()


def groups(page: Page) -> dict[str, int]:
    rows = state(page, f"{ROWS}.map(r => [r.name, r.members.length])")
    return dict(rows)


def wait_for_address(page: Page, part: str) -> None:
    page.wait_for_function("part => location.hash.includes(part)", arg=part)


def test_threads_that_differ_by_a_number_are_a_pool(show: Show) -> None:
    model = threadmodel.Model()
    names = [
        *("main", "poller", "pool-1-thread-1", "pool-1-thread-2"),
        *("pool-2-thread-1", "pool-2-thread-2", "pool-2-thread-3"),
        *("conn-1-reader-9", "conn-2-reader-8", "alone-7"),
    ]
    threads = range(1, len(names) + 1)
    for thread, name in zip(threads, names, strict=True):
        model.define_thread(thread, name, "all")
    model.ingest([Event(1, thread, EventKind.THREAD_START) for thread in threads])
    model.ingest([Event(100, thread, EventKind.THREAD_END) for thread in threads])
    assert groups(show(model, "timeline")) == {
        "all": 3,
        "pool-1-thread-*": 2,
        "pool-2-thread-*": 3,
        "conn-*-reader-*": 2,
    }


def test_a_large_pool_is_one_lane_with_its_sum(
    show: Show, server: threadmodel.Model
) -> None:
    page = show(server, "timeline")
    assert groups(page) == {EXEC: WORKERS, "main": 2}
    assert len(state(page, "s.rows.value.lanes")) == 2
    running = page.evaluate(
        """([name, times]) => {
            const { state: s, scene } = threadmodelTimeline;
            const { canvas } = scene.base;
            const copy = new OffscreenCanvas(canvas.width, canvas.height);
            const context = copy.getContext('2d', { willReadFrequently: true });
            context.drawImage(canvas, 0, 0);
            const top = 26 + s.rows.value.groupOf(name).top + 3;
            return times.map(time => {
                const x = Math.round(scene.x(time));
                const { data } = context.getImageData(x, top, 1, 20);
                const colours = [...new Uint32Array(data.buffer)];
                return colours.filter(v => (v & 0xffffff) === 0x739e00).length;
            });
        }""",
        [EXEC, [LENGTH // 4, LENGTH * 3 // 4]],
    )
    assert running == [20, 20 - 20 * ASLEEP // WORKERS]


def test_the_keyboard_expands_a_pool_and_collapses_it(
    show: Show, server: threadmodel.Model
) -> None:
    page = show(server, "timeline")
    focus(page)
    page.keyboard.press("ArrowDown")
    while state(page, "s.group.value") is None:
        page.keyboard.press("ArrowDown")
    assert f"{WORKERS} threads, collapsed" in state(page, "s.announced.value")
    page.keyboard.press("Enter")
    assert len(state(page, "s.rows.value.lanes")) == WORKERS + 2
    page.keyboard.press("u")
    assert len(state(page, "s.rows.value.lanes")) == 2
    assert state(page, "s.group.value") == EXEC


def test_a_hit_of_a_search_is_expanded_and_in_sight(
    show: Show, server: threadmodel.Model
) -> None:
    page = show(server, "timeline", viewport={"width": 1200, "height": 500})
    search = page.get_by_placeholder("thread, class, method")
    search.fill("exec-57")
    in_sight = """() => {
        const { state: s, scene } = threadmodelTimeline;
        const element = document.querySelector('.lanes');
        const box = element.getBoundingClientRect();
        const top = s.rows.value.topOf(s.lane.value) - element.scrollTop;
        const isSeen = top >= 0 && top + 24 <= element.clientHeight - 26;
        return isSeen && box.top < innerHeight && box.bottom > 0;
    }"""
    for _ in range(2):
        search.press("Enter")
        page.wait_for_function(in_sight)
        name = state(page, "s.data.threads[s.lane.value].name")
        assert name == "http-nio-8080-exec-57"
        # The same hit again, from somewhere else.
        page.evaluate("document.querySelector('.lanes').scrollTop = 0")


def test_the_range_is_in_the_address_of_every_view(
    show: Show, server: threadmodel.Model
) -> None:
    page = show(server, "timeline")
    state(page, f"s.look({LENGTH // 4}, {LENGTH // 2})")
    wanted = f"from={LENGTH // 4}&to={LENGTH // 2}"
    for view in (*VIEWS, "timeline"):
        go(page, view)
        wait_for_address(page, wanted)
    page.goto(re.sub("#.*", "", page.url) + f"#statistics&{wanted}")
    page.reload()
    page.wait_for_selector("html[data-ready=all]")
    wait_for_address(page, wanted)
    go(page, "timeline")
    found: dict[str, Any] = state(page, "s.window.value")
    assert (found["from"], found["to"]) == (LENGTH // 4, LENGTH // 2)


def test_a_page_of_a_range_begins_there(
    show: Show, server: threadmodel.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = (LENGTH // 4, LENGTH // 2)
    render = functools.partial(page_module.render, part=Selection(window=window))
    monkeypatch.setattr(page_module, "render", render)
    page = show(server)
    wait_for_address(page, f"from={window[0]}&to={window[1]}")
    go(page, "timeline")
    found = state(page, "s.window.value")
    assert (found["from"], found["to"]) == window


def test_the_flame_graph_turns_its_stacks_and_shows_owners(show: Show) -> None:
    played = story.Story(2)
    called = [Frame(story.TRANSFER, line=10), Frame(story.SLOW, line=20)]
    played.model.define_stack(50, called)
    here: dict[str, int] = {"object": story.LOCK, "stack": 50}
    reported = EventFlag.PEER_REPORTED
    played.at(10, 1, EventKind.CONTENDED_ENTER, peer=2, flags=reported, **here)
    played.at(40, 1, EventKind.CONTENDED_ENTERED, object=story.LOCK)
    played.findings()
    page = show(played.model, "flame")

    def names() -> list[str]:
        labels = page.locator("g.frame").evaluate_all(
            "all => all.map(one => [one.getAttribute('aria-level'),"
            " one.getAttribute('aria-label')])"
        )
        named = [(level or "", label or "") for level, label in labels]
        return [label.split(":")[0] for _, label in sorted(named)]

    until(page, lambda: len(names()), 3)
    outermost = names()
    assert len(outermost) == 3
    page.get_by_role("button", name="Where it blocked first").click()
    innermost = [outermost[0], *outermost[:0:-1]]
    assert until(page, names, innermost) == innermost
    page.get_by_role("button", name="Owners of the locks").click()
    (blamed,) = played.model.blame(("class", "owner", "owner_method"))
    assert until(page, lambda: names()[1:2], [blamed["class"]]) == [blamed["class"]]
    assert names()[-1] == "t2"
    total = page.locator(".flames").get_attribute("data-total")
    assert total == str(blamed["total_ns"])


def test_the_header_is_one_row_on_a_phone(
    show: Show, server: threadmodel.Model
) -> None:
    page = show(server, viewport={"width": 360, "height": 640})
    for view in VIEWS:
        go(page, view)
        header = page.locator("header.top").bounding_box()
        tab = page.locator(f"#tab-{view}").bounding_box()
        assert header
        assert tab
        assert header["height"] < 60
        assert tab["x"] >= 0
        assert tab["x"] + tab["width"] <= 360
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_search_in_the_flame_graph_goes_to_its_hits(show: Show) -> None:
    played = story.Story(2)
    depth = 60
    played.model.define_stack(
        50, [Frame(story.TRANSFER, line=10), *[Frame(story.SLOW, line=20)] * depth]
    )
    here: dict[str, int] = {"object": story.LOCK, "stack": 50}
    played.at(10, 1, EventKind.CONTENDED_ENTER, **here)
    played.at(40, 1, EventKind.CONTENDED_ENTERED, object=story.LOCK)
    played.findings()
    page = show(played.model, "flame", viewport={"width": 1200, "height": 500})
    frames = page.locator("g.frame")
    until(page, frames.count, depth + 2)
    deepest = page.get_by_role("treeitem", name="transfer")
    in_sight = "one => one.getBoundingClientRect().bottom <= innerHeight"
    assert not deepest.evaluate(in_sight)
    search = page.locator(".flame input[type=search]")
    search.fill("TRANSFER")
    search.press("Enter")
    assert until(page, lambda: deepest.evaluate(in_sight), True)
    words = page.locator(".flame [aria-live=polite]").last.inner_text()
    assert words.startswith("1 of 1, demo.Lock.transfer: 30.0 ms")
    search.fill("slow")
    search.press("Enter")
    search.press("Enter")
    words = page.locator(".flame [aria-live=polite]").last.inner_text()
    assert words.startswith(f"2 of {depth}, demo.Lock.slow")
