# SPDX-License-Identifier: Apache-2.0
"""Dumps of the same moment, by every tool of the JDK, against what is true of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import threadmodel
from conftest import Java
from moments import (
    OF_BOTH,
    OF_LOCKS,
    OF_MONITORS,
    PLATFORM,
    Moment,
    deadlocks,
    moment,
    states,
)

THREE = {frozenset(OF_MONITORS), frozenset(OF_LOCKS), frozenset(OF_BOTH)}


@pytest.fixture
def still(java: Java) -> Iterator[Moment]:
    with moment(java) as it:
        yield it


def test_text_with_synchronizers_shows_all(still: Moment, tmp_path: Path):
    model = threadmodel.open(still.print(tmp_path / "dump.txt", "-l"))
    assert model.damage is None
    seen = states(model)
    assert {name: seen.get(name) for name in PLATFORM} == PLATFORM
    assert deadlocks(model) == dict.fromkeys(THREE, "reported")
    assert not any("does not say so" in limit for limit in model.limits)


def test_text_without_them_takes_owners_from_the_account(still: Moment, tmp_path: Path):
    model = threadmodel.open(still.print(tmp_path / "dump.txt"))
    assert set(deadlocks(model)) == THREE
    assert states(model)["wants plain"] == PLATFORM["wants plain"]
    assert any("ownable synchronizers" in limit for limit in model.limits)


def test_a_deadlock_is_one_though_the_collector_moved_its_objects(
    still: Moment, tmp_path: Path
):
    first = still.print(tmp_path / "1.txt", "-l").read_text()
    still.jcmd("GC.run")
    second = still.print(tmp_path / "2.txt", "-l").read_text()
    both = tmp_path / "both.txt"
    both.write_text(first + second)
    model = threadmodel.open(both)
    assert deadlocks(model) == dict.fromkeys(THREE, "reported")
    assert all(row["resolved_ns"] is None for row in model.deadlocks())
    seen = states(model)
    assert {name: seen[name][0] for name in PLATFORM} == {
        name: state for name, (state, _, _) in PLATFORM.items()
    }


def test_os_threads_and_daemons_are_known(still: Moment, tmp_path: Path):
    threads = {
        row["name"]: row
        for row in threadmodel.open(still.print(tmp_path / "dump.txt")).threads()
    }
    assert threads["runs"]["daemon"]
    assert not threads["main"]["daemon"]
    assert "VM Thread" not in threads
