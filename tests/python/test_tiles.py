# SPDX-License-Identifier: Apache-2.0
"""The timeline with less detail, against the same rule applied to the timeline."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest

import random_runs
from threadmodel import Model, Selection
from threadmodel.errors import InvalidArgumentError, NotFoundError

Row = dict[str, Any]

STATES = (
    "unknown",
    "new",
    "running",
    "blocked",
    "waiting",
    "reentering",
    "joining",
    "sleeping",
    "parked",
    "deadlocked",
    "dead",
    "runnable",
)
DETAIL = ("object", "class", "method", "source", "line", "peer_id", "peer")
DETAIL += ("provenance", "open", "stack", "unsplit", "sampled")


def model_of(seed: int) -> Model:
    model = Model()
    random_runs.fill(model, seed, threads=5, objects=4, count=700)
    return model


def length(row: Row) -> int:
    return int(row["end_ns"] - row["start_ns"])


def reference(timeline: list[Row], tile_ns: int) -> Iterator[list[Row]]:
    """Yield the intervals of each tile, as timeline.h says."""
    for _, rows in groupby(timeline, key=lambda row: row["thread_id"]):
        tile: list[Row] = []
        for row in rows:
            if tile and (
                length(row) >= tile_ns or row["start_ns"] != tile[-1]["end_ns"]
            ):
                yield tile
                tile = []
            tile.append(row)
            if row["end_ns"] - tile[0]["start_ns"] >= tile_ns:
                yield tile
                tile = []
        if tile:
            yield tile


def check(tiles: list[Row], timeline: list[Row], tile_ns: int) -> None:
    expected = list(reference(timeline, tile_ns))
    assert len(tiles) == len(expected)
    for tile, rows in zip(tiles, expected, strict=True):
        assert tile["thread_id"] == rows[0]["thread_id"]
        assert tile["thread"] == rows[0]["thread"]
        assert tile["start_ns"] == rows[0]["start_ns"]
        assert tile["end_ns"] == rows[-1]["end_ns"]
        assert tile["intervals"] == len(rows)
        times = {
            state: sum(length(row) for row in rows if row["state"] == state)
            for state in STATES
        }
        assert {state: tile[f"{state}_ns"] for state in STATES} == times
        if len(rows) == 1:
            assert tile["state"] == rows[0]["state"]
            assert {name: tile[name] for name in DETAIL} == {
                name: rows[0][name] for name in DETAIL
            }
        else:
            assert tile["state"] == max(STATES, key=lambda state: times[state])
            assert {tile[name] for name in DETAIL} == {None}


@pytest.mark.parametrize("tile_ns", [0, 1, 20, 100, 5000, 10**9])
@pytest.mark.parametrize("seed", range(5))
def test_short_intervals_are_merged_and_long_ones_kept(seed: int, tile_ns: int) -> None:
    model = model_of(seed)
    check(list(model.tiles(tile_ns)), list(model.timeline()), tile_ns)


@pytest.mark.parametrize("seed", range(5))
def test_a_choice_is_cut_as_the_timeline_is(seed: int) -> None:
    model = model_of(seed)
    for chosen in (
        Selection(window=(1000, 9000)),
        Selection(["t2", "t4"], window=(500, None)),
        Selection(classes=["app.A"]),
    ):
        check(list(model.tiles(64, chosen)), list(model.timeline(chosen)), 64)


@pytest.mark.parametrize("rows", [5, 6, 50, 200, 400, 10_000])
def test_the_least_tile_is_found_at_which_rows_fit(rows: int) -> None:
    model = model_of(11)
    tile_ns = model.tile_ns(rows)
    assert len(model.tiles(tile_ns)) <= rows
    assert tile_ns & (tile_ns - 1) == 0
    if tile_ns > 1:
        assert len(model.tiles(tile_ns // 2)) > rows
    if tile_ns == 1:
        assert len(model.tiles(0)) > rows


def test_a_thread_has_a_row_however_coarse() -> None:
    model = model_of(11)
    assert len(model.tiles(model.tile_ns(0))) == len(model.threads())


def test_an_empty_run_has_no_tiles() -> None:
    model = Model()
    assert model.tile_ns(0) == 0
    assert len(model.tiles(0)) == 0


def test_what_cannot_be_is_refused() -> None:
    model = model_of(1)
    with pytest.raises(InvalidArgumentError):
        model.tiles(-1)
    with pytest.raises(NotFoundError):
        model.tile_ns(10, Selection([999]))
