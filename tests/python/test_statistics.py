# SPDX-License-Identifier: Apache-2.0
"""Statistics of thousands of runs, against the slow reference; and of their halves."""

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from campaign import campaign, run_of
from statistics_reference import (
    COLUMNS,
    STATES,
    Reference,
    columns_of,
    distinct,
    figures,
    percentile,
)
from threadmodel import Model, Selection

Row = dict[str, Any]


def some_keys(chance: random.Random) -> list[str]:
    return [key for key in COLUMNS if chance.random() < 0.35]


def some_selection(chance: random.Random, model: Model) -> dict[str, Any]:
    """Choose threads, classes and a window, each or not."""
    selection: dict[str, Any] = {}
    if chance.random() < 0.4:
        ids = model.threads()["thread_id"].to_list()
        selection["threads"] = chance.sample(ids, chance.randint(1, len(ids)))
    names = sorted({row["class"] for row in model.locks()} - {None})
    if names and chance.random() < 0.4:
        selection["classes"] = chance.sample(names, chance.randint(1, len(names)))
    if chance.random() < 0.5:
        start = chance.choice((None, 0, chance.randint(0, model.length_ns)))
        end = chance.choice((None, (start or 0) + chance.randint(1, model.length_ns)))
        selection["window"] = (start, end)
    return selection


def window_ns(model: Model, selection: dict[str, Any]) -> int:
    start, end = selection.get("window") or (None, None)
    return min(end or model.length_ns, model.length_ns) - (start or 0)


def check_row(row: Row, rows: list[Row], whole_ns: int) -> None:
    """Compare one row of an answer with the blocking intervals that it sums up."""
    assert row["objects"] == distinct(rows, "object")
    assert row["threads"] == distinct(rows, "thread_id")
    for state in STATES:
        wanted = figures(rows, state)
        assert {name: row[name] for name in wanted} == wanted
        share = wanted[f"{state}_total_ns"] / whole_ns if whole_ns > 0 else 0
        assert row[f"{state}_share"] == pytest.approx(share)
        for name, fraction in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
            true_ns = percentile(rows, state, fraction)
            found_ns = row[f"{state}_{name}_ns"]
            if true_ns is None:
                assert found_ns is None
            else:
                assert abs(found_ns - true_ns) <= 0.03 * true_ns + 0.5


@campaign(400, 4000)
def test_groups_by_any_keys_of_any_part_are_what_the_timeline_reports(
    seed: int,
) -> None:
    model = run_of(seed)
    reference = Reference(model)
    chance = random.Random(seed)
    for _ in range(4):
        by = some_keys(chance)
        selection = some_selection(chance, model) if model.length_ns else {}
        groups = reference.grouped(by, **selection)
        names = columns_of(by)
        if by:
            rows = list(model.statistics(by, Selection(**selection)))
            assert [row["blocked_total_ns"] for row in rows] == sorted(
                (row["blocked_total_ns"] for row in rows), reverse=True
            )
        else:
            rows = list(model.total(Selection(**selection)))
        assert {tuple(row[name] for name in names) for row in rows} == set(groups)
        assert len(rows) == len(groups)
        for row in rows:
            key = tuple(row[name] for name in names)
            check_row(row, groups[key], window_ns(model, selection))


@campaign(100, 1500)
def test_histograms_by_any_keys_count_each_blocking_interval_once(seed: int) -> None:
    model = run_of(seed)
    reference = Reference(model)
    chance = random.Random(seed)
    by, state = some_keys(chance), chance.choice(STATES)
    selection = some_selection(chance, model) if model.length_ns else {}
    names = columns_of(by)
    left = {
        key: Counter(row["ns"] for row in rows if row["state"] == state)
        for key, rows in reference.grouped(by, **selection).items()
    }
    for row in model.histogram(state, by, Selection(**selection)):
        low, high = row["low_ns"], row["high_ns"]
        assert high - low == 1 or (high - low) / low < 0.04
        lengths = left[tuple(row[name] for name in names)]
        within = [ns for ns in lengths if low <= ns < high]
        assert row["count"] == sum(lengths.pop(ns) for ns in within)
    assert not any(lengths for lengths in left.values())


