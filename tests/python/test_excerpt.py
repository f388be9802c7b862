# SPDX-License-Identifier: Apache-2.0
"""The rows of long tables that a page holds."""

import pytest

import random_runs
from threadmodel import Model, Table, evidence, excerpt


@pytest.fixture
def model() -> Model:
    model = Model()
    random_runs.fill(model, 5, threads=4, objects=3, count=2000)
    return model


def ended_by(interactions: Table, tiles: Table) -> list[int]:
    """The interactions that ended an interval which is one tile."""
    ends = {(row["thread_id"], row["end_ns"]) for row in tiles if row["intervals"] == 1}
    return [
        number
        for number, row in enumerate(interactions)
        if (row["to_thread_id"], row["woken_ns"]) in ends
    ]


def test_what_is_not_too_long_is_there_whole(model: Model) -> None:
    interactions = model.interactions()
    rows = excerpt.of_interactions(interactions, model.tiles(0))
    assert list(rows) == list(range(len(interactions)))
    path = model.critical_path()
    assert list(excerpt.of_path(path)) == list(range(len(path)))


def test_an_interval_that_is_there_has_what_ended_it(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    interactions = model.interactions()
    tiles = model.tiles(64)
    wanted = ended_by(interactions, tiles)
    limit = len(interactions) // 2
    assert 0 < len(wanted) < limit
    monkeypatch.setattr(excerpt, "INTERACTION_ROWS", limit)
    rows = excerpt.of_interactions(interactions, tiles)
    assert list(rows) == sorted(set(rows))
    assert len(wanted) < len(rows) <= limit
    assert set(wanted) <= set(rows)


def test_where_even_those_are_too_many_they_are_spread_over_the_run(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    interactions = model.interactions()
    monkeypatch.setattr(excerpt, "INTERACTION_ROWS", 10)
    rows = list(excerpt.of_interactions(interactions, model.tiles(0)))
    assert rows == sorted(set(rows))
    assert 0 < len(rows) <= 10
    assert rows[0] < len(interactions) * 0.2
    assert rows[-1] > len(interactions) * 0.8


@pytest.mark.parametrize("limit", [1, 2, 7, 30])
def test_the_longest_steps_of_a_path_are_there(
    model: Model, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    path = model.critical_path()
    assert len(path) > 30
    monkeypatch.setattr(excerpt, "PATH_ROWS", limit)
    rows = list(excerpt.of_path(path))
    assert rows == sorted(set(rows))
    assert 0 < len(rows) <= limit
    lengths = [row["end_ns"] - row["start_ns"] for row in path]
    least = min(lengths[row] for row in rows)
    assert {row for row, length in enumerate(lengths) if length > least} <= set(rows)


def test_steps_of_one_length_are_spread_over_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Times:
        def __init__(self, first: int) -> None:
            self.first = first

        def view(self) -> range:
            return range(self.first, self.first + 10_000, 10)

    class Steps:
        def __len__(self) -> int:
            return 1000

        def __getitem__(self, column: str) -> Times:
            return Times(10 if column == "end_ns" else 0)

    monkeypatch.setattr(excerpt, "PATH_ROWS", 100)
    rows = excerpt.of_path(Steps())  # type: ignore[arg-type]
    assert rows == list(range(0, 1000, 10))


def test_the_longest_holds_are_there(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    holds = model.holds()
    every_other = range(0, len(holds), 2)
    assert list(excerpt.of_holds(holds, every_other, 0)) == list(every_other)
    monkeypatch.setattr(excerpt, "HOLD_ROWS", 40)
    rows = list(excerpt.of_holds(holds, every_other, model.length_ns))
    assert rows == sorted(set(rows))
    assert set(rows) <= set(every_other)
    assert 0 < len(rows) <= 40

    def length(row: int) -> int:
        end = holds[row]["end_ns"]
        return (model.length_ns if end is None else end) - holds[row]["start_ns"]

    left_out = set(every_other) - set(rows)
    assert min(map(length, rows)) >= max(map(length, left_out))
    endless = {row for row in every_other if holds[row]["end_ns"] is None}
    assert endless <= set(rows)


@pytest.mark.parametrize(
    "where",
    [
        "state = 'blocked'",
        "state in ('blocked', 'waiting') and object is null",
        "thread_id in (1, 2) and state = 'parked'",
        "class = 'no such class'",
        "object is null and line = 3",
    ],
)
def test_evidence_is_the_rows_that_the_condition_holds_for(
    model: Model, where: str
) -> None:
    table = model.timeline()
    wanted = evidence.conditions(where)
    expected = [
        number
        for number, row in enumerate(table)
        if all(row[name] in values for name, values in wanted.items())
    ]
    assert list(evidence.marked(evidence.matching(table, where))) == expected
    assert expected or "no such" in where or "line" in where
