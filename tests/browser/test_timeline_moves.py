# SPDX-License-Identifier: Apache-2.0
"""The timeline: the pointer, the keyboard and the search move through it."""

import pytest
from timeline_view import focus, point, press, wait_until, window

import threadmodel
from conftest import Show, state
from threadmodel import Selection


def test_the_wheel_zooms_where_the_reader_came_back_to(
    show: Show, busy: threadmodel.Model
) -> None:
    """To the timeline from another view, and after the window got another size."""
    page = show(busy, "timeline")
    length = busy.length_ns
    state(page, f"s.look({length * 0.7}, {length * 0.8})")
    page.get_by_role("tab", name="Overview").click()
    page.get_by_role("tab", name="Timeline").click()
    page.wait_for_selector(".lanes")
    for width in (1280, 1000):
        page.set_viewport_size({"width": width, "height": 800})
        before = window(page)
        x, y = point(page, "t3", sum(before) / 2)
        page.mouse.move(x, y)
        page.mouse.wheel(0, -100)
        wait_until(page, f"s.window.value.from !== {before[0]}")
        start, end = window(page)
        assert before[0] <= start < end <= before[1]


def test_the_wheel_zooms_at_the_pointer(show: Show, busy: threadmodel.Model) -> None:
    page = show(busy, "timeline")
    length = busy.length_ns
    x, y = point(page, "t3", length / 4)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -400)
    wait_until(page, f"s.window.value.to - s.window.value.from < {length * 0.8}")
    start, end = window(page)
    assert start < length / 4 < end
    assert (length / 4 - start) / (end - start) == pytest.approx(0.25, abs=0.02)
    page.mouse.wheel(0, 4000)
    wait_until(page, f"s.window.value.to - s.window.value.from === {length}")


def test_dragging_pans(show: Show, busy: threadmodel.Model) -> None:
    page = show(busy, "timeline")
    focus(page)
    press(page, "+", "+")
    start, end = window(page)
    x, y = point(page, "t2", (start + end) / 2)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 150, y, steps=5)
    page.mouse.up()
    moved = window(page)
    width = state(page, "scene.plotWidth")
    expected = 150 / width * (end - start)
    assert moved[0] - start == pytest.approx(expected, rel=0.02)
    assert moved[1] - moved[0] == pytest.approx(end - start)


def test_the_keyboard_zooms_and_pans(show: Show, busy: threadmodel.Model) -> None:
    page = show(busy, "timeline")
    focus(page)
    length = busy.length_ns
    press(page, "+")
    assert window(page) == (length / 4, length * 3 / 4)
    press(page, "d")
    assert window(page) == (length * 3 / 8, length * 7 / 8)
    press(page, "Home")
    assert window(page) == (0, length / 2)
    press(page, "End")
    assert window(page) == (length / 2, length)
    press(page, "-")
    assert window(page) == (0, length)
    press(page, "+", "+", "0")
    assert window(page) == (0, length)


def test_the_strip_moves_the_window(show: Show, busy: threadmodel.Model) -> None:
    page = show(busy, "timeline")
    focus(page)
    press(page, "+", "+", "Home")
    strip = page.get_by_role("slider", name="Part of the run that is shown")
    box = strip.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + 20)
    start, end = window(page)
    assert (start + end) / 2 == pytest.approx(busy.length_ns / 2, rel=0.01)
    strip.focus()
    press(page, "ArrowRight")
    assert window(page)[0] == pytest.approx(start + (end - start) * 0.1)


