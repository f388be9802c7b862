# SPDX-License-Identifier: Apache-2.0
"""Statistics: totals over any choice are those that the model gives for it."""

import random
import re
from typing import Any

import pytest
from playwright.sync_api import Page

import random_runs
import threadmodel
from conftest import Show, cell, go, grid, grid_rows, state, until
from threadmodel import Selection
from threadmodel.text import duration

STATES = ("blocked", "waiting", "reentering", "joining", "parked")
FIGURES = {
    "count": "count",
    "total": "total_ns",
    "min": "min_ns",
    "p50": "p50_ns",
    "p90": "p90_ns",
    "p99": "p99_ns",
    "max": "max_ns",
}


def random_model(seed: int, threads: int = 8) -> threadmodel.Model:
    model = threadmodel.Model()
    random_runs.fill(model, seed, threads=threads, objects=6, count=3000)
    return model


def shown_totals(page: Page) -> dict[str, dict[str, int | None]]:
    found: dict[str, dict[str, int | None]] = {}
    for name in STATES:
        card = page.locator(f".card[data-state={name}]")
        found[name] = {
            figure: int(value)
            if (value := card.get_attribute(f"data-{figure}"))
            else None
            for figure in FIGURES
        }
    return found


def true_totals(
    model: threadmodel.Model, **selection: Any
) -> dict[str, dict[str, int | None]]:
    rows = list(model.total(Selection(**selection)))
    row = rows[0] if rows else {}
    return {
        name: {
            figure: row.get(
                f"{name}_{column}", 0 if figure in ("count", "total") else None
            )
            for figure, column in FIGURES.items()
        }
        for name in STATES
    }


def distinct(page: Page) -> tuple[int, int]:
    card = page.locator(".card[data-objects]")
    return (
        int(card.get_attribute("data-objects") or -1),
        int(card.get_attribute("data-threads") or -1),
    )


def choose(page: Page, label: str, column: str, names: list[str]) -> None:
    """Tick rows of a table by the text of a column."""
    rows = grid(page, label).locator("[role=row][row-id]")
    for name in names:
        exact = re.compile(f"^\\s*{re.escape(name)}\\s*$")
        named = page.locator(f'[col-id="{column}"]', has_text=exact)
        rows.filter(has=named).locator("input[type=checkbox]").check()


@pytest.mark.parametrize("seed", [1, 2])
def test_totals_of_all_are_the_model_s(show: Show, seed: int) -> None:
    model = random_model(seed)
    page = show(model, "statistics")
    assert shown_totals(page) == true_totals(model)
    (row,) = model.total()
    assert distinct(page) == (row["objects"], row["threads"])


def test_totals_of_chosen_threads_are_the_model_s(show: Show) -> None:
    model = random_model(3)
    page = show(model, "statistics")
    rng = random.Random(7)
    for _ in range(4):
        names = rng.sample([f"t{n}" for n in range(1, 9)], rng.randint(1, 5))
        page.get_by_role("button", name="Choose none").evaluate("b => b.click()")
        choose(page, "Threads", "name", names)
        page.locator(
            ".totals .aside", has_text=f"{len(names)} chosen thread"
        ).wait_for()
        assert shown_totals(page) == true_totals(model, threads=names)
        (row,) = model.total(Selection(threads=names))
        assert distinct(page) == (row["objects"], row["threads"])


def test_rows_are_chosen_with_the_keyboard(show: Show) -> None:
    model = random_model(3)
    page = show(model, "statistics")
    cell(page, "Threads", 0, "name").click()
    page.keyboard.press("Shift+ArrowDown")
    page.locator(".totals .aside", has_text="chosen thread").wait_for()
    assert "chosen thread" in (page.locator(".totals .aside").text_content() or "")


def test_classes_of_chosen_threads_are_the_model_s(show: Show) -> None:
    model = random_model(4)
    page = show(model, "statistics")
    choose(page, "Threads", "name", ["t2", "t5"])
    page.locator(".totals .aside", has_text="2 chosen").wait_for()
    expected = {}
    for row in model.locks(Selection(threads=["t2", "t5"])):
        cells = {"objects": str(row["objects"]), "threads": str(row["threads"])}
        for name in STATES:
            cells[f"{name}_count"] = f"{row[f'{name}_count']:,}"
            for figure in ("total", "min", "mean", "p50", "p90", "p99", "max"):
                cells[f"{name}_{figure}"] = duration(row[f"{name}_{figure}_ns"])
        expected[row["class"] or "(not known)"] = cells

    def shown() -> dict[str, dict[str, str]]:
        rows = grid_rows(page, "Statistics by class")
        columns = next(iter(expected.values()))
        return {row["class"]: {name: row[name] for name in columns} for row in rows}

    assert until(page, shown, expected) == expected


