# SPDX-License-Identifier: Apache-2.0
"""The end of the program's own work, and the chain that decided its time."""

import itertools
from typing import Any

import pytest

import jdk_facts
import recordings
import threadmodel
from conftest import Java

ENDS = {
    "return": ["main", "first", "main", "second"],
    "exit": ["main", "first", "main"],
}
WORK_NS, HOOK_NS = 60_000_000, 80_000_000


def path_of(model: threadmodel.Model) -> list[dict[str, Any]]:
    path = list(model.critical_path())
    assert path[0]["start_ns"] == 0
    for before, after in itertools.pairwise(path):
        assert before["end_ns"] == after["start_ns"]
    return path


def assert_ends_with_the_work(model: threadmodel.Model, mode: str) -> None:
    path = path_of(model)
    # Threads of the flight recorder may run before those of the program, and hold a
    # lock of the VM that one of these waits for.
    ours = [row["thread"] for row in path if row["thread"] in ENDS["return"]]
    order = [name for name, _ in itertools.groupby(ours)]
    assert order == ENDS[mode]
    for name in ("first", ENDS[mode][-1]):
        rows = [row for row in path if row["thread"] == name]
        # The thread may lose its processor meanwhile, or wait for a page.
        works = [
            row for row in rows if row["state"] in ("running", "runnable", "native")
        ]
        assert sum(row["end_ns"] - row["start_ns"] for row in works) >= WORK_NS
        assert works[-1] == rows[-1]
    assert path[-1]["state"] == "running"


@pytest.mark.parametrize("mode", ENDS)
def test_a_recording_of_jfr_ends_where_the_program_did(java: Java, mode: str):
    names = (*jdk_facts.NAMES, "Shutdown")
    file = recordings.record(java, "Ends", mode, names=names)
    assert_ends_with_the_work(threadmodel.open(file), mode)


@pytest.mark.parametrize("mode", ENDS)
def test_a_trace_ends_where_the_program_did(java: Java, mode: str):
    model = java.record("Ends", mode).model
    assert_ends_with_the_work(model, mode)
    # The rest of the run is at least as long as the hook.
    path = path_of(model)
    assert path[-1]["end_ns"] <= model.length_ns - HOOK_NS
