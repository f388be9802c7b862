# SPDX-License-Identifier: Apache-2.0
"""Recording JVMs that run already: the trace begins with the present states, and
afterwards the JVM is as it was."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from attached import PACKAGE, QUIET, cli, rows, running
from conftest import AGENT, TIMEOUT_S, Java, odd
from threadmodel import Ending, attach
from threadmodel.errors import AttachError, DamagedTraceWarning

FULL = os.environ.get("TM_TEST_FULL") == "1"


MANY, CALLS = 1_500, 60


PATIENCE_S = 180


DOOR = "Attached$Door"


SYNC = "java.util.concurrent.locks.ReentrantLock$NonfairSync"


# From this release on the VM reports what a virtual thread wants and holds.
SNAPSHOT_SINCE = 25


def test_of_many_threads_each_is_asked(java: Java):
    """Their stacks need more room than the ring through which they go."""
    trace = java.folder / "run.tmt"
    with running(java, "ManyParked", MANY, CALLS) as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            deadline = time.monotonic() + PATIENCE_S
            parked = 0
            while parked < MANY and time.monotonic() < deadline:
                attach.control(program.pid, "dump")
                with pytest.warns(DamagedTraceWarning, match="going on"):
                    parked = len(parked_of(threadmodel.open(trace)))
        program.go_on()
        assert program.end() == ""
    model = threadmodel.open(trace)
    assert odd(model) == {}
    assert {row["method"] for row in parked_of(model)} == {"ManyParked.park"}
    assert len(parked_of(model)) == MANY


def test_a_recording_from_the_start_is_paused_and_resumed(java: Java):
    """At the resume each thread's state is asked, and each object keeps its number."""
    trace = java.folder / "run.tmt"
    agent = f"-agentpath:{AGENT}=file={trace},rings=none"
    with running(java, "Attached", flags=(QUIET, agent)) as program:
        program.hear("ready")
        attach.control(program.pid, "pause")
        attach.control(program.pid, "resume")
        program.go_on()
        program.hear("gone")
        program.go_on()
        program.end()
    model = threadmodel.open(trace)
    assert odd(model) == {}
    assert model.run.ending == Ending.UNKNOWN
    # A thread that begins or ends may queue for the lock of its group.
    of_door = {"class": DOOR}
    blocked = rows(model, "timeline", thread="blocked", state="blocked", **of_door)
    assert [row["peer"] for row in blocked] == ["holder"] * 2
    for thread, state in (("blocked", "blocked"), ("listener", "waiting")):
        seen = rows(model, "timeline", thread=thread, state=state, **of_door)
        assert len(seen) == 2
        assert len({row["object"] for row in seen}) == 1


def parked_of(model: threadmodel.Model) -> list[dict[str, Any]]:
    parked = rows(model, "timeline", state="parked")
    return [row for row in parked if row["thread"].startswith("many-")]


def test_what_every_thread_is_in_comes_first(java: Java):
    trace = java.folder / "run.tmt"
    with running(java, "Attached") as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            pass
        program.go_on()
        program.hear("gone")
        program.go_on()
        assert program.end() == ""
    model = threadmodel.open(trace)
    first = {}
    for row in model.timeline():
        first.setdefault(row["thread"], row)
    seen = {
        name: (row["state"], row["class"], row["peer"], row["provenance"])
        for name, row in first.items()
        if name in {"holder", "blocked", "owner", "queued", "listener"}
        or name in {"parked", "worker", "joiner"}
    }
    assert seen == {
        "holder": ("sleeping", None, None, "unknown"),
        "blocked": ("blocked", DOOR, "holder", "reported"),
        "owner": ("sleeping", None, None, "unknown"),
        "queued": ("parked", SYNC, "owner", "reported"),
        "listener": ("waiting", DOOR, None, "unknown"),
        "parked": ("parked", DOOR, None, "unknown"),
        "worker": ("running", None, None, "unknown"),
        "joiner": ("joining", "java.lang.Thread", "worker", "reported"),
    }
    known = [row for row in model.threads() if row["name"] in seen]
    assert {row["start_ns"] for row in known} == {None}
    assert odd(model) == {}
    assert any("mid-run" in caveat for caveat in model.caveats)


