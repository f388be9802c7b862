# SPDX-License-Identifier: Apache-2.0
"""Owners of locks of java.util.concurrent, compared with threads that know when they
had them: an owner that is exact or reported is right, and hand-overs are in order."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

import pytest

from conftest import VIRTUAL_SINCE, Java, Recording

SURE = ("exact", "reported")
LOCKS = "java.util.concurrent.locks.Reentrant"


@dataclass(frozen=True)
class Hold:
    wanted: int
    acquired: int
    released: int
    left: int


@pytest.fixture(params=["platform", "virtual"])
def run(request: pytest.FixtureRequest, java: Java) -> Recording:
    if request.param == "virtual" and java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"{java.jdk} has no virtual threads")
    return java.record("Synchronizers", request.param)


def truth(run: Recording) -> dict[str, list[Hold]]:
    held = defaultdict(list)
    for line in run.stdout.splitlines():
        _, thread, *words = line.split()
        held[thread].append(Hold(*(int(w) - run.model.run.start_ns for w in words)))
    return held


def rows(run: Recording, scene: str = "") -> list[dict[str, Any]]:
    """Holds of the scene's lock, or of any scene's, by time."""
    return sorted(
        (
            row
            for row in run.rows("holds")
            if row["class"].startswith(LOCKS)
            and row["thread"]
            and row["thread"].startswith(scene)
        ),
        key=lambda row: row["start_ns"],
    )


def test_nothing_that_is_sure_is_wrong(run: Recording) -> None:
    held = truth(run)
    sure = 0
    for row in rows(run):
        own = held[row["thread"]]
        if row["start_provenance"] in SURE:
            start = row["start_ns"]
            assert any(it.wanted <= start <= it.left for it in own), row
            sure += 1
        if row["end_provenance"] in SURE:
            end = row["end_ns"]
            assert any(it.wanted <= end <= it.left for it in own), row
            sure += 1
    assert sure > 0


@pytest.mark.parametrize("kind", ["fair", "unfair"])
def test_a_lock_that_goes_from_hand_to_hand_is_reported_in_turn(
    run: Recording, kind: str
) -> None:
    held = truth(run)
    found = rows(run, kind)
    assert [row["thread"] for row in found] == [f"{kind}-{i}" for i in range(5)]
    for row, after in pairwise(found):
        (own,) = held[row["thread"]]
        assert row["end_provenance"] == "exact"
        assert own.released <= row["end_ns"] <= own.left
        assert row["to_thread"] == after["thread"]


def test_blame_names_each_owner_in_its_time(run: Recording) -> None:
    held = truth(run)
    shares = [
        row
        for row in run.rows("blame", thread="fair-4", share="owner")
        if row["class"].startswith(LOCKS)
    ]
    owners = [owner for owner, _ in groupby(row["owner"] for row in shares)]
    assert owners == [f"fair-{i}" for i in range(4)]
    for row in shares:
        (own,) = held[row["owner"]]
        assert own.wanted <= row["start_ns"] <= row["end_ns"] <= own.left


def test_a_thread_that_signals_and_releases_is_the_releaser_of_a_waiter(
    run: Recording,
) -> None:
    (own,) = truth(run)["condition-0"]
    (row,) = run.rows("interactions", kind="unpark", to_thread="condition-1")
    assert row["from_thread"] == "condition-0"
    assert own.released <= row["time_ns"] <= own.left


def test_an_owner_that_awaits_has_released(run: Recording) -> None:
    held = truth(run)["await-0"]
    first = rows(run, "await")[0]
    assert first["thread"] == "await-0"
    assert first["end_provenance"] == "exact"
    assert held[0].released <= first["end_ns"] <= held[0].left


def test_the_last_reader_to_leave_releases_to_the_writer(run: Recording) -> None:
    found = rows(run, "readers")
    held = truth(run)
    assert found[0]["thread"] == "readers-0"
    assert found[0]["end_provenance"] == "exact"
    # The lock of JDK 11 may wake the writer once before, in vain: a reader that admits
    # the next one looks again at the first thread in the queue.
    *_, last = run.rows("interactions", kind="unpark", to_thread="readers-3")
    readers = {name: held[name][0] for name in ("readers-1", "readers-2")}
    assert last["from_thread"] in readers
    own = readers[last["from_thread"]]
    assert own.released <= last["time_ns"] <= own.left
    # While both readers hold it, neither is reported as its only owner.
    for row in found[1:]:
        if row["thread"] in readers and row["start_provenance"] in SURE:
            assert row["start_ns"] >= own.released
