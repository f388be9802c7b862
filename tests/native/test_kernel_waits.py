# SPDX-License-Identifier: Apache-2.0
"""Waits in the kernel of native threads, beside what each measured round the calls."""

import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest
from recording import program, record

import threadmodel

Waits = dict[tuple[str, str], int]


@dataclass(frozen=True)
class Run:
    model: threadmodel.Model
    #: what the program said, by the first word of the line
    said: dict[str, int]
    #: by thread and object, how long a thread was in I/O
    io: Waits


def run_of(trace: Path, *options: str) -> Run:
    file = str(trace.with_suffix(""))
    done = record(trace, program("kernel_waits"), file, options=options)
    done.check_returncode()
    pairs = (line.split() for line in done.stdout.splitlines())
    model = threadmodel.open(str(trace))
    io: defaultdict[tuple[str, str], int] = defaultdict(int)
    for row in model.statistics(by=("thread", "object")):
        io[row["thread"], row["object"]] += row["io_total_ns"]
    return Run(model, {name: int(value) for name, value in pairs}, io)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_of(tmp_path_factory.mktemp("native") / "run.tmt")


def is_near(found: int, said: int) -> bool:
    """A thread may be preempted between its own look at the clock and the call."""
    return abs(found - said) < max(said // 50, 3_000_000)


def test_each_kind_of_wait_lasts_as_long_as_the_thread_measured(run: Run) -> None:
    port = run.said["port"]
    for thread, thing, said in (
        ("client", f"127.0.0.1:{port}", "client"),
        ("server", f"connections to :{port}", "accepted"),
        ("server", f"clients of :{port}", "server"),
        ("reader", "a pipe", "reader"),
        ("lines", "a pipe", "lines"),
        ("filler", "a pipe", "filler"),
        ("poller", "a selector", "poller"),
        ("parent", "a child process", "parent"),
    ):
        assert is_near(run.io[thread, thing], run.said[said]), thread


def test_the_longest_sync_is_the_files(run: Run) -> None:
    files = {
        thing: total
        for (thread, thing), total in run.io.items()
        if thread == "writer" and total
    }
    assert [name.startswith("file ") for name in files] == [True]
    assert sum(files.values()) >= run.said["writer"] * 0.9


def test_a_poll_of_nothing_is_a_sleep(run: Run) -> None:
    names = {row["thread_id"]: row["name"] for row in run.model.threads()}
    slept = sum(
        row["end_ns"] - row["start_ns"]
        for row in run.model.timeline()
        if row["state"] == "sleeping" and names[row["thread_id"]] == "sleeper"
    )
    assert is_near(slept, run.said["sleeper"])


def test_reads_that_never_wait_leave_nothing(run: Run) -> None:
    """Of 200 ms of reads: no more than a moment may count as a wait."""
    assert (
        sum(ns for (thread, _), ns in run.io.items() if thread == "zeros") < 4_000_000
    )


def test_only_what_others_begin_of_their_own_accord_is_idle(run: Run) -> None:
    idle: defaultdict[tuple[str, str], set[bool]] = defaultdict(set)
    names = {row["thread_id"]: row["name"] for row in run.model.threads()}
    for row in run.model.timeline():
        if row["state"] == "io":
            idle[names[row["thread_id"]], row["object"]].add(row["idle"])
    port = run.said["port"]
    assert idle["client", f"127.0.0.1:{port}"] == {False}
    assert idle["parent", "a child process"] == {False}
    assert idle["server", f"connections to :{port}"] == {True}
    # A write to a client may leave its processor, and is not idle.
    assert idle["server", f"clients of :{port}"] != {False}
    assert idle["poller", "a selector"] == {True}


def test_a_wait_that_never_ended_lasts_until_the_thread_was_cancelled(run: Run) -> None:
    names = {row["thread_id"]: row["name"] for row in run.model.threads()}
    states = [
        (row["state"], row["object"])
        for row in run.model.timeline()
        if names[row["thread_id"]] == "stuck"
    ]
    assert ("io", "a pipe") in states
    assert run.io["stuck", "a pipe"] > run.said["poller"]


def test_a_wait_has_the_stack_of_its_call(run: Run) -> None:
    callers = {
        (row["thread"], row["method"])
        for row in run.model.statistics(by=("thread", "method"))
        if row["io_total_ns"] > 50_000_000
    }
    assert {
        ("client", "ask"),
        ("reader", "read_pipe"),
        ("parent", "wait_for_child"),
    } <= {(thread, str(method).rpartition(".")[2]) for thread, method in callers}


def test_nothing_is_odd(run: Run) -> None:
    assert [row["cause"] for row in run.model.diagnostics() if row["count"]] == []


def test_paths_are_named_only_where_that_is_wanted(tmp_path: Path) -> None:
    trace = tmp_path / "run.tmt"
    named = run_of(trace, "-A", "paths=y")
    assert named.io["writer", os.path.realpath(trace.with_suffix(""))] > 0
    assert not [thing for _, thing in named.io if str(thing).startswith("file ")]


def test_no_wait_in_the_kernel_is_recorded_where_that_is_not_wanted(
    tmp_path: Path,
) -> None:
    none = run_of(tmp_path / "run.tmt", "-A", "io=n")
    assert set(none.io.values()) <= {0}
    assert any("io=n" in text for text in none.model.caveats)


@dataclass(frozen=True)
class Meddled:
    model: threadmodel.Model
    said: dict[str, int]
    #: by thread, the objects of its waits in their order, and how long each took
    waits: dict[str, list[tuple[str, int]]]
    stderr: str


@pytest.fixture(scope="module")
def meddled(tmp_path_factory: pytest.TempPathFactory) -> Meddled:
    trace = tmp_path_factory.mktemp("meddled") / "run.tmt"
    threads = "10000" if "TM_TEST_FULL" in os.environ else "500"
    done = record(trace, program("meddled_waits"), threads)
    done.check_returncode()
    model = threadmodel.open(str(trace))
    names = {row["thread_id"]: row["name"] for row in model.threads()}
    waits = defaultdict(list)
    for row in model.timeline():
        if row["state"] == "io":
            length = row["end_ns"] - row["start_ns"]
            waits[names[row["thread_id"]]].append((row["object"], length))
    pairs = (line.split() for line in done.stdout.splitlines())
    said = {name: int(value) for name, value in pairs}
    return Meddled(model, said, waits, done.stderr)


def test_a_program_goes_on_whatever_others_do_to_its_waits(meddled: Meddled) -> None:
    assert meddled.said["fine"] == 1
    assert len(meddled.stderr.splitlines()) == 1
    # What a full ring lost is counted, and nothing else is odd.
    odd = {row["cause"] for row in meddled.model.diagnostics() if row["count"]}
    assert "lost_by_producer" in odd or not odd


def test_a_handler_that_reads_and_writes_leaves_its_threads_wait(
    meddled: Meddled,
) -> None:
    waits = meddled.waits["signalled"]
    assert {name for name, _ in waits} == {"a pipe"}
    assert is_near(sum(ns for _, ns in waits), meddled.said["signalled"])


def test_a_wait_is_never_for_what_its_descriptor_came_to_mean(
    meddled: Meddled,
) -> None:
    (first, first_ns), (second, second_ns) = meddled.waits["reused"]
    assert first in ("a pipe", "a file")
    assert second.startswith("unix socket")
    assert is_near(first_ns, meddled.said["first"])
    assert is_near(second_ns, meddled.said["second"])
    ((closed, closed_ns),) = meddled.waits["closed"]
    assert closed in ("a pipe", "a file")
    assert is_near(closed_ns, meddled.said["closed"])


def test_children_by_vfork_and_spawn_are_waited_for(meddled: Meddled) -> None:
    waits = meddled.waits["spawner"]
    assert {name for name, _ in waits} == {"a child process"}
    assert is_near(sum(ns for _, ns in waits), meddled.said["spawner"])
