# SPDX-License-Identifier: Apache-2.0
"""The timeline: what it draws is what the model answers."""

import pytest
from timeline_view import AXIS, drawn_intervals, focus, lanes, press, wait_for

import story
import threadmodel
from conftest import Show, state, until
from threadmodel import Event, EventKind, Frame

KINDS = ("start", "handoff", "notify", "notify_all", "join", "interrupt", "unpark")


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