def test_a_click_shows_owner_object_cause_and_stack(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model, "timeline")
    stacks: dict[int, list[str]] = {}
    for frame in model.stacks():
        line = f":{frame['line']}" if frame["line"] else ""
        stacks.setdefault(frame["stack"], []).append(f"{frame['method']}{line}")
    row = next(
        row
        for row in model.timeline()
        if row["state"] == "blocked" and row["peer"] and row["stack"] is not None
    )
    page.mouse.click(*point(page, row["thread"], (row["start_ns"] + row["end_ns"]) / 2))
    panel = page.get_by_label("The chosen interval")
    facts = dict(
        zip(
            panel.locator("dt").all_text_contents(),
            panel.locator("dd").all_text_contents(),
            strict=True,
        )
    )
    assert facts["thread"] == row["thread"]
    assert facts["state"] == "blocked"
    assert facts["object"] == row["object"]
    assert facts["class"] == row["class"]
    assert facts["owner"] == f"{row['peer']} {row['provenance']}"
    assert panel.locator(".stack li").all_text_contents() == stacks[row["stack"]]
    woken = [
        it
        for it in model.interactions(Selection(threads=[row["thread"]]))
        if it["woken_ns"] == row["end_ns"] and it["to_thread"] == row["thread"]
    ]
    assert woken
    assert woken[0]["from_thread"] in facts["ended by"]


def test_hovering_shows_detail(show: Show, model: threadmodel.Model) -> None:
    page = show(model, "timeline")
    row = next(row for row in model.timeline() if row["state"] == "waiting")
    page.mouse.move(*point(page, row["thread"], (row["start_ns"] + row["end_ns"]) / 2))
    tip = page.locator(".tip")
    tip.wait_for()
    text = tip.text_content() or ""
    assert row["thread"] in text
    assert "waiting" in text
    assert row["class"] in text


def test_intervals_are_walked_through_by_keyboard(
    show: Show, busy: threadmodel.Model
) -> None:
    page = show(busy, "timeline")
    focus(page)
    press(page, "ArrowDown")
    timeline = [row for row in busy.timeline() if row["thread"] == "t1"]
    for _ in range(len(timeline)):
        press(page, "ArrowLeft")
    seen = []
    for _ in timeline:
        seen.append(state(page, "s.picked.value.level.start[s.picked.value.row]"))
        press(page, "ArrowRight")
    assert seen == [row["start_ns"] for row in timeline]
    assert page.locator("[role=status]").text_content() == "The last interval"
    press(page, "Enter")
    start, end = window(page)
    assert start <= timeline[-1]["start_ns"] <= timeline[-1]["end_ns"] <= end


def test_the_critical_path_is_followed_step_by_step(
    show: Show, busy: threadmodel.Model
) -> None:
    page = show(busy, "timeline")
    segments = list(busy.critical_path())
    focus(page)
    press(page, "p")
    assert (
        page.get_by_role("button", name="Critical path").get_attribute("aria-pressed")
        == "true"
    )
    page.get_by_role("button", name="First").click()
    for number, segment in enumerate(segments[:25]):
        said = page.locator("[data-step]")
        assert said.get_attribute("data-step") == str(number)
        text = said.text_content() or ""
        assert text.startswith(f"Step {number + 1} of {len(segments)}: ")
        assert f" {segment['state']} for " in text
        start, end = window(page)
        assert start <= segment["start_ns"] <= segment["end_ns"] <= end
        lane = state(page, "s.data.threads[s.lane.value].name")
        assert lane == segment["thread"]
        if number + 1 < len(segments):
            page.get_by_role("button", name="On →").click()
    focus(page)
    press(page, "[")
    expected = max(min(25, len(segments) - 1) - 1, 0)
    assert page.locator("[data-step]").get_attribute("data-step") == str(expected)


def test_search_goes_to_threads_and_intervals(
    show: Show, busy: threadmodel.Model
) -> None:
    page = show(busy, "timeline")
    focus(page)
    press(page, "/")
    page.keyboard.type("t5")
    press(page, "Enter")
    assert state(page, "s.data.threads[s.lane.value].name") == "t5"
    box = page.get_by_placeholder("thread, class, method")
    box.fill("app.b")
    hits = sum(
        "app.b" in f"{row['class']} {row['object']} {row['method']}".lower()
        for row in busy.timeline()
    )
    press(page, "Enter")
    assert page.get_by_text(f"1 of {hits:,}", exact=True).is_visible()
    first = state(page, "s.picked.value.row")
    press(page, "Enter")
    assert page.get_by_text(f"2 of {hits:,}", exact=True).is_visible()
    assert state(page, "s.picked.value.row") != first
    box.fill("no such thing")
    press(page, "Enter")
    assert page.get_by_text("not found").is_visible()
