# SPDX-License-Identifier: Apache-2.0
"""The file of a native recording: its producer, and when it can be read."""

import fcntl
import re
import time
from pathlib import Path

import pytest
from recording import SECONDS, program, record, start

import threadmodel
from threadmodel import native


def test_two_recordings_do_not_write_one_trace(tmp_path: Path) -> None:
    trace = tmp_path / "run.tmt"
    first = start(trace, program("deadlock"), "self")
    assert first.stderr
    first.stderr.readline()
    second = record(trace, program("hardships"), "errors")
    first.communicate("", timeout=SECONDS)
    assert (second.returncode, second.stdout) == (2, "fine\n")
    assert second.stderr.endswith("another recording writes this trace\n")
    assert second.stderr.count("\n") == 1


def test_names_that_begin_alike_are_two_traces(tmp_path: Path) -> None:
    begin = "n" * 70
    with native.Recorder(str(tmp_path / f"{begin}1.tmt")) as first:
        assert first.region
        with native.Recorder(str(tmp_path / f"{begin}2.tmt")) as second:
            assert second.region


@pytest.mark.parametrize("which", ["forks", "errors"])
def test_what_another_producer_writes_is_left_alone(which: str, tmp_path: Path) -> None:
    """It has its file locked, as the JVM agent does."""
    trace = tmp_path / "run.tmt"
    with trace.open("w+") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        other.write("another's")
        other.flush()
        done = record(trace, program("hardships"), which)
        assert trace.read_text() == "another's"
    (line,) = (line for line in done.stderr.splitlines() if "being written" in line)
    own = re.fullmatch(
        rf"threadmodel: {trace} is being written by another process: "
        r"this recording is in (.*)",
        line,
    )
    assert own, done.stderr
    assert "no trace" not in done.stderr
    assert re.search(rf"traces? in {re.escape(own[1])}[,;]", done.stderr)
    assert threadmodel.open(own[1]).threads()
    assert done.returncode == 0


def test_a_trace_is_locked_while_it_is_written(tmp_path: Path) -> None:
    """So that the JVM agent leaves it alone."""
    trace = tmp_path / "run.tmt"
    process = start(trace, program("deadlock"), "two")
    assert process.stderr
    process.stderr.readline()
    with trace.open() as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    process.communicate("", timeout=SECONDS)
    with trace.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_trace_can_be_read_while_the_program_runs(tmp_path: Path) -> None:
    """The recorder hands over what it has once a second."""
    trace = tmp_path / "run.tmt"
    process = start(trace, program("deadlock"), "two")
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if trace.exists() and len(_deadlocks(trace)):
            break
        time.sleep(0.1)
    else:
        pytest.fail("the trace never had the deadlock")
    process.communicate("", timeout=SECONDS)


def _deadlocks(trace: Path) -> list[object]:
    try:
        return list(threadmodel.open(str(trace)).deadlocks()["thread"])
    except threadmodel.ThreadmodelError:
        return []
