# SPDX-License-Identifier: Apache-2.0
"""The timeline: which threads it lists, and in which groups."""

from itertools import groupby, pairwise

import pytest
from timeline_view import (
    focus,
    press,
    wait_for_rows,
    wait_until,
    window,
)

import threadmodel
from conftest import Show, cell, grid, state


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
