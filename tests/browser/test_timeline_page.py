# SPDX-License-Identifier: Apache-2.0
"""The timeline: what it draws is what the model answers, and every handle works."""

from itertools import groupby, pairwise
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

import random_runs
import runs
import story
import threadmodel
from conftest import Show, cell, grid, grid_rows, state, until
from threadmodel import Event, EventKind, Frame, Selection

KINDS = ("start", "handoff", "notify", "notify_all", "join", "interrupt", "unpark")
GUTTER, AXIS, LANE = 190, 26, 24
RUNNING, BLOCKED = 2, 3


@pytest.fixture
def model() -> threadmodel.Model:
    model = threadmodel.Model()
    runs.fill(model)
    return model


@pytest.fixture
def busy() -> threadmodel.Model:
    model = threadmodel.Model()
    random_runs.fill(model, 9, threads=7, objects=4, count=2500)
    return model


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


def test_every_interval_is_there(show: Show, busy: threadmodel.Model) -> None:
    page = show(busy, "timeline")
    expected = [[row["start_ns"], row["end_ns"], 1] for row in busy.timeline()]
    assert [row[:3] for row in drawn_intervals(page)] == expected


@pytest.mark.parametrize("detail", [1, 60, 500])
def test_of_a_cut_report_no_time_is_lost_and_it_reports_it(
    show: Show, busy: threadmodel.Model, detail: int
) -> None:
    page = show(busy, "timeline", detail=detail)
    timeline = list(busy.timeline())
    rows = drawn_intervals(page)
    assert len(rows) <= max(detail, len(busy.threads()))
    assert sum(row[2] for row in rows) == len(timeline)
    spans = sum(row["end_ns"] - row["start_ns"] for row in timeline)
    assert sum(row[1] - row[0] for row in rows) == spans
    note = page.locator(".note.cut").first.text_content() or ""
    assert f"{len(timeline):,} intervals" in note


def test_coarser_levels_keep_all_time(show: Show) -> None:
    model = threadmodel.Model()
    model.define_thread(1, "t")
    kind = EventKind
    model.ingest(
        [
            Event(
                1 + 7 * i, 1, kind.CONTENDED_ENTERED if i % 2 else kind.CONTENDED_ENTER
            )
            for i in range(40_000)
        ]
    )
    page = show(model, "timeline")
    levels = state(
        page,
        "s.data.lanes.levels.map(l => [l.start.length, l.count.reduce((a, b) => a + b),"
        " l.end[l.end.length - 1], l.start[0]])",
    )
    assert len(levels) > 2
    intervals = len(model.timeline())
    assert [level[1] for level in levels] == [intervals] * len(levels)
    sizes = [level[0] for level in levels]
    assert sizes == sorted(sizes, reverse=True)
    assert {(level[2], level[3]) for level in levels} == {(model.length_ns, 0)}


