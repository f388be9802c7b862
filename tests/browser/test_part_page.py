# SPDX-License-Identifier: Apache-2.0
"""One range for all views: tables are of the part that the timeline shows.

The page computes them from the rows in it; the model computes the same on its own from
events, and is asked for the same part.
"""

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from test_resources_page import one_connection

import random_runs
import threadmodel
from conftest import VIEWS, Show, go, grid_rows, state, until
from threadmodel import Selection, drawn
from threadmodel import page as page_module
from threadmodel._enums import STATES
from threadmodel.text import duration

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs/examples"
# What the page computes, as its views read it.
READ = """names => {
    const run = threadmodelPart;
    return Object.fromEntries(names.map(name => {
        const table = run.table(name);
        return [name, table.rows ? table.allRows().map(row => Object.fromEntries(
            Object.entries(row).map(([key, value]) => [key,
                typeof value === 'bigint' ? Number(value) : value]))) : []];
    }));
}"""
OWNER = ("class", "owner", "owner_method")
BLAMED = ("class", "owner_method", "owner_line", "count", "total_ns", "max_ns")


def busy(seed: int) -> threadmodel.Model:
    model = threadmodel.Model()
    random_runs.fill(model, seed, threads=7, objects=9, count=3000)
    return model


RUNS: dict[str, Any] = {
    **{f"random {seed}": lambda seed=seed: busy(seed) for seed in (3, 9, 14)},
    "demo": lambda: threadmodel.open(EXAMPLES / "demo/demo.tmt"),
    "shop": lambda: threadmodel.open(EXAMPLES / "shop/fixed.tmt"),
    "pool": one_connection,
}
# Parts of a run, as shares of its length.
PARTS = ((0.2, 0.7), (0.5, 0.51), (0, 0.9), (0.31, 1))


def look(page: Page, window: tuple[int, int]) -> None:
    go(page, "timeline")
    state(page, f"s.look({window[0]}, {window[1]})")
    wanted = f"from={window[0]}&to={window[1]}"
    page.wait_for_function("part => location.hash.includes(part)", arg=wanted)


def windows(model: threadmodel.Model) -> Iterable[tuple[int, int]]:
    for first, last in PARTS:
        yield int(first * model.length_ns), int(last * model.length_ns)


def kept(rows: Any, columns: Iterable[str]) -> list[tuple[Any, ...]]:
    """Return some columns of rows, in an order of their own."""
    found = [tuple(row[name] for name in columns) for row in rows]
    return sorted(found, key=repr)


@pytest.mark.parametrize("name", RUNS)
def test_tables_of_a_part_are_those_of_the_model(show: Show, name: str) -> None:
    model = RUNS[name]()
    page = show(model, "timeline")
    for window in windows(model):
        part = Selection(window=window)
        look(page, window)
        go(page, "statistics")
        page.locator(".part").wait_for()
        tables = ["threads", "cells", "blame", "blockers", "users", "deadlocks"]
        found = page.evaluate(READ, tables)
        compare_statistics(model, part, found)
        compare_owners(model, part, found)
        alive = {row["deadlock"] for row in found["deadlocks"]}
        assert alive == {
            row["deadlock"]
            for row in model.deadlocks()
            if row["time_ns"] < window[1] and (row["resolved_ns"] or 1e18) > window[0]
        }


def compare_statistics(
    model: threadmodel.Model, part: Selection, found: dict[str, Any]
) -> None:
    sums = [f"{it}_{of}" for it in STATES for of in ("count", "total_ns")]
    extremes = [f"{it}_{of}" for it in STATES for of in ("min_ns", "max_ns")]
    slept = ["sleeping_count", "sleeping_total_ns"]
    columns = ["thread_id", *sums, *slept]
    assert kept(found["threads"], columns) == kept(model.threads(part), columns)
    asked = model.statistics(("thread", "class", "caller", "latency"), part)
    place = ("thread_id", "class", "method", "source", "line", "idle")
    latency = [name for name in asked.columns if name.endswith("_latency_ns")]
    columns = [*place, "objects", *sums, *extremes, *latency]
    for row in found["cells"]:
        row["idle"] = bool(row["idle"])
    assert kept(found["cells"], columns) == kept(asked, columns)


def compare_owners(
    model: threadmodel.Model, part: Selection, found: dict[str, Any]
) -> None:
    owners = list(model.blame(OWNER, part))
    columns = (*BLAMED, "owner_id", "latency_ns")
    assert kept(found["blame"], columns) == kept(owners, columns)
    for name in ("share", "reported_share", "exact_share", "inferred_share"):
        assert sorted(row[name] for row in found["blame"]) == pytest.approx(
            sorted(row[name] for row in owners)
        )
    columns = ("thread_id", "owner_id", "count", "total_ns")
    blockers = model.blame(("thread", "owner"), part)
    assert kept(found["blockers"], columns) == kept(blockers, columns)
    users = [
        row
        for row in model.blame(OWNER, part, of="resources")
        if row["owner_id"] is not None
    ]
    columns = (*BLAMED, "owner_id")
    assert kept(found["users"], columns) == kept(users, columns)