def test_what_was_going_on_at_the_attach_ends_when_it_ends(java: Java):
    trace = java.folder / "run.tmt"
    with running(java, "Attached") as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            program.go_on()
            program.hear("gone")
        program.go_on()
        assert program.end() == ""
    model = threadmodel.open(trace)
    assert odd(model) == {}
    states = {row["name"]: row["state"] for row in model.threads()}
    for name in ("holder", "blocked", "owner", "queued", "listener", "joiner"):
        assert states[name] == "dead"
    # At their ends threads of JDK 17 may block one another at their group.
    (blocked,) = (
        row
        for row in rows(model, "timeline", thread="blocked", state="blocked")
        if row["class"] == "Attached$Door"
    )
    (slept,) = rows(model, "timeline", thread="holder", state="sleeping")
    assert not blocked["open"]
    assert not slept["open"]
    assert rows(model, "interactions", kind="notify_all", to_thread="listener")


def test_attaching_again_and_again_changes_nothing(java: Java):
    times = 20 if FULL else 2
    with running(java, "Busy", 120_000) as program:
        program.hear("warm")
        for i in range(times):
            trace = java.folder / f"run{i}.tmt"
            with attach.record(program.pid, trace) as recording:
                # Until all threads were blocked. Each look flushes the trace.
                while not _all_blocked(trace, recording):
                    time.sleep(0.05)
            model = threadmodel.open(trace)
            assert model.damage is None
            assert odd(model) == {}
            names = {row["name"] for row in model.threads()}
            assert names >= {"main", *(f"busy-{n}" for n in range(4))}
            assert rows(model, "threads", name="main")[0]["state"] == "joining"
            with pytest.raises(AttachError, match="nothing is being recorded"):
                attach.control(program.pid, "dump")
        assert program.process.poll() is None


def _all_blocked(trace: Path, recording: attach.Recording) -> bool:
    attach.control(recording.jvm.pid, "dump")
    with pytest.warns(DamagedTraceWarning, match="going on"):
        model = threadmodel.open(trace)
    return all(
        row["blocked_count"] > 1
        for row in model.threads()
        if row["name"].startswith("busy-")
    )


def test_calls_in_compiled_code_are_counted_exactly_from_the_attach_on(java: Java):
    """The program makes them at a command, after it made as many unseen."""
    calls = 200_000
    trace = java.folder / "run.tmt"
    with running(java, "Repeated", calls) as program:
        program.hear("ready")
        with attach.record(program.pid, trace, options=["depth=0", "buffer=65536"]):
            program.go_on()
            program.hear("made")
        program.go_on()
        program.hear("over")
        assert program.end() == ""
    model = threadmodel.open(trace)
    assert odd(model) == {}
    made = [
        row["kind"]
        for row in model.interactions()
        if row["from_thread"] == "caller" and row["kind"] in ("unpark", "notify")
    ]
    assert made.count("unpark") == calls
    assert made.count("notify") == calls


def test_recording_ends_by_itself_when_its_time_is_up(java: Java):
    trace = java.folder / "run.tmt"
    with running(java, "Busy", 60_000) as program:
        program.hear("warm")
        done = cli("attach", program.pid, "--for", "1s", "-o", trace)
        assert done.returncode == 0
        assert "report" in done.stderr.splitlines()[-1]
    model = threadmodel.open(trace)
    assert model.damage is None
    assert model.run.ending == Ending.WENT_ON


def test_a_recording_that_somebody_else_stops_is_over_at_once(java: Java):
    trace = java.folder / "run.tmt"
    with running(java, "Busy", 600_000) as program:
        program.hear("warm")
        words = ["attach", program.pid, "--for", "10m", "-o", trace]
        attached = subprocess.Popen(
            [sys.executable, "-m", "threadmodel", *map(str, words)],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": PACKAGE},
        )
        assert attached.stderr is not None
        assert "recording process" in attached.stderr.readline()
        assert attach.control(program.pid, "stop").endswith("is complete")
        # In ten minutes this would have been stopped for taking too long.
        said = attached.communicate(timeout=TIMEOUT_S)[1].splitlines()
        assert attached.returncode == 0
        assert "the recording was stopped by another command" in said[0]
    assert threadmodel.open(trace).damage is None


