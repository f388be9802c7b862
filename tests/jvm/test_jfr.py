# SPDX-License-Identifier: Apache-2.0
"""Runs compared with every event of the JVM's own flight recorder."""

import json
import os
import re
import subprocess
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from statistics import fmean, median
from typing import Any

import pytest

import threadmodel
from conftest import Java, Recording
from threadmodel import Selection

SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
{}
</configuration>
"""
EVENT = """<event name="jdk.{}"><setting name="enabled">true</setting>
<setting name="threshold">0 ns</setting><setting name="stackTrace">false</setting>
</event>"""
# Threads of Busy. JFR does not report its own threads, nor their end at shutdown.
THREADS = ("main", *(f"busy-{i}" for i in range(4)))
WAKES = ("notify", "notify_all", "timeout", "interrupt")
NAMES = (
    "JavaMonitorEnter",
    "JavaMonitorWait",
    "JavaMonitorNotify",
    "ThreadPark",
    "ThreadSleep",
    "ThreadStart",
)
# The states of ours for each; a later one continues an earlier one.
BLOCKING_STATES = {
    "JavaMonitorEnter": ("blocked",),
    "JavaMonitorWait": ("waiting", "reentering", "joining"),
    "ThreadPark": ("parked",),
    "ThreadSleep": ("sleeping",),
}
FULL = "TM_TEST_FULL" in os.environ
# One wrong waker in some hundred waits is already more than a thousandth.
SHOP_TURNS, AGREED = (7000, 0.999) if FULL else (700, 0.995)
DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?")


def duration_ns(text: str) -> int:
    matched = DURATION.fullmatch(text)
    assert matched, text
    hours, minutes, seconds, fraction = matched.groups()
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole * 10**9 + int((fraction or "").ljust(9, "0"))


def record_with_jfr(
    java: Java, program: str, *arguments: object
) -> tuple[Recording, dict[str, list[dict[str, Any]]]]:
    """The agent's recording, and JFR's events of the same run by their names."""
    settings = java.folder / "all.jfc"
    settings.write_text(SETTINGS.format("\n".join(map(EVENT.format, NAMES))))
    file = java.folder / "run.jfr"
    flag = f"-XX:StartFlightRecording=filename={file},settings={settings}"
    run = java.record(program, *arguments, flags=(flag,))
    printed = subprocess.run(
        [java.jdk.tool("jfr"), "print", "--json", file],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    events = defaultdict(list)
    for event in json.loads(printed)["recording"]["events"]:
        events[event["type"].removeprefix("jdk.")].append(event["values"])
    return run, events


def lengths_of_jfr(events: list[dict[str, Any]], name: str) -> list[int]:
    """Lengths of the blocking intervals by a class, by thread and then by time."""
    ours = [
        event
        for event in events
        if event["monitorClass"]["name"].replace("/", ".") == name
        and event["eventThread"]["javaName"] in THREADS
    ]
    ours.sort(key=lambda e: (e["eventThread"]["javaThreadId"], e["startTime"]))
    return [duration_ns(event["duration"]) for event in ours]


def lengths_of_model(model: threadmodel.Model, name: str, *states: str) -> list[int]:
    """The same from the timeline. For JFR a re-entry is the end of a wait. Before JFR
    of JDK 11 records, `main` joins one of its threads."""
    lengths: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in model.timeline(Selection(classes=[name])):
        if row["state"] not in states or row["thread"] not in THREADS:
            continue
        if (row["method"] or "").startswith("jdk.jfr."):
            continue
        own = lengths[row["thread_id"]]
        start = row["start_ns"]
        if row["state"] == "reentering" and own and own[-1][1] == start:
            start = own.pop()[0]
        own.append((start, row["end_ns"]))
    return [end - start for _, own in sorted(lengths.items()) for start, end in own]


def test_blocks_and_waits_agree_with_jfr_one_by_one(java: Java):
    run, events = record_with_jfr(java, "Busy", 1500)
    compared = 0
    for name in ("Busy$Hot", "Busy$Warm", "java.lang.Thread"):
        for theirs, ours in (
            (
                lengths_of_jfr(events["JavaMonitorEnter"], name),
                lengths_of_model(run.model, name, "blocked"),
            ),
            (
                lengths_of_jfr(events["JavaMonitorWait"], name),
                lengths_of_model(run.model, name, "waiting", "reentering", "joining"),
            ),
        ):
            assert len(ours) == len(theirs)
            if not theirs:
                continue
            # A thread that loses its processor between the two readings of the clock
            # makes one length differ by the time it was away: hence the median. With
            # few lengths, two readings may be five microseconds apart.
            off = median(abs(o - t) for o, t in zip(ours, theirs, strict=True))
            assert off <= max(0.02 * fmean(theirs), 5_000)
            compared += 1
    assert compared >= 3


def test_sleeps_agree_with_jfr(java: Java):
    run, events = record_with_jfr(java, "Busy", 500)
    named = [e for e in events["ThreadSleep"] if e["eventThread"]["javaName"]]
    slept = Counter(e["eventThread"]["javaName"] for e in named)
    rows = {row["name"]: row for row in run.model.threads()}
    for name in THREADS[1:]:
        assert rows[name]["sleeping_count"] == slept[name]


def waits_of_jfr(events: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """The waits of each thread on the shelf, in order."""
    waits = defaultdict(list)
    for event in events:
        if event["monitorClass"]["name"] == "Shop$Shelf":
            waits[event["eventThread"]["javaThreadId"]].append(event)
    for list_ in waits.values():
        list_.sort(key=lambda event: event["startTime"])
    return waits


def wakers_of_model(model: threadmodel.Model) -> dict[int, list[dict[str, Any]]]:
    """The interactions that ended the waits on the shelf, in order."""
    ends = defaultdict(list)
    for row in model.interactions():
        if row["effect"] == "woke" and row["kind"] in WAKES:
            ends[row["to_thread_id"]].append(row)
    starts = defaultdict(list)
    for row in model.timeline(Selection(classes=["Shop$Shelf"])):
        if row["state"] == "waiting":
            starts[row["thread_id"]].append(row["start_ns"])
    wakers = {}
    for thread, begun in starts.items():
        rows = sorted(ends[thread], key=lambda row: row["woken_ns"])
        times = [row["woken_ns"] for row in rows]
        edges = [bisect_left(times, start) for start in [*sorted(begun), 2**62]]
        wakers[thread] = [
            rows[first] if first < last else {} for first, last in pairwise(edges)
        ]
    return wakers


def agrees(waker: dict[str, Any], wait: dict[str, Any]) -> bool:
    """Whether JFR names the same thread as the end of a wait. It names none for a
    timeout, an interrupt and a spurious wake-up."""
    kind = waker.get("kind")
    if wait.get("notifier"):
        return (
            kind in ("notify", "notify_all")
            and waker["from_thread_id"] == wait["notifier"]["javaThreadId"]
        )
    return kind == "timeout" if wait["timedOut"] else kind in ("interrupt", None)


@pytest.mark.parametrize("seed", [1, 2])
def test_notifiers_agree_with_jfr(
    java: Java, seed: int, record_property: Callable[[str, object], None]
):
    run, events = record_with_jfr(java, "Shop", seed, SHOP_TURNS)
    truth = waits_of_jfr(events["JavaMonitorWait"])
    tptp = threadmodel.Model(policy=threadmodel.Policy.TPTP)
    threadmodel.read(run.trace, tptp)
    shares = {}
    for name, model in (("hotspot", run.model), ("tptp", tptp)):
        answer = wakers_of_model(model)
        assert {t: len(w) for t, w in answer.items()} == {
            t: len(w) for t, w in truth.items()
        }
        pairs = [
            pair for t, w in truth.items() for pair in zip(answer[t], w, strict=True)
        ]
        wrong = [pair for pair in pairs if not agrees(*pair)]
        named = sum(1 for _, wait in pairs if wait.get("notifier"))
        assert named >= 500
        shares[name] = 1 - sum(1 for _, w in wrong if w.get("notifier")) / named
        if name == "hotspot":
            assert [p for p in wrong if p[0].get("provenance") == "exact"] == []
        record_property(name, f"{shares[name]:.4f}")
        print(f"{java.jdk}, {name}: {shares[name]:.2%} of {named} waits")
    assert shares["hotspot"] >= AGREED


def test_jfr_knows_no_notify_that_woke_and_the_agent_missed(java: Java):
    run, events = record_with_jfr(java, "Shop", 3, 300)
    if not events["JavaMonitorNotify"]:
        pytest.skip(f"JFR of JDK {java.jdk.release} records no notifies")
    effective = [
        event
        for event in events["JavaMonitorNotify"]
        if event["monitorClass"]["name"] == "Shop$Shelf"
    ]
    rows = run.rows("interactions", **{"class": "Shop$Shelf"})
    acts = {
        (row["kind"], row["time_ns"], row["from_thread_id"])
        for row in rows
        if row["kind"] in ("notify", "notify_all") and row["effect"] == "woke"
    }
    assert len(acts) == pytest.approx(len(effective), rel=0.005)


def is_of_program(name: str, class_: str | None, program: str) -> bool:
    return not name.startswith("JavaMonitor") or (class_ or "").startswith(program)


def durations_of_model(
    run: Recording, program: str
) -> dict[tuple[str, int], list[int]]:
    """Lengths of the blocking intervals of each thread by JFR's name, in order.

    Only monitors of the program count: either side misses some of the VM's own,
    such as the locks of classes that are initialised.
    """
    found = defaultdict(list)
    last: dict[int, tuple[str, int]] = {}
    names = {
        state: name for name, states in BLOCKING_STATES.items() for state in states
    }
    for row in run.rows("timeline"):
        thread, state = row["thread_id"], row["state"]
        duration_ns = row["end_ns"] - row["start_ns"]
        if state in names and is_of_program(names[state], row["class"], program):
            name = names[state]
            if state == "reentering" and last.get(thread) == (name, row["start_ns"]):
                found[name, thread][-1] += duration_ns
            elif not row["open"]:
                found[name, thread].append(duration_ns)
            last[thread] = (name, row["end_ns"])
    return found


def instant_ns(text: str) -> int:
    """Return a time as `jfr print` writes it in ns since 1970."""
    seconds = datetime.fromisoformat(text[:19]).replace(tzinfo=UTC).timestamp()
    return int(seconds) * 10**9 + int(text[20:].rstrip("Z").ljust(9, "0")[:9])


def without_reentries(
    enters: list[dict[str, Any]], waits: list[dict[str, Any]], count: int
) -> list[dict[str, Any]]:
    """Leave out the enters that follow a wait most closely, until `count` are left.

    A waiter that timed out, or was interrupted, and then meets contention is
    re-entering for us: the wait continues. For JFR that is a separate enter.
    """
    ends = [instant_ns(w["startTime"]) + duration_ns(w["duration"]) for w in waits]

    def behind(enter: dict[str, Any]) -> int:
        start = instant_ns(enter["startTime"])
        return min((abs(start - end) for end in ends), default=10**18)

    left_out = sorted(enters, key=behind)[: max(len(enters) - count, 0)]
    assert all(behind(enter) < 1_000_000 for enter in left_out)
    return [enter for enter in enters if enter not in left_out]


@pytest.mark.parametrize("program", [("Busy", 1000), ("Shop", 5, 400)], ids=str)
def test_every_blocking_interval_of_jfr_is_matched_and_lasts_as_long(
    java: Java,
    program: tuple[object, ...],
    record_property: Callable[[str, object], None],
):
    run, events = record_with_jfr(java, *program)
    ours = durations_of_model(run, str(program[0]))
    off_ns = defaultdict(list)
    theirs: dict[str, dict[int, list[dict[str, Any]]]] = {}
    for name in BLOCKING_STATES:
        theirs[name] = defaultdict(list)
        for event in sorted(events[name], key=lambda event: event["startTime"]):
            # JFR has no names for threads of the VM, and does not report its own.
            thread = event["eventThread"]
            class_ = (event.get("monitorClass") or {}).get("name")
            if (
                thread
                and re.match(r"busy|consumer|producer|main", thread["javaName"])
                and is_of_program(name, class_, str(program[0]))
            ):
                theirs[name][thread["javaThreadId"]].append(event)
    for name, by_thread in theirs.items():
        for thread_id, list_ in by_thread.items():
            if name == "JavaMonitorEnter":
                waits = theirs["JavaMonitorWait"][thread_id]
                list_ = without_reentries(list_, waits, len(ours[name, thread_id]))
            assert len(list_) == len(ours[name, thread_id]), (name, thread_id)
            off_ns[name] += [
                our_ns - duration_ns(event["duration"])
                for our_ns, event in zip(ours[name, thread_id], list_, strict=True)
            ]
    assert off_ns
    for name, list_ in off_ns.items():
        list_.sort()
        median_us = list_[len(list_) // 2] / 1000
        record_property(name, median_us)
        print(f"{java.jdk} {program[0]} {name}: {len(list_)}, {median_us:+.2f} us")
        # On a shared machine, other programs add to the difference.
        if FULL and len(list_) >= 100:
            assert abs(median_us) < 5


def test_every_start_of_jfr_is_matched(java: Java):
    run, events = record_with_jfr(java, "Shop", 6, 50)
    starters = {
        row["to_thread_id"]: row["from_thread_id"]
        for row in run.rows("interactions", kind="start", effect="woke")
    }
    started = {
        event["thread"]["javaThreadId"]: event["parentThread"]["javaThreadId"]
        for event in events["ThreadStart"]
        if event["parentThread"]
        and re.match(r"consumer|producer", event["thread"]["javaName"] or "")
    }
    assert len(started) == 9
    assert {thread: starters[thread] for thread in started} == started


def io_by_jfr(java: Java, **choices: bool) -> threadmodel.Model:
    settings = java.folder / "io.jfc"
    names = ("SocketRead", "SocketWrite", "FileRead", "FileWrite", "FileForce")
    names += ("ActiveSetting", "JVMInformation")
    settings.write_text(SETTINGS.format("\n".join(map(EVENT.format, names))))
    file = java.folder / "io.jfr"
    flag = f"-XX:StartFlightRecording=filename={file},settings={settings}"
    command = [java.jdk.tool("java"), flag, "-cp", str(java.classes)]
    done = java.run([*command, "KernelWaits", "6", "3"])
    assert done.returncode == 0, done.stderr
    port = next(line for line in done.stdout.splitlines() if line.startswith("port="))
    model = threadmodel.open(file, **choices)
    model.add_caveat(port)
    return model


def test_reads_of_sockets_and_files_are_io(java: Java):
    model = io_by_jfr(java)
    port = next(text for text in model.caveats if text.startswith("port="))[5:]
    names = {row["thread_id"]: row["name"] for row in model.threads()}
    reads = defaultdict(list)
    for row in model.timeline():
        length = row["end_ns"] - row["start_ns"]
        if row["state"] == "io" and length > 10_000_000:
            thread = names[row["thread_id"]]
            reads[thread].append((row["object"], row["idle"], length))
    for i in range(3):
        # An answer takes 50 ms, and so does the client's next request.
        assert median(ns for _, _, ns in reads[f"client-{i}"]) >= 49_000_000
        assert {it[:2] for it in reads[f"client-{i}"]} == {(f"127.0.0.1:{port}", False)}
        # Each client has its own port. A write to a slow client is not idle.
        assert {it[0] for it in reads[f"server-{i}"]} == {"clients at 127.0.0.1"}
        assert sum(it[1] for it in reads[f"server-{i}"]) >= 3
    assert model.run.object_kinds == {
        threadmodel.ObjectKind.SOCKET,
        threadmodel.ObjectKind.FILE,
    }
    wrong = [text for text in model.caveats if "write of a file the duration" in text]
    assert len(wrong) == (java.jdk.release == 11)


def test_a_path_is_shown_only_where_that_is_wanted(java: Java):
    hidden, shown = io_by_jfr(java), io_by_jfr(java, with_paths=True)
    names = {str(row["object"]) for row in hidden.timeline() if row["state"] == "io"}
    paths = {str(row["object"]) for row in shown.timeline() if row["state"] == "io"}
    assert not [name for name in names if "/" in name]
    assert [name for name in names if name.startswith("file ")]
    assert [name for name in paths if name.endswith(".data")]
