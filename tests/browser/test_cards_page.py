# SPDX-License-Identifier: Apache-2.0
"""Findings as cards: what they say, their picture, their evidence, and links to it."""

from pathlib import Path

import pytest

import first_screen
import story
import threadmodel
from conftest import Show, go, grid, grid_rows, state
from threadmodel import EventKind, Frame

RECORDING = Path(__file__).parents[1] / "data/traces/demo-version-1.tmt"
PARTS = {
    "Waits": "waits",
    "Holds": "holds",
    "Gain": "gain",
    "Try": "advice",
    "Not known": "caveat",
}


def test_cards_are_in_the_model_s_words(show: Show, model: threadmodel.Model) -> None:
    page = show(model)
    rows = list(model.findings())
    assert rows
    titles = page.locator(".finding h3").all_text_contents()
    assert titles == [row["title"] for row in rows]
    for card, row in zip(page.locator(".finding").all(), rows, strict=True):
        names = card.locator("dt").all_text_contents()
        shown = card.locator("dd").all_text_contents()
        parts = dict(zip(names, shown, strict=True))
        assert {name: parts.get(name) for name in PARTS} == {
            name: row[part] for name, part in PARTS.items()
        }


def test_picture_shows_how_many_threads_waited_there(show: Show) -> None:
    played = story.Story()
    for at in range(10):
        for thread in range(1, 6):
            played.block(100 * at, 100 * at + 50, thread)
    assert played.findings()
    page = show(played.model)
    page.wait_for_selector(".finding .picture svg", state="attached")
    picture = page.locator(".finding .picture svg").first
    # All five queue for half of the time.
    assert float(picture.get_attribute("data-most") or 0) == pytest.approx(5, rel=0.01)
    assert "of the run: 5.0 at most" in (picture.get_attribute("aria-label") or "")


def test_picture_of_a_deadlock_is_its_ring(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model)
    ring = page.locator(".finding.deadlock .ring")
    assert ring.count() == 1
    said = ring.get_attribute("aria-label") or ""
    for row in model.deadlocks():
        assert f"{row['thread']} wants" in said


def test_evidence_is_exactly_the_rows_and_in_view(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model)
    for finding in model.findings():
        card = page.locator(f'.finding[data-rank="{finding["rank"]}"]')
        card.get_by_role("button", name="Show the evidence").click()
        rows = model.evidence(finding)
        shown = page.locator(".evidence")
        assert shown.get_attribute("data-rows") == str(len(rows))
        label = f"Evidence of finding {finding['rank']}"
        grid(page, label).locator("[role=row][row-id]").first.wait_for()
        cells = grid_rows(page, label)
        assert len(cells) == len(rows)
        for name in ("thread", "class", "method", "kind"):
            if name in rows.columns and any(rows[name]):
                assert [row[name] for row in cells] == list(rows[name])
        box = grid(page, label).bounding_box()
        assert box
        assert 0 <= box["y"] <= 900 - box["height"]
        chosen = grid(page, label).locator('[role=row][aria-selected="true"]')
        assert chosen.count() == 1


def test_a_link_to_evidence_opens_it(show: Show, model: threadmodel.Model) -> None:
    page = show(model)
    page.get_by_role("button", name="Show the evidence").first.click()
    page.wait_for_url(lambda url: url.endswith("#overview&finding=1"))
    again = page.context.new_page()
    again.goto(page.url)
    again.wait_for_selector('.finding[data-rank="1"] .evidence')
    again.get_by_role("button", name="Hide the evidence").click()
    assert again.locator(".evidence").count() == 0


def test_a_row_of_evidence_leads_to_its_interval_and_a_link_to_the_same(
    show: Show, model: threadmodel.Model
) -> None:
    chosen = "(({ level, row }) => [level.start[row], level.end[row]])(s.picked.value)"
    page = show(model)
    page.get_by_role("button", name="Show the evidence").first.click()
    page.get_by_role("button", name="The chosen row in the timeline").click()
    page.wait_for_selector(".lanes[data-drawn]")
    (row, *_) = model.evidence(model.findings()[0])
    lane = state(page, "s.data.threads[s.lane.value].name")
    start, end = state(page, chosen)
    assert lane == row["thread"]
    assert start <= row["time_ns"] <= end
    page.wait_for_url(lambda url: "#timeline&thread=" in url)
    again = page.context.new_page()
    again.goto(page.url)
    again.wait_for_selector(".lanes[data-drawn]")
    assert state(again, "s.data.threads[s.lane.value].name") == lane
    assert state(again, chosen) == [start, end]


@pytest.mark.parametrize(
    "address",
    [
        "#nothing",
        "#timeline&thread=9999999999999999999999&from=x&to=-1",
        "#timeline&thread=12&from=5&to=1",
        "#timeline&from=1e300&to=1e308&at=1e99",
        "#overview&finding=1e9",
        "#statistics&shown=zz&class=%00%ff",
    ],
)
def test_an_address_that_makes_no_sense_shows_the_report(
    show: Show, model: threadmodel.Model, address: str
) -> None:
    page = show(model)
    again = page.context.new_page()
    faults: list[str] = []
    again.on("pageerror", lambda error: faults.append(str(error)))
    again.goto(page.url.partition("#")[0] + address)
    again.wait_for_selector("html[data-ready=all]")
    assert again.locator("#view").inner_text().strip()
    assert faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_finding_needs_no_scrolling(show: Show, scheme: str) -> None:
    page = show(
        threadmodel.open(RECORDING),
        color_scheme=scheme,
        viewport={"width": first_screen.WIDTH, "height": first_screen.HEIGHT},
    )
    first_screen.check_first_finding(page)


def test_states_in_which_nobody_was_have_no_bar(show: Show) -> None:
    played = story.Story(2).block(10, 40, 1, owner=2)
    played.findings()
    page = show(played.model)
    (row,) = page.locator(".bars tr").all()
    assert (row.inner_text()).split()[0] == "blocked"


def test_time_without_work_is_a_bar_of_its_own(show: Show) -> None:
    played = story.Story()
    played.model.define_class(8, "java.util.concurrent.ThreadPoolExecutor")
    played.model.define_method(8, 8, "getTask")
    played.model.define_stack(8, [Frame(8)])
    for at, stack in ((0, 8), (100, story.TAKE)):
        played.at(at, 1, EventKind.PARK, object=story.QUEUE, stack=stack)
        played.at(at + 50, 1, EventKind.UNPARKED, object=story.QUEUE)
    played.findings()
    page = show(played.model)
    rows = [
        [cell.strip() for cell in row.locator("th, .figure").all_text_contents()[:2]]
        for row in page.locator(".bars tr").all()
    ]
    assert ["idle", "50.0 ms"] in rows
    assert ["parked", "50.0 ms"] in rows
    go(page, "statistics")
    total = page.locator(".card[data-state=parked]").inner_text()
    assert "100 ms" in total
    assert "50.0 ms of it idle" in total
    for label in ("Threads", "Statistics by class"):
        idle = [row["parked_idle"] for row in grid_rows(page, label)]
        assert idle.count("50.0 ms") == 1, label
        assert set(idle) <= {"50.0 ms", "0 ns", ""}, label
    (busy,) = grid_rows(page, "parked, by caller")
    (of_worker,) = grid_rows(page, "idle, parked for work, by caller")
    assert busy["parked_total"] == of_worker["parked_total"] == "50.0 ms"
    assert of_worker["method"].endswith("ThreadPoolExecutor.getTask")
    assert busy["method"] != of_worker["method"]