def test_a_paused_stretch_is_unknown_and_reported(java: Java):
    trace = java.folder / "run.tmt"
    with running(java, "Attached") as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            assert attach.control(program.pid, "pause").endswith("is paused")
            program.go_on()
            program.hear("gone")
            assert attach.control(program.pid, "resume").endswith("goes on")
        program.go_on()
        assert program.end() == ""
    model = threadmodel.open(trace)
    assert odd(model) == {}
    assert any("paused from" in caveat for caveat in model.caveats)
    for name in ("blocked", "listener", "worker", "main"):
        unknown = rows(model, "timeline", thread=name, state="unknown")
        assert len(unknown) == 1
    # They ended during the pause, unseen.
    assert rows(model, "threads", name="blocked")[0]["end_ns"] is None


def test_a_recording_from_the_start_is_controlled_too(java: Java):
    trace = java.folder / "run.tmt"
    flags = (QUIET, f"-agentpath:{AGENT}=file={trace}")
    with running(java, "Attached", flags=flags) as program:
        program.hear("ready")
        said = attach.control(program.pid, "dump")
        assert said == f"{trace} has all up to now"
        with pytest.warns(DamagedTraceWarning, match="going on"):
            model = threadmodel.open(trace)
        assert rows(model, "threads", name="blocked")[0]["state"] == "blocked"
        attach.control(program.pid, "stop")
        assert threadmodel.open(trace).damage is None
        second = java.folder / "second.tmt"
        with attach.record(program.pid, second):
            program.go_on()
            program.hear("gone")
        program.go_on()
        assert program.end() == ""
    assert odd(threadmodel.open(second)) == {}


# No owner is known of what waits for the end of a virtual thread that began to wait
# before the attach.
DEADLOCKS = [
    (kind, threads)
    for kind in ("monitors", "locks", "mixed", "join")
    for threads in ("platform", "virtual", "both")
    if (kind, threads) != ("join", "virtual")
]


@pytest.mark.parametrize(("kind", "threads"), DEADLOCKS)
def test_a_deadlock_that_was_there_is_reported(java: Java, kind: str, threads: str):
    if threads != "platform" and java.jdk.release < SNAPSHOT_SINCE:
        pytest.skip(
            f"JDK {java.jdk.release} does not report monitors of virtual threads"
        )
    trace = java.folder / "run.tmt"
    with running(java, "Deadlocks", kind, threads, 60_000) as program:
        program.hear("stuck")
        with attach.record(program.pid, trace) as recording:
            lines: list[str] = []
            while not any("deadlock of 2 threads" in line for line in lines):
                assert program.process.poll() is None, "it ended without a report"
                lines += recording.notices()
                time.sleep(0.02)
    lines += recording.notices()
    # For each monitor the report names the place where its owner acquired it.
    monitors = {"monitors": 2, "mixed": 1, "join": 1}.get(kind, 0)
    took = [i for i, line in enumerate(lines) if line.strip().startswith("- took ")]
    assert len(took) == monitors
    taking = {"monitors", "monitorThenLock", "joinHolding"}
    for i in took:
        assert any(f"at Deadlocks.{method}(" in lines[i - 1] for method in taking)
    model = threadmodel.open(trace)
    members = {(row["thread"], row["owner"]) for row in model.deadlocks()}
    assert members == {("one", "other"), ("other", "one")}


def test_a_dump_shows_states_locks_and_deadlocks_and_loads_nothing(java: Java):
    with running(java, "Deadlocks", "mixed", "platform", 60_000, flags=()) as program:
        program.hear("stuck")
        done = cli("dump", program.pid)
        assert done.returncode == 0
        assert '"one"' in done.stdout
        assert "Full thread dump" in done.stdout
        assert "other wants Deadlocks$Left" in done.stdout
        kept = java.folder / "dump.txt"
        as_json = cli("dump", program.pid, "--json", "-o", kept)
        rows_ = json.loads(as_json.stdout)["deadlocks"]
        assert {(row["thread"], row["owner"]) for row in rows_} == {
            ("one", "other"),
            ("other", "one"),
        }
        assert len(threadmodel.open(kept).deadlocks()) == 2
        loaded = Path(f"/proc/{program.pid}/maps").read_text()
        assert "threadmodel" not in loaded


def test_a_dump_with_virtual_threads_shows_their_deadlock(java: Java):
    if java.jdk.release < SNAPSHOT_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no locks of virtual threads in a dump")
    with running(java, "Deadlocks", "monitors", "virtual", 60_000) as program:
        program.hear("stuck")
        done = cli("dump", program.pid, "--virtual")
        assert done.returncode == 0
        assert "one wants Deadlocks$Right" in done.stdout
