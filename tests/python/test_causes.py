# SPDX-License-Identifier: Apache-2.0
"""The tree of causes of a service whose bottleneck is known, and the command `why`."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from conftest import Cli, one_line
from service import Service
from test_units import recorded

POOL = "java.util.concurrent.Semaphore$FairSync"


def children(rows: list[dict[str, Any]]) -> dict[int | None, list[dict[str, Any]]]:
    found: dict[int | None, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["parent"], []).append(row)
    return found


def tiles(model: threadmodel.Model, **choices: Any) -> list[dict[str, Any]]:
    """Return the rows, after a check that the children of each add up to it."""
    rows = [dict(row) for row in model.causes(**choices)]
    below = children(rows)
    assert len(below[None]) == 1
    for row in rows:
        if inner := below.get(row["id"]):
            assert sum(it["time_ns"] for it in inner) == row["time_ns"]
            assert all(it["depth"] == row["depth"] + 1 for it in inner)
    return rows


@pytest.mark.parametrize("is_stated", [True, False], ids=["stated", "inferred"])
def test_a_pool_that_is_too_small_is_the_tallest_branch(is_stated: bool) -> None:
    service = Service(permits=1, clients=6, query_ms=5, states_units=is_stated)
    model = service.model()
    rows = tiles(model)
    ended = [row for row in model.units() if row["finished"]]
    (kind,) = [row for row in rows if row["depth"] == 1]
    assert kind["count"] == len([row for row in ended if row["kind"] == kind["text"]])
    waits = children(rows)[kind["id"]]
    tallest = max(waits, key=lambda row: row["time_ns"])
    # Six clients share one permit: each waits for the queries of the five others.
    assert tallest["cause"] == "wait"
    assert 0.6 < tallest["share"] < 0.9
    inside = [row for row in rows if row["parent"] == tallest["id"]]
    deeper = [row for row in rows if row["parent"] in {it["id"] for it in inside}]
    asleep = sum(it["time_ns"] for it in [*inside, *deeper] if it["cause"] == "asleep")
    assert asleep > tallest["time_ns"] * 0.8


def test_all_choices_tile() -> None:
    model = Service(permits=2, states_units=True).model()
    whole = tiles(model)[0]["time_ns"]
    slowest = tiles(model, slowest=True)[0]
    assert 0 < slowest["time_ns"] < whole / 10
    one = tiles(model, unit=3)[0]
    (unit,) = [row for row in model.units() if row["unit"] == 3]
    assert one["time_ns"] == unit["duration_ns"]
    assert tiles(model, threads=True)[0]["cause"] == "threads"


def test_a_run_without_events_has_no_causes() -> None:
    assert not len(threadmodel.Model().causes())


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("why")
    small = recorded(Service(permits=1, clients=6), folder / "small.tmt")
    large = recorded(Service(permits=6, clients=6), folder / "large.tmt")
    return str(small), str(large)


def test_why_prints_the_tree(cli: Cli, traces: tuple[str, str]) -> None:
    said = cli("why", traces[0]).stdout.decode()
    assert said.startswith("Where the time of ")
    assert "waiting for " in said
    assert "asleep in Query.run" in said
    assert max(map(len, said.splitlines())) <= 100


def test_why_compares_two_runs(cli: Cli, traces: tuple[str, str]) -> None:
    said = cli("why", traces[0], "--diff", traces[1]).stdout.decode()
    assert said.startswith("What changed, for each request or task")
    # The wait for the permit is gone, and nothing else changed much.
    (line,) = [line for line in said.splitlines() if "waiting for" in line][:1]
    assert " -" in line


def test_why_writes_all_rows(cli: Cli, traces: tuple[str, str], tmp_path: Path) -> None:
    rows = json.loads(cli("why", traces[0], "--json").stdout)
    listed = list(
        csv.DictReader(cli("why", traces[0], "--csv").stdout.decode().split("\n"))
    )
    assert [row["id"] for row in rows] == [int(row["id"]) for row in listed]
    assert rows[0]["share"] == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kind", "nope"], "no kind of request or task fits 'nope'"),
        (["--unit", "999999"], "999999"),
    ],
)
def test_what_does_not_exist_is_reported_in_one_line(
    cli: Cli, traces: tuple[str, str], options: list[str], said: str
) -> None:
    done = cli("why", traces[0], *options)
    assert done.returncode == 2
    assert said in one_line(done.stderr)