def test_each_view_is_of_the_part_and_states_what_is_not(show: Show) -> None:
    model = threadmodel.open(EXAMPLES / "demo/demo.tmt")
    page = show(model, "timeline")
    window = (100_000_000, 200_000_000)
    note = page.locator(".part")
    go(page, "statistics")
    assert note.count() == 0
    look(page, window)
    elsewhere = {
        "overview": ["causes-title", "findings-title"],
        "statistics": [],
        "locks": ["resources-title", "order-title"],
        "whatif": [""],
        "flame": [],
    }
    for view in VIEWS:
        go(page, view)
        if view == "timeline":
            assert note.count() == 0
            continue
        note.wait_for()
        assert "of the part from 100 ms to 200 ms" in note.inner_text()
        assert "--from 100ms --to 200ms -o part.html" in note.inner_text()
        badges = page.locator("h2 .elsewhere")
        marked = badges.evaluate_all("all => all.map(it => it.parentElement.id)")
        assert marked == elsewhere[view], view
        assert set(badges.all_inner_texts()) <= {"whole run"}
    go(page, "statistics")
    (total,) = model.total(Selection(window=window))
    card = page.locator(".card[data-state=blocked]")
    for name in ("count", "total"):
        column = "blocked_count" if name == "count" else "blocked_total_ns"
        assert card.get_attribute(f"data-{name}") == str(total[column])
    assert card.get_attribute("data-p99") == str(total["blocked_p99_ns"])
    page.get_by_role("button", name="Show the whole run").click()
    note.wait_for(state="detached")
    (total,) = model.total()
    shown = card.get_attribute("data-total")
    assert shown == str(total["blocked_total_ns"])


def test_a_page_of_a_part_has_the_model_s_tables_until_another_is_shown(
    show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = threadmodel.open(EXAMPLES / "demo/demo.tmt")
    window = (100_000_000, 200_000_000)
    render = functools.partial(page_module.render, part=Selection(window=window))
    monkeypatch.setattr(page_module, "render", render)
    page = show(model, "statistics")
    note = page.locator(".part")
    card = page.locator(".card[data-state=blocked]")
    (total,) = model.total(Selection(window=window))
    assert card.get_attribute("data-total") == str(total["blocked_total_ns"])
    assert note.count() == 0
    look(page, (0, model.length_ns // 2))
    go(page, "locks")
    note.wait_for()
    assert page.locator("h2 .elsewhere").first.inner_text() == "100 ms to 200 ms"


def test_an_address_with_a_part_opens_tables_of_it(show: Show) -> None:
    model = threadmodel.open(EXAMPLES / "demo/demo.tmt")
    page = show(model)
    page.goto(page.url.split("#")[0] + "#statistics&from=100000000&to=200000000")
    page.reload()
    page.locator(".part").wait_for()
    part = Selection(window=(100_000_000, 200_000_000))
    wanted = {
        row["class"]: row["blocked_total_ns"] for row in model.statistics("class", part)
    }

    def shown() -> dict[str, str]:
        rows = grid_rows(page, "Statistics by class")
        return {row["class"]: row["blocked_total"] for row in rows}

    of_part = {name: duration(time) for name, time in wanted.items()}
    assert until(page, shown, of_part) == of_part


def test_a_card_has_the_waits_that_lie_in_the_part(show: Show) -> None:
    model = threadmodel.open(EXAMPLES / "demo/demo.tmt")
    page = show(model, "timeline")
    look(page, (100_000_000, 200_000_000))
    go(page, "overview")
    row = next(it for it in model.findings() if it["class"] == "Demo$Till")
    card = page.locator(f".finding[data-rank='{row['rank']}']")
    part = Selection(window=(100_000_000, 200_000_000))
    (till,) = [
        it for it in model.statistics("class", part) if it["class"] == "Demo$Till"
    ]
    words = f"{till['blocked_count']} waits, {duration(till['blocked_total_ns'])}"
    card.locator(f"dd:text-is('{words}')").wait_for()


def test_without_room_for_shares_owners_are_of_the_whole_run(
    show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawn, "SHARED", 3)
    model = busy(9)
    page = show(model, "timeline")
    look(page, (model.length_ns // 4, model.length_ns // 2))
    go(page, "locks")
    page.locator(".part").wait_for()
    badges = page.locator("h2 .elsewhere")
    marked = badges.evaluate_all("all => all.map(it => it.parentElement.id)")
    assert marked == ["matrix-title", "blame-title", "resources-title", "order-title"]


def test_merged_intervals_are_stated(show: Show) -> None:
    model = busy(9)
    page = show(model, "timeline", detail=300)
    window = (model.length_ns // 4, model.length_ns // 2)
    look(page, window)
    go(page, "statistics")
    note = page.locator(".part")
    note.wait_for()
    assert "Short intervals, which this file has merged" in note.inner_text()
