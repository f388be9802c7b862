# SPDX-License-Identifier: Apache-2.0
"""How a process ended, and what its trace states about the time until then."""

import os
import re
import signal
from pathlib import Path

import pytest
from recording import program, record, rows

import threadmodel
from threadmodel import Ending

IDLE_NS = 300_000_000


@pytest.mark.parametrize(
    ("how", "status", "ending"),
    [("exit", 3, (Ending.EXITED, 3)), ("kill", 137, (Ending.SIGNALLED, 9))],
)
def test_a_run_lasts_until_its_process_ended(
    how: str, status: int, ending: tuple[Ending, int], tmp_path: Path
) -> None:
    trace = tmp_path / "run.tmt"
    assert record(trace, program("endings"), how).returncode == status
    model = threadmodel.open(str(trace))
    assert (model.run.ending, model.run.ending_status) == ending
    last_ns = max(int(start) for start in model.timeline()["start_ns"])
    assert model.length_ns >= last_ns
    timeline = model.timeline()
    waits = [
        int(end) - int(start)
        for start, end, state in zip(
            timeline["start_ns"], timeline["end_ns"], timeline["state"], strict=True
        )
        if state == "waiting"
    ]
    assert max(waits) >= IDLE_NS


def test_a_program_that_is_recorded_no_longer_went_on(tmp_path: Path) -> None:
    trace = tmp_path / "run.tmt"
    # Its standard streams are its own, or the end of `record` would wait for it.
    command = f"{program('endings')} stay >/dev/null 2>&1 & sleep 0.3"
    assert record(trace, "sh", "-c", command).returncode == 0
    run = threadmodel.open(str(trace)).run
    os.kill(run.pid, signal.SIGKILL)
    assert run.ending == Ending.WENT_ON


def test_a_signal_without_a_waiter_is_recorded(tmp_path: Path) -> None:
    trace = tmp_path / "run.tmt"
    assert record(trace, program("endings"), "vain").returncode == 3
    interactions = threadmodel.open(str(trace)).interactions()
    found = rows(interactions, "kind", "object")
    assert ("notify", "condition the_signal") in found


def test_a_process_of_no_interest_has_the_name_if_it_lives_longest(
    tmp_path: Path,
) -> None:
    """As the first process of a server whose processes have one thread each."""
    trace = tmp_path / "run.tmt"
    script = "cat /dev/null; sleep 0.3; cat /dev/null"
    done = record(trace, "sh", "-c", script)
    assert threadmodel.open(str(trace)).run.command == f"sh -c {script}"
    assert "3 processes have no trace, as no thread had to do with another: " in (
        done.stderr
    )
    done = record(trace, "sh", "-c", script, options=["-A", "processes=y"])
    assert "no trace" not in done.stderr
    commands = {
        str(threadmodel.open(str(file)).run.command) for file in tmp_path.glob("*.tmt")
    }
    assert {f"sh -c {script}", "sleep 0.3"} <= commands
    assert len(list(tmp_path.glob("*.tmt"))) == 4


def test_the_trace_with_most_events_is_advised(tmp_path: Path) -> None:
    done = record(tmp_path / "run.tmt", program("endings"), "fork")
    counts = {
        file.name: threadmodel.open(str(file)).event_count
        for file in tmp_path.glob("*.tmt")
    }
    busiest = max(counts, key=lambda name: counts[name])
    assert "; see the busiest with: " in done.stderr
    assert done.stderr.rstrip().endswith(busiest), (counts, done.stderr)


def test_the_traces_of_children_are_named(tmp_path: Path) -> None:
    trace = tmp_path / "run.tmt"
    done = record(trace, program("endings"), "fork")
    named = set(re.findall(r"run-\d+\.tmt", done.stderr))
    assert len(named) == 1
    assert {file.name for file in tmp_path.glob("*.tmt")} == {"run.tmt", *named}
    # The first process whose threads met has the name.
    models = [threadmodel.open(str(file)) for file in tmp_path.glob("*.tmt")]
    assert [
        caveat
        for model in models
        for caveat in model.caveats
        if "2 processes that this one started are in no trace" in caveat
    ]