def test_pixels_show_the_time_of_each_state(show: Show) -> None:
    """A lane is read column by column: as many are of a state as it took time."""
    model = threadmodel.Model()
    model.define_thread(1, "t")
    kind = EventKind
    for start, what in enumerate(
        (kind.THREAD_START, kind.CONTENDED_ENTER, kind.CONTENDED_ENTERED, kind.PARK)
    ):
        model.ingest([Event(1 + start * 1000, 1, what, object=start // 3 + 7)])
    model.ingest([Event(5001, 1, kind.UNPARKED), Event(8001, 1, kind.THREAD_END)])
    page = show(model, "timeline", color_scheme="light")
    colours: list[int] = page.evaluate(
        """() => {
            const canvas = document.querySelector('.lanes canvas');
            const y = 26 + 12;
            const { data } = canvas.getContext('2d')
                .getImageData(190, y, canvas.width - 190, 1);
            return [...new Uint32Array(data.buffer)].map(v => v & 0xffffff);
        }"""
    )
    green = 0x739E00  # #009e73, red in the lowest byte
    shares = {}
    for row in model.timeline():
        shares[row["state"]] = shares.get(row["state"], 0) + (
            row["end_ns"] - row["start_ns"]
        )
    running = sum(colour == green for colour in colours) / len(colours)
    assert running == pytest.approx(shares["running"] / model.length_ns, abs=0.01)


def test_arrows_of_each_kind_are_turned_on_and_off(
    show: Show, model: threadmodel.Model, busy: threadmodel.Model
) -> None:
    for asked in (model, busy):
        expected = dict.fromkeys(KINDS, 0)
        for row in asked.interactions():
            ends = row["from_thread_id"], row["to_thread_id"], row["woken_ns"]
            if row["kind"] in expected and None not in ends:
                expected[row["kind"]] += 1
        page = show(asked, "timeline")
        assert state(page, "s.arrowCount.value.total") == 0
        page.get_by_role("button", name="All arrows").click()
        wait_for(page, "s.arrowCount.value.total", sum(expected.values()))
        for kind in KINDS:
            button = page.locator(f"[data-kind={kind}]")
            button.click()
            assert button.get_attribute("aria-pressed") == "false"
            gone = sum(expected.values()) - expected[kind]
            page.wait_for_selector(".lanes")
            wait_for(page, "s.arrowCount.value.total", gone)
            button.click()
            wait_for(page, "s.arrowCount.value.total", sum(expected.values()))


def test_arrows_are_those_of_the_chosen_thread_and_of_its_interval(
    show: Show, busy: threadmodel.Model
) -> None:
    page = show(busy, "timeline")
    ends = [
        (row["from_thread_id"], row["to_thread_id"], row["time_ns"], row["woken_ns"])
        for row in busy.interactions()
    ]
    known = [one for one in ends if None not in one]
    for index, thread in enumerate(busy.threads()["thread_id"]):
        state(page, f"(s.picked.value = null, s.lane.value = {index})")
        own = sum(thread in one[:2] for one in known)
        wait_for(page, "s.arrowCount.value.total", own)
    press(page, "0")
    focus(page)
    press(page, "ArrowLeft")
    start, end = state(
        page,
        "(({ level, row }) => [level.start[row], level.end[row]])(s.picked.value)",
    )
    within = 0
    for source, to, time, woken in known:
        woke = to == thread and start <= woken <= end
        within += woke or (source == thread and start <= time <= end)
    wait_for(page, "s.arrowCount.value.total", within)


def test_idle_and_silent_lanes_are_collapsed_until_asked_for(show: Show) -> None:
    played = story.Story(threads=4)
    sink = played.model
    sink.define_class(8, "java.util.concurrent.ThreadPoolExecutor")
    sink.define_method(8, 8, "getTask")
    sink.define_stack(8, [Frame(8)])
    sink.define_thread(3, "silent", daemon=True)
    for thread in (1, 2, 3):
        played.at(0, thread, EventKind.THREAD_START)
    played.at(1, 1, EventKind.PARK, object=story.QUEUE, stack=8)
    played.at(1, 2, EventKind.PARK, object=story.QUEUE, stack=story.TAKE)
    played.at(99, 2, EventKind.UNPARKED, object=story.QUEUE)
    played.at(100, 2, EventKind.THREAD_END)
    played.findings()
    page = show(played.model, "timeline")
    names = "s.rows.value.lanes.map(lane => s.data.threads[lane].name)"
    assert "t2" in state(page, names)
    assert not {"t1", "silent"} & set(state(page, names))
    assert "2 lanes" in page.get_by_label("The run", exact=True).inner_text()
    top = state(page, "s.rows.value.rows.at(-1).top")
    lanes(page).click(position={"x": 20, "y": AXIS + top + 10})
    assert {"t1", "t2", "silent"} <= set(state(page, names))
    idle = state(page, "s.data.lanes.finest.state[s.data.lanes.finest.first[0] + 1]")
    # Idle is the last of all that are drawn, as in the legend.
    drawn = state(page, "[...s.data.lanes.finest.state].filter(it => it < 255)")
    assert idle == max(drawn)
    assert page.locator(".legend li").all_inner_texts()[-1].strip() == "idle"


def test_pauses_of_the_collector_are_bands_and_in_the_panel(show: Show) -> None:
    played = story.Story(threads=1)
    played.at(0, 1, EventKind.THREAD_START)
    for begin, end in ((10, 12), (40, 45)):
        played.at(end, 0, EventKind.GC_PAUSE, value=(end - begin) * 1_000_000)
    played.at(100, 1, EventKind.THREAD_END)
    played.findings()
    page = show(played.model, "timeline")
    pauses = [[row["start_ns"], row["end_ns"]] for row in played.model.context()]
    assert len(pauses) == 2
    assert state(page, "s.data.pauses.map(p => [p.start, p.end])") == pauses
    assert "2 pauses, 7.00 ms" in page.get_by_label("The run", exact=True).inner_text()
    assert page.locator(".legend .pause-mark").count() == 1


def test_labels_name_the_caller_first(show: Show, model: threadmodel.Model) -> None:
    page = show(model, "timeline")
    page.evaluate(
        """() => {
            const { prototype } = CanvasRenderingContext2D;
            const { fillText } = prototype;
            globalThis.drawn = [];
            prototype.fillText = function (text, ...at) {
                drawn.push(text);
                return fillText.call(this, text, ...at);
            };
            threadmodelTimeline.scene.redraw();
        }"""
    )
    seen = "drawn.some(text => text.startsWith('Acc'))"
    assert until(page, lambda: page.evaluate(seen), True)


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


def wait_for(page: Page, expression: str, value: Any) -> None:
    """Let frames pass until the state is so."""
    assert until(page, lambda: state(page, expression), value) == value


def test_certain_and_inferred_arrows_are_distinguished(
    show: Show, busy: threadmodel.Model
) -> None:
    page = show(busy, "timeline")
    shown = state(page, "s.data.arrows.all.map(a => [a.row, a.exact])")
    rows = list(busy.interactions())
    assert {rows[row]["provenance"] for row, exact in shown if exact} <= {
        "exact",
        "reported",
    }
    assert {rows[row]["provenance"] for row, exact in shown if not exact} <= {
        "inferred",
        "unknown",
    }


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


def wait_for_rows(page: Page, names: set[str]) -> None:
    """Let frames pass until the filter lists just these threads."""

    def shown() -> set[str]:
        return {row["name"] for row in grid_rows(page, "Threads to show")}

    assert until(page, shown, names) == names


def wait_until(page: Page, expression: str) -> None:
    wait_for(page, expression, True)


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


def test_threads_are_grouped_or_flat(show: Show, model: threadmodel.Model) -> None:
    page = show(model, "timeline")
    groups = {row["group"] for row in model.threads()}
    names = {row["name"] for row in model.threads()}
    kinds = "s.rows.value.rows.map(row => row.kind)"
    assert state(page, kinds).count("group") == (len(groups) if len(groups) > 1 else 0)
    if len(groups) == 1:
        page.get_by_role("button", name="Group threads").click()
    assert state(page, kinds).count("group") == len(groups)
    page.get_by_role("button", name="Group threads").click()
    assert state(page, kinds) == ["lane"] * len(names)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("t1", {"t1"}),
        ("t*", {f"t{n}" for n in range(1, 8)}),
        ("/^t[2-4]$/", {"t2", "t3", "t4"}),
    ],
)
def test_threads_are_filtered_by_name(
    show: Show, busy: threadmodel.Model, pattern: str, expected: set[str]
) -> None:
    page = show(busy, "timeline")
    focus(page)
    press(page, "f")
    page.get_by_label("Name").fill(pattern)
    page.get_by_role("button", name=f"Show {len(expected)} thread").click()
    names = state(page, "s.rows.value.lanes.map(l => s.data.threads[l].name)")
    assert set(names) == expected


def test_threads_are_filtered_by_state_and_activity(
    show: Show, busy: threadmodel.Model
) -> None:
    page = show(busy, "timeline")
    page.get_by_role("button", name="Filter:").click()
    states = {row["state"] for row in busy.threads()}
    for name in states:
        page.get_by_label("At the end").select_option(name)
        wait_for_rows(page, {r["name"] for r in busy.threads() if r["state"] == name})
    page.get_by_role("button", name="Any", exact=True).click()
    held = {
        row["name"]: sum(
            row[f"{kind}_total_ns"]
            for kind in ("blocked", "waiting", "reentering", "joining", "parked")
        )
        for row in busy.threads()
    }
    least = sorted(held.values())[3]
    page.get_by_label("Blocked for at least").fill(str(least / 1e6))
    wait_for_rows(page, {name for name, total in held.items() if total >= least})
    cell(page, "Threads to show", 0, "name").click()
    said = page.get_by_role("button", name="Show 1 thread")
    said.click()
    assert state(page, "s.rows.value.lanes.length") == 1


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


def test_the_timeline_is_a_table_too(show: Show, model: threadmodel.Model) -> None:
    page = show(model, "timeline")
    page.get_by_role("button", name="Show as a table").click()
    label = "Intervals of the part of the run that is shown"
    grid(page, label).wait_for()
    assert page.locator(f'.grid:has([aria-label="{label}"])').get_attribute(
        "data-rows"
    ) == str(len(model.timeline()))
    cell(page, label, 0, "thread").click()
    wait_until(page, "s.picked.value !== null")


def test_what_is_chosen_stays_while_other_views_are_open(
    show: Show, busy: threadmodel.Model
) -> None:
    page = show(busy, "timeline")
    focus(page)
    press(page, "+", "ArrowDown")
    before = window(page)
    page.click("#tab-locks")
    page.click("#tab-timeline")
    page.wait_for_selector(".lanes[data-drawn]")
    assert window(page) == before


def test_lanes_are_by_thread(show: Show, busy: threadmodel.Model) -> None:
    page = show(busy, "timeline")
    first = state(page, "[...s.data.lanes.finest.first]")
    by_thread = groupby(busy.timeline(), key=lambda row: row["thread"])
    sizes = [len(list(rows)) for _, rows in by_thread]
    assert [after - before for before, after in pairwise(first)] == sizes
