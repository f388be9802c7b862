# SPDX-License-Identifier: Apache-2.0
"""Comparisons of any two runs: the values are those of the runs' own tables."""

from typing import Any

import pytest

import threadmodel
from campaign import campaign, run_of
from threadmodel import Table

Row = dict[str, Any]
FIGURES = [
    f"{state}_{figure}"
    for state in ("blocked", "reentering", "waiting", "joining", "parked")
    for figure in ("count", "total_ns", "p99_ns")
]


def by_key(table: Table, names: tuple[str, ...]) -> dict[Any, Row]:
    return {tuple(row[name] for name in names): row for row in table}


def check_sides(rows: list[Row], before: dict[Any, Row], after: dict[Any, Row]) -> None:
    """Each row of both runs is in one row, with its values; what is missing is 0."""
    left, right = dict(before), dict(after)
    for row in rows:
        olds = [key for key in left if agrees(row, left[key], "before")]
        news = [key for key in right if agrees(row, right[key], "after")]
        assert olds or not any(row[f"{figure}_before"] for figure in FIGURES)
        assert news or not any(row[f"{figure}_after"] for figure in FIGURES)
        if olds:
            del left[next((key for key in olds if key in news), olds[0])]
        if news:
            del right[next((key for key in news if key in olds), news[0])]
        for figure in FIGURES:
            old, new = row[f"{figure}_before"], row[f"{figure}_after"]
            change = None if old is None or new is None else new - old
            assert row[f"{figure}_change"] == change
    assert not left
    assert not right


def agrees(row: Row, of_run: Row, side: str) -> bool:
    """Return whether a row can be that of a run: same class, method and figures."""
    return all(
        row[name] == of_run[name] for name in ("class", "method") if name in row
    ) and all(row[f"{figure}_{side}"] == of_run[figure] for figure in FIGURES)


@campaign(150, 2000)
def test_rows_of_a_comparison_are_those_of_both_runs(seed: int) -> None:
    before, after = run_of(seed), run_of(seed // 2 + seed % 3)
    found = threadmodel.compare(before, after)
    names = ("class",)
    check_sides(
        found.locks,
        by_key(before.locks(), names),
        by_key(after.locks(), names),
    )
    names = ("class", "method", "line")
    check_sides(
        found.callers, by_key(before.callers(), names), by_key(after.callers(), names)
    )
    changes = [abs(row["blocked_total_ns_change"]) for row in found.callers]
    assert changes == sorted(changes, reverse=True)
    (run,) = found.run
    assert run["length_ns_change"] == after.length_ns - before.length_ns


@campaign(100, 1000)
def test_no_run_differs_from_itself(seed: int) -> None:
    model = run_of(seed)
    for rows in threadmodel.compare(model, model).tables().values():
        for row in rows:
            for name, value in row.items():
                assert not name.endswith("_change") or value in (0, None)


@campaign(60, 600)
def test_the_share_of_queueing_is_that_of_all_threads_lives(seed: int) -> None:
    model = run_of(seed)
    lived = queued = 0
    for row in model.threads():
        end = model.length_ns if row["end_ns"] is None else row["end_ns"]
        lived += max(end - (row["start_ns"] or 0), 0)
    for row in model.blame():
        queued += row["end_ns"] - row["start_ns"]
    (run,) = threadmodel.compare(model, model).run
    share = queued / lived if lived else 0
    assert run["lock_share_before"] == pytest.approx(share)