def test_callers_are_those_of_chosen_classes(show: Show) -> None:
    model = random_model(4)
    page = show(model, "statistics")
    choose(page, "Statistics by class", "class", ["app.B"])
    page.locator(".totals .aside", has_text="1 chosen class").wait_for()
    assert shown_totals(page) == true_totals(model, classes=["app.B"])
    for name, label in (("blocked", "blocked"), ("waiting", "waiting")):
        expected = sorted(
            (row["method"] or "(not known)", row[f"{name}_count"])
            for row in model.callers(Selection(classes=["app.B"]))
            if row[f"{name}_count"]
        )

        def shown(name: str = name, label: str = label) -> list[tuple[str, int]]:
            rows = grid_rows(page, f"{label}, by caller")
            return sorted((row["method"], int(row[f"{name}_count"])) for row in rows)

        assert until(page, shown, expected) == expected


def test_every_column_is_sorted_by_its_header(show: Show) -> None:
    model = random_model(5)
    page = show(model, "statistics")
    threads = grid(page, "Threads")
    columns = threads.locator(".ag-header-cell[col-id]").evaluate_all(
        "cells => cells.map(cell => cell.getAttribute('col-id'))"
    )
    rows = {row["name"]: row for row in model.threads()}
    for column in columns:
        if column not in next(iter(rows.values())):
            continue
        header = threads.locator(f'.ag-header-cell[col-id="{column}"]')
        for _ in range(3):
            if header.get_attribute("aria-sort") == "descending":
                break
            header.locator(".ag-header-cell-label").click()
        assert header.get_attribute("aria-sort") == "descending"
        if column in ("name", "group", "state"):
            continue
        expected = sorted((row[column] for row in rows.values()), reverse=True)

        def shown(column: str = column) -> list[int]:
            return [rows[row["name"]][column] for row in grid_rows(page, "Threads")]

        assert until(page, shown, expected) == expected


def test_a_histogram_counts_every_blocking_interval(show: Show) -> None:
    model = random_model(6)
    page = show(model, "statistics")
    page.locator(".card[data-state=blocked]").click()
    count = sum(row["count"] for row in model.histogram("blocked"))
    assert page.locator(".histogram svg").get_attribute("data-count") == str(count)
    first = grid_rows(page, "blocked, by caller")[0]
    cell(page, "blocked, by caller", 0, "method").dblclick()
    page.locator(".histogram figcaption", has_text=first["method"]).wait_for()
    shown = page.locator(".histogram svg").get_attribute("data-count")
    assert shown == first["blocked_count"].replace(",", "")


def test_chosen_threads_go_to_the_timeline_and_back(show: Show) -> None:
    model = random_model(6)
    page = show(model, "statistics")
    choose(page, "Threads", "name", ["t1", "t4"])
    page.get_by_role("button", name="Show in the timeline").click()
    page.wait_for_selector(".lanes[data-drawn]")
    assert state(page, "s.rows.value.lanes.map(l => s.data.threads[l].name)") == [
        "t1",
        "t4",
    ]
    page.get_by_role("button", name="Filter:").click()
    page.get_by_role("button", name="Show all").click()
    assert state(page, "s.rows.value.lanes.length") == 8
    page.get_by_role("button", name="Statistics of the threads shown").click()
    assert "8 chosen threads" in (page.locator(".totals .aside").text_content() or "")


def test_a_class_is_brought_out_in_the_timeline(show: Show) -> None:
    page = show(random_model(6), "statistics")
    choose(page, "Statistics by class", "class", ["app.A"])
    page.get_by_role("button", name="Highlight in the timeline").click()
    page.wait_for_selector(".lanes[data-drawn]")
    assert state(page, "s.bright.value") == "app.A"
    go(page, "statistics")


def test_too_many_threads_are_not_chosen_from(
    show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("threadmodel.page.CELL_ROWS", 3)
    model = random_model(6)
    page = show(model, "statistics")
    assert shown_totals(page) == true_totals(model)
    assert grid(page, "Threads").locator("input[type=checkbox]").count() == 0
    assert page.get_by_text("too many for this file").is_visible()


def test_of_too_many_histograms_those_of_all_threads_stay(
    show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = random_model(6)
    keys = ("class", "caller")
    by_place = max(len(model.histogram(name, keys)) for name in STATES)
    by_thread = max(len(model.histogram(name, ("thread", *keys))) for name in STATES)
    assert by_place < by_thread
    monkeypatch.setattr("threadmodel.page.BUCKET_ROWS", by_place)
    page = show(model, "statistics")
    assert shown_totals(page) == true_totals(model)
    choose(page, "Threads", "name", ["t1", "t4"])
    page.locator(".totals .aside", has_text="2 chosen").wait_for()
    expected = true_totals(model, threads=["t1", "t4"])
    widest = max(STATES, key=lambda n: len(model.histogram(n, ("thread", *keys))))
    assert shown_totals(page)[widest] == {
        **expected[widest],
        **dict.fromkeys(("p50", "p90", "p99")),
    }
