# SPDX-License-Identifier: Apache-2.0
"""Threads whose start routines wait for work, or for something else."""

from pathlib import Path

import pytest
from recording import program, record

import threadmodel


def waits(tmp_path: Path, case: str) -> list[tuple[str, bool]]:
    """The callers of waits of start routines, and whether these are for work."""
    trace = tmp_path / "run.tmt"
    assert record(trace, program("workers"), case).returncode == 0
    callers = threadmodel.open(str(trace)).callers()
    names = ("method", "waiting_count", "idle")
    found = zip(*(list(callers[name]) for name in names), strict=True)
    started = ("worker", "silent", "producer", "client", "user")
    return [
        (method.rpartition(".")[2], idle)
        for method, count, idle in found
        if count and method.rpartition(".")[2] in started
    ]


@pytest.mark.parametrize(
    ("case", "routine"),
    [("pool", "worker"), ("ready", "worker"), ("shared", "silent")],
)
def test_a_worker_that_has_none_waits_for_work(
    tmp_path: Path, case: str, routine: str
) -> None:
    found = waits(tmp_path, case)
    assert found
    assert set(found) == {(routine, True)}


@pytest.mark.parametrize(
    ("case", "routine"),
    [("producers", "producer"), ("clients", "client"), ("permits", "user")],
)
def test_a_wait_for_room_an_answer_or_a_permit_is_not_for_work(
    tmp_path: Path, case: str, routine: str
) -> None:
    found = waits(tmp_path, case)
    assert found
    assert set(found) == {(routine, False)}