@campaign(100, 1500)
def test_threads_add_up_what_their_timelines_report(seed: int) -> None:
    model = run_of(seed)
    chance = random.Random(seed)
    selection = some_selection(chance, model) if model.length_ns else {}
    by_thread = Reference(model).grouped(("thread",), **selection)
    rows = list(model.threads(Selection(**selection)))
    wanted = selection.get("threads") or model.threads()["thread_id"].to_list()
    assert {row["thread_id"] for row in rows} == set(wanted)
    for row in rows:
        found = by_thread.get((row["thread_id"], row["name"]), [])
        for state in STATES:
            wanted_figures = figures(found, state)
            for name in (f"{state}_count", f"{state}_total_ns"):
                assert row[name] == wanted_figures[name]


def merged(tables: Iterable[Iterable[Row]], names: list[str]) -> dict[Any, Row]:
    """Add up the statistics of parts, from their rows alone."""
    found: dict[Any, Row] = {}
    for table in tables:
        for row in table:
            key = tuple(row[name] for name in names)
            whole = found.setdefault(key, dict.fromkeys(row))
            for state in STATES:
                for figure, add in (
                    ("count", lambda a, b: a + b),
                    ("total_ns", lambda a, b: a + b),
                    ("min_ns", min),
                    ("max_ns", max),
                ):
                    name = f"{state}_{figure}"
                    old, new = whole[name], row[name]
                    if old is None or new is None:
                        whole[name] = old if new is None else new
                    else:
                        whole[name] = add(old, new)
    return found


def buckets(tables: Iterable[Iterable[Row]], names: list[str]) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for table in tables:
        for row in table:
            key = tuple(row[name] for name in [*names, "low_ns", "high_ns"])
            found[key] += row["count"]
    return found


PERCENTS = {"p50_ns": 50, "p90_ns": 90, "p99_ns": 99}


def percentiles(
    found: Counter[Any], whole: dict[Any, Row], state: str
) -> dict[Any, Row]:
    """Read percentiles off buckets, by the rule of docs/analysis.md."""
    answers: dict[Any, Row] = {}
    for key, row in whole.items():
        count = row[f"{state}_count"]
        low, high = row[f"{state}_min_ns"], row[f"{state}_max_ns"]
        own = sorted((b[-2:], n) for b, n in found.items() if b[:-2] == key)
        assert sum(n for _, n in own) == count
        for name, percent in PERCENTS.items():
            rank, seen = -(-count * percent // 100), 0
            value = None
            for (begin, end), n in own:
                seen += n
                if value is None and seen >= rank:
                    value = min(max(begin + (end - begin) // 2, low), high)
            if count:
                value = {1: low, count: high}.get(rank, value)
            answers.setdefault(key, {})[f"{state}_{name}"] = value
    return answers


def halves_of(model: Model, chance: random.Random) -> list[dict[str, Any]] | None:
    """Return selections that divide a run's blocking intervals into two, or None.

    Halves by thread, or by time where no blocking interval spans the middle.
    """
    ids = model.threads()["thread_id"].to_list()
    if len(ids) < 2:
        return None
    if chance.random() < 0.5:
        chance.shuffle(ids)
        return [{"threads": ids[: len(ids) // 2]}, {"threads": ids[len(ids) // 2 :]}]
    blocked = [
        (row["start_ns"], row["end_ns"]) for row in Reference(model).blocking_intervals
    ]
    middles = [
        end
        for _, end in blocked
        if 0 < end < model.length_ns
        and not any(start < end < other for start, other in blocked)
        and not any(start == other == end for start, other in blocked)
    ]
    if not middles:
        return None
    middle = chance.choice(middles)
    return [{"window": (None, middle)}, {"window": (middle, None)}]


@campaign(150, 2000)
def test_two_halves_put_together_are_the_whole(seed: int) -> None:
    model = run_of(seed)
    chance = random.Random(seed)
    parts = halves_of(model, chance)
    if parts is None:
        return
    by = some_keys(chance) or ["class"]
    names = columns_of(by)
    figures_of = [
        f"{state}_{figure}"
        for state in STATES
        for figure in ("count", "total_ns", "min_ns", "max_ns")
    ]
    whole = {
        tuple(row[name] for name in names): {name: row[name] for name in figures_of}
        for row in model.statistics(by)
    }
    found = merged((model.statistics(by, Selection(**part)) for part in parts), names)
    assert {
        key: {name: row[name] for name in figures_of} for key, row in found.items()
    } == whole
    rows = {tuple(row[name] for name in names): row for row in model.statistics(by)}
    for state in STATES:
        added = buckets(
            (model.histogram(state, by, Selection(**part)) for part in parts), names
        )
        assert added == buckets([model.histogram(state, by)], names)
        for key, answer in percentiles(added, found, state).items():
            assert answer == {name: rows[key][name] for name in answer}
