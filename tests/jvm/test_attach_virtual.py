# SPDX-License-Identifier: Apache-2.0
"""Virtual threads that a JVM had before it was attached to."""

import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from attached import QUIET, Program, cli, rows, running
from conftest import VIRTUAL_SINCE, Java, odd
from test_attach import SNAPSHOT_SINCE, SYNC
from threadmodel import attach
from threadmodel.errors import DamagedTraceWarning

NAMED = 11
OTHERS = 300
MANY = 20_000
BUSY = 20
PATIENCE_S = 180
# Before JDK 24 a virtual thread that blocks on a monitor is pinned.
CARRIERS = "-Djdk.virtualThreadScheduler.parallelism=16"


@pytest.fixture(autouse=True)
def _only_where_there_are_any(java: Java) -> None:
    if java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no virtual threads")


def until(program: Program, trace: Path, done: Callable[[threadmodel.Model], bool]):
    """Wait until the trace so far satisfies a condition."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        attach.control(program.pid, "dump")
        with pytest.warns(DamagedTraceWarning, match="going on"):
            model = threadmodel.open(trace)
        if done(model):
            return
        time.sleep(0.05)
    raise AssertionError(f"not in the trace after {PATIENCE_S} s")


def named(model: threadmodel.Model, prefix: str) -> list[dict[str, Any]]:
    """Threads by prefix. In an unfinished trace, a name may follow the first event."""
    return [row for row in model.threads() if (row["name"] or "").startswith(prefix)]


def others(model: threadmodel.Model) -> list[dict[str, Any]]:
    return named(model, "other-")


def all_were_asked(java: Java, count: int) -> Callable[[threadmodel.Model], bool]:
    """A thread whose owner was asked later than itself is reported again at the end, if
    the JDK reports owners."""

    def asked(model: threadmodel.Model) -> bool:
        (clerk,) = rows(model, "timeline", thread="clerk")
        has_peer = clerk["peer"] is not None or java.jdk.release < SNAPSHOT_SINCE
        return len(others(model)) == count and has_peer

    return asked


def recorded(java: Java, count: int, go_on: bool, *flags: str) -> threadmodel.Model:
    """Record the program until all threads were asked, or until they have all ended."""
    trace = java.folder / "run.tmt"
    with running(
        java, "VirtualAttached", count, flags=(QUIET, CARRIERS, *flags)
    ) as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            until(program, trace, all_were_asked(java, count))
            if go_on:
                program.go_on()
                program.hear("gone")
        if not go_on:
            program.go_on()
            program.hear("gone")
        program.go_on()
        assert program.end() == ""
    return threadmodel.open(trace)


def test_what_every_virtual_thread_waits_for_is_reported(java: Java):
    if java.jdk.release < SNAPSHOT_SINCE:
        pytest.skip(f"JDK {java.jdk.release} does not report owners")
    model = recorded(java, OTHERS, go_on=False)
    first: dict[str, Any] = {}
    for row in model.timeline():
        if not row["thread"].startswith("other-"):
            first.setdefault(row["thread"], row)
    found = {
        name: (row["state"], (row["class"] or "").split("$")[-1], row["peer"])
        for name, row in first.items()
    }
    assert {
        "worker": ("running", "", None),
        "clerk": ("blocked", "Desk", "worker"),
        "holder": ("sleeping", "", None),
        "blocked": ("blocked", "Door", "holder"),
        "listener": ("waiting", "Bell", None),
        "outside": ("blocked", "Gate", "listener"),
        "parked": ("parked", "Bell", None),
        "behind": ("blocked", "Shelf", "parked"),
        "owner": ("sleeping", "", None),
        "queued": ("parked", SYNC.split("$")[-1], "owner"),
        "joiner": ("joining", "java.lang.Thread", "outside"),
        "sleeper": ("sleeping", "", None),
        "bare": ("parked", "", None),
    }.items() <= found.items()
    for name in ("blocked", "behind"):
        assert first[name]["method"] == "VirtualAttached.pass"
        assert first[name]["provenance"] == "reported"
    states = Counter(row["state"] for row in others(model))
    assert states == {"parked": OTHERS}
    virtual = [row for row in model.threads() if row["virtual"]]
    assert len(virtual) == NAMED + OTHERS
    assert {row["start_ns"] for row in virtual} == {None}
    assert odd(model) == {}


@pytest.mark.every_release
def test_what_virtual_threads_were_in_ends_when_it_ends(java: Java):
    model = recorded(java, OTHERS, go_on=True)
    assert odd(model) == {}
    virtual = [row for row in model.threads() if row["virtual"]]
    assert {row["state"] for row in virtual} == {"dead"}
    assert [row["parked_count"] for row in others(model)] == [1] * OTHERS
    names = {row["name"] for row in virtual}
    parks = rows(model, "timeline", state="parked")
    assert not any(row["open"] for row in parks if row["thread"] in names)
    # JDK 21 does not report the object of a wait: it is known from the wait's end.
    (notified,) = rows(model, "interactions", kind="notify_all", to_thread="listener")
    assert (notified["from_thread"], notified["effect"]) == ("main", "woke")
    for name, class_name in (("blocked", "Door"), ("listener", "Bell")):
        (first, *_) = rows(model, "timeline", thread=name)
        assert first["class"] == f"VirtualAttached${class_name}"


def test_what_virtual_threads_are_in_is_reported_again_after_a_pause(java: Java):
    if java.jdk.release < SNAPSHOT_SINCE:
        pytest.skip(f"JDK {java.jdk.release} does not report owners")
    trace = java.folder / "run.tmt"
    with running(java, "VirtualAttached", OTHERS) as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            until(program, trace, all_were_asked(java, OTHERS))
            attach.control(program.pid, "pause")
            attach.control(program.pid, "resume")
            until(program, trace, asked_after_a_pause)
        program.go_on()
        program.hear("gone")
        program.go_on()
        assert program.end() == ""
    model = threadmodel.open(trace)
    assert odd(model) == {}
    last = rows(model, "timeline", thread="blocked")[-1]
    assert (last["state"], last["peer"]) == ("blocked", "holder")


def asked_after_a_pause(model: threadmodel.Model) -> bool:
    last = {row["thread"]: row for row in model.timeline()}
    parked = [name for name, row in last.items() if row["state"] == "parked"]
    return sum(name.startswith("other-") for name in parked) == OTHERS


def test_virtual_threads_that_the_jdk_does_not_list_are_reported(java: Java):
    trace = java.folder / "run.tmt"
    flags = (QUIET, CARRIERS, "-Djdk.trackAllThreads=false")
    with running(java, "VirtualAttached", 1, flags=flags) as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            pass
    model = threadmodel.open(trace)
    assert any("JDK does not list" in caveat for caveat in model.caveats)
    assert not any(row["virtual"] for row in model.threads())


def test_many_virtual_threads_are_asked_without_harm(java: Java):
    """The threads are asked in rounds, so that no ring fills up."""
    model = recorded(java, MANY, go_on=False)
    assert odd(model) == {}
    assert Counter(row["state"] for row in others(model)) == {"parked": MANY}
    assert {row["parked_count"] for row in others(model)} == {1}


def test_virtual_threads_that_are_busy_speak_for_themselves(java: Java):
    """A thread that moves while it is asked is not reported where it was before."""
    trace = java.folder / "run.tmt"
    with running(java, "VirtualBusy", BUSY) as program:
        program.hear("warm")
        for _ in range(3):
            with attach.record(program.pid, trace):
                until(program, trace, all_moved)
            model = threadmodel.open(trace)
            assert model.damage is None
            assert odd(model) == {}
        program.go_on()
        assert program.end() == ""


def all_moved(model: threadmodel.Model) -> bool:
    busy = named(model, "busy-")
    return len(busy) == BUSY and all(row["parked_count"] > 2 for row in busy)


@pytest.mark.parametrize(
    ("what", "state"), [("sleep", "sleeping"), ("join", "parked"), ("park", "running")]
)
def test_what_began_in_one_recording_ends_in_the_next(
    java: Java, what: str, state: str
):
    """The thread reports the end itself, and the second recording saw it in `state`."""
    # Of one that waits for a carrier this release does not say what it holds, so it is
    # not asked: it is seen to park just before the end of that.
    is_asked = what != "park" or java.jdk.release < SNAPSHOT_SINCE
    trace = java.folder / "run.tmt"
    scheduler = "-Djdk.virtualThreadScheduler"
    flags = (QUIET, f"{scheduler}.parallelism=1", f"{scheduler}.maxPoolSize=1")
    with running(java, "VirtualAcross", what, flags=flags) as program:
        program.hear("warm")
        with attach.record(program.pid, java.folder / "first.tmt"):
            program.go_on()
            program.hear("blocks")
        program.go_on()
        program.hear("woken")
        with attach.record(program.pid, trace):
            who = "it" if is_asked else "main"
            until(
                program, trace, lambda model: bool(rows(model, "timeline", thread=who))
            )
            program.go_on()
            program.hear("over")
        program.go_on()
        assert program.end() == ""
    model = threadmodel.open(trace)
    assert odd(model) == {}
    first, *then = rows(model, "timeline", thread="it")
    assert first["state"] == (state if is_asked else "parked")
    # On its way out of a sleep that was interrupted it may want a lock of the JDK's.
    assert {row["state"] for row in then} <= {"running", "blocked", "dead"}


def test_a_deadlock_of_virtual_threads_after_the_attach_is_reported(java: Java):
    if java.jdk.release < SNAPSHOT_SINCE:
        pytest.skip(f"JDK {java.jdk.release} does not report owners")
    trace = java.folder / "run.tmt"
    with (
        running(java, "Deadlocks", "monitors", "both", 60_000) as program,
        attach.record(program.pid, trace) as recording,
    ):
        while not any("deadlock of 2" in line for line in recording.notices()):
            assert program.process.poll() is None, "it ended without a report"
            time.sleep(0.02)
    assert len(threadmodel.open(trace).deadlocks()) == 2


def test_a_jdk_that_does_not_report_is_reported_to_be_one(java: Java, tmp_path: Path):
    """As of releases before 25, here by another class in the place of the JDK's."""
    if java.jdk.release < SNAPSHOT_SINCE:
        pytest.skip("the JDK is one of these, with other monitors of virtual threads")
    source = tmp_path / "ThreadSnapshot.java"
    source.write_text("package jdk.internal.vm; class ThreadSnapshot {}\n")
    patch = tmp_path / "patch"
    javac = [java.jdk.tool("javac"), "--patch-module", f"java.base={tmp_path}"]
    subprocess.run([*javac, "-d", patch, source], check=True)
    flags = (QUIET, "--patch-module", f"java.base={patch}")
    trace = java.folder / "run.tmt"
    with running(java, "VirtualAttached", OTHERS, flags=flags) as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            until(program, trace, lambda model: len(others(model)) == OTHERS)
        program.go_on()
        program.hear("gone")
        program.go_on()
        program.end()
    model = threadmodel.open(trace)
    assert any("from release 25 on" in caveat for caveat in model.caveats)
    states = {row["name"]: row["state"] for row in model.threads()}
    for name, state in (("holder", "sleeping"), ("blocked", "blocked")):
        assert states[name] == state
    (blocked,) = rows(model, "timeline", thread="blocked")
    assert (blocked["class"], blocked["peer"]) == (None, None)
    # Of a monitor that a virtual thread has, such a JVM names the carrier.
    (clerk,) = rows(model, "timeline", thread="clerk")
    assert (clerk["state"], clerk["peer"]) == ("blocked", None)


def test_a_program_without_virtual_threads_gets_none(java: Java):
    """With the first, the JDK makes what they need, this thread for one."""
    helper = "VirtualThread-unblocker"
    with running(java, "VirtualAttached", 0, flags=(QUIET, CARRIERS)) as program:
        program.hear("ready")
        if helper not in cli("dump", program.pid).stdout:
            pytest.skip(f"JDK {java.jdk.release} has no {helper}")
    with running(java, "Attached") as program:
        program.hear("ready")
        with attach.record(program.pid, java.folder / "run.tmt"):
            pass
        assert helper not in cli("dump", program.pid).stdout
        program.go_on()
        program.hear("gone")
        program.go_on()
        assert program.end() == ""


def test_the_first_virtual_thread_after_an_attach_is_reported(java: Java):
    trace = java.folder / "run.tmt"
    with running(java, "VirtualBusy", 0) as program:
        program.hear("warm")
        with attach.record(program.pid, trace):
            program.go_on()
            program.end()
    (last,) = rows(threadmodel.open(trace), "threads", name="last")
    assert last["virtual"]
    assert (last["parked_count"], last["sleeping_count"]) == (1, 1)
