# SPDX-License-Identifier: Apache-2.0
"""Recordings of the JDK Flight Recorder, compared with the JDK's own reader."""

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import jdk_facts
import recordings
import threadmodel
from conftest import TIMEOUT_S, VIRTUAL_SINCE, Java
from jdk_facts import fact_of, print_by_jdk
from recordings import compare, emit, record
from threadmodel import EventKind

PROGRAMS = (("Shop", 1, 300), ("Busy", 700), ("Storm", 300), ("Virtual", 5))
STATE = 64
# Parts of the program, with two chunks between neighbours.
PARTS = 4
CHUNKS = 2 * PARTS - 1
# Rounds of each part of a recording that is cut at many places.
ROUNDS = 4_000 if "TM_TEST_FULL" in os.environ else 200
MAGIC = b"FLR\0\0\2\0"
# The least number of threads that start or end in each program.
THREADS = 16
FLUSHED_FACTS = 20
# Before this release a chunk is written when it is complete, and its wall clock and its
# ticks are read one after the other: the times of two chunks differ by that delay.
STREAMED_SINCE = 14


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program[0])
def test_every_event_is_what_the_jdk_reports(java: Java, program: tuple[object, ...]):
    if not (java.classes / f"{program[0]}.class").exists():
        pytest.skip(f"{program[0]} needs JDK {VIRTUAL_SINCE}")
    file = record(java, *program)
    emitted = emit(file)
    assert emitted.end == "TM_OK"
    theirs = [fact_of(event) for event in print_by_jdk(java, file)]
    assert compare(emitted.facts, theirs) >= THREADS


def chunks_of(content: bytes) -> list[int]:
    """The starts of the chunks of a recording, by the lengths that they state."""
    starts, at = [], 0
    while at < len(content):
        assert content[at : at + len(MAGIC)] == MAGIC
        starts.append(at)
        at += int.from_bytes(content[at + 8 : at + 16], "big")
    return starts


@pytest.mark.one_release
def test_many_chunks_are_one_time_line(java: Java):
    file = record(java, "Storm", 8_000, PARTS, stacks=False)
    assert len(chunks_of(file.read_bytes())) >= CHUNKS
    emitted = emit(file)
    assert emitted.end == "TM_OK"
    theirs = [fact_of(event) for event in print_by_jdk(java, file)]
    if java.jdk.release >= STREAMED_SINCE:
        assert compare(emitted.facts, theirs) >= THREADS
    else:
        assert Counter(fact.kind for fact in emitted.facts) == Counter(
            fact.kind for fact in theirs
        )
    model = threadmodel.open(file)
    odd = {row["cause"]: row["count"] for row in model.diagnostics()}
    # An enter's event, written at its end, names the owner before. By then the next
    # owner may have been reported.
    for known in ("stale_owner", "late_owner", "undefined_thread"):
        odd.pop(known, None)
    assert odd == {}


@pytest.fixture
def recording(java: Java) -> Path:
    return record(java, "Shop", 1, 100)


def test_threads_keep_names_groups_and_kinds(java: Java, recording: Path):
    emitted = emit(recording)
    names = {thread[:2] for thread in emitted.threads.values()}
    for name in ("main", "consumer-0", "producer-2"):
        assert (name, "main") in names
    if (java.classes / "Virtual.class").exists():
        threads = emit(record(java, "Virtual", 2, name="virtual")).threads.values()
        virtual = {name for name, _, bits in threads if bits & recordings.VIRTUAL}
        assert {"blocked", "listener"} <= virtual
        assert "main" not in virtual


def test_an_interrupted_wait_reports_it(recording: Path):
    flags = emit(recording).flags
    assert any(bits & recordings.BY_INTERRUPT for bits in flags)
    assert not any(
        bits & recordings.BY_INTERRUPT and bits & recordings.PEER_REPORTED
        for bits in flags
    )


@pytest.mark.parametrize("names", [("GCPhasePause",), ("GarbageCollection",)])
def test_pauses_are_what_the_jdk_reports(java: Java, names: tuple[str, ...]):
    file = record(java, "Pauses", 3, names=names)
    theirs = []
    for event in print_by_jdk(java, file, names):
        values = event["values"]
        length_ns = jdk_facts.duration_ns(values["duration"])
        end_ns = jdk_facts.instant_ns(values["startTime"]) + length_ns
        pause_ns = jdk_facts.duration_ns(values.get("sumOfPauses", values["duration"]))
        theirs.append((end_ns, pause_ns))
    ours = [
        (time, value) for _, thread, time, value in emit(file).context if not thread
    ]
    assert len(theirs) >= 3
    assert len(ours) == len(theirs)
    for mine, jdk in zip(sorted(ours), sorted(theirs), strict=True):
        # Lengths and starts are rounded down to ns separately.
        assert mine == pytest.approx(jdk, abs=1)
    (pauses,) = [
        row
        for row in threadmodel.open(file).context_totals()
        if row["kind"] == "gc_pause"
    ]
    assert pauses["count"] == len(theirs)


def test_a_thread_dump_in_a_recording_shows_a_deadlock(java: Java):
    file = record(java, "Stuck", 0, names=(*jdk_facts.NAMES, "ThreadDump"))
    model = threadmodel.open(file)
    members = {row["thread"]: row for row in model.deadlocks()}
    assert members.keys() == {"one", "other"}
    for name, wanted, owner in (
        ("one", "Stuck$Right", "other"),
        ("other", "Stuck$Left", "one"),
    ):
        row = members[name]
        assert (row["class"], row["owner"]) == (wanted, owner)
        assert row["provenance"] == "reported"
        assert row["resolved_ns"] is None
        assert row["method"] == f"Stuck.{name}"
        assert row["line"]
    assert any("unless a thread dump" in caveat for caveat in model.caveats)
    # Without dumps a recording does not show it.
    model = threadmodel.open(record(java, "Stuck", 0, name="without"))
    assert not list(model.deadlocks())
    assert any("as in a deadlock, is not in" in caveat for caveat in model.caveats)


def test_inflations_are_what_the_jdk_reports(java: Java):
    names = ("JavaMonitorInflate",)
    file = record(java, "Pauses", 3, names=names)
    emitted = emit(file)
    classes: Counter[str | None] = Counter()
    theirs = []
    for event in print_by_jdk(java, file, names):
        values = event["values"]
        start_ns = jdk_facts.instant_ns(values["startTime"])
        classes[jdk_facts.class_name(values["monitorClass"]["name"])] += 1
        theirs.append((start_ns, values["cause"]))
    assert classes["Pauses$Heavy"] == 3
    assert emitted.classes == classes
    causes = {
        row["start_ns"]: row["cause"]
        for row in threadmodel.open(file).context()
        if row["class"] == "Pauses$Heavy"
    }
    assert len(causes) == 3
    assert set(causes.values()) == {"wait"}
    assert {cause for start, cause in theirs} >= {"Monitor Wait"}


def test_sums_without_a_model_are_those_of_the_model(java: Java):
    file = record(java, "Storm", 2000)
    model = threadmodel.open(file)
    sums = {(row["class"], row["state"]): row for row in threadmodel.sum_classes(file)}
    compared = 0
    for row in model.locks():
        for state in ("blocked", "parked"):
            if not row[f"{state}_count"]:
                continue
            own = sums[row["class"], state]
            for figure in ("count", "total_ns", "max_ns", "p90_ns"):
                assert own[figure] == row[f"{state}_{figure}"]
            compared += 1
    assert compared
    (blocked,) = {row["state"] for row in threadmodel.sum_classes(file, ["blocked"])}
    assert blocked == "blocked"


def test_zeros_behind_it_change_nothing(recording: Path, tmp_path: Path):
    padded = tmp_path / "padded.jfr"
    padded.write_bytes(recording.read_bytes() + bytes(100_000))
    ours, whole = emit(padded), emit(recording)
    assert ours.end == "TM_OK"
    assert ours.events == whole.events
    assert ours.caveats == whole.caveats


def test_joined_recordings_are_one_time_line(java: Java, tmp_path: Path):
    first = record(java, "Shop", 1, 30, name="first")
    second = record(java, "Shop", 2, 40, name="second")
    for name, files in (("in", [first, second]), ("out", [second, first])):
        joined = tmp_path / f"{name}.jfr"
        joined.write_bytes(b"".join(file.read_bytes() for file in files))
    ours = emit(tmp_path / "in.jfr")
    assert ours.end == "TM_OK"
    assert ours.events == emit(tmp_path / "out.jfr").events
    apart = [emit(first), emit(second)]
    assert len(ours.facts) == sum(len(emitted.facts) for emitted in apart)
    # Thread 1 of one JVM is not thread 1 of the other.
    assert len({fact.thread for fact in ours.facts}) == sum(
        len({fact.thread for fact in emitted.facts}) for emitted in apart
    )
    assert any("2 JVMs" in caveat for caveat in ours.caveats)


def test_the_same_chunk_twice_is_read_once(recording: Path, tmp_path: Path):
    twice = tmp_path / "twice.jfr"
    twice.write_bytes(2 * recording.read_bytes())
    ours = emit(twice)
    assert ours.end == "TM_OK"
    assert ours.events == emit(recording).events
    assert any("1 chunks twice" in caveat for caveat in ours.caveats)


@pytest.mark.one_release
def test_a_cut_recording_yields_what_is_whole(java: Java, tmp_path: Path):
    content = record(java, "Storm", ROUNDS, PARTS, stacks=False).read_bytes()
    starts = chunks_of(content)
    assert len(starts) >= CHUNKS
    cut = tmp_path / "cut.jfr"

    def emitted_of(length: int) -> tuple[Counter[tuple[int, ...]], recordings.Emitted]:
        cut.write_bytes(content[:length])
        emitted = emit(cut)
        return recordings.plain(emitted), emitted

    whole, _ = emitted_of(len(content))
    assert whole
    for start, end in pairwise([*starts, len(content)]):
        before, _ = emitted_of(start) if start else (Counter(), None)
        for length in (start + (end - start) // 3, end - 1):
            events, emitted = emitted_of(length)
            assert emitted.end == "TM_EDAMAGED"
            assert f"ends at byte {length}" in emitted.text
            # All events of earlier chunks are there, and no others.
            assert before <= events <= whole
            assert before or start == starts[0]


def test_a_killed_jvm_leaves_what_it_had_written(java: Java, tmp_path: Path):
    if java.jdk.release < STREAMED_SINCE:
        pytest.skip(f"JFR of JDK {java.jdk.release} writes whole chunks only")
    repository = tmp_path / "repository"
    chosen = recordings.settings(tmp_path)
    with subprocess.Popen(
        recordings.command(
            java,
            tmp_path / "never.jfr",
            chosen,
            f"repository={repository}",
            "Busy",
            60_000,
        ),
        stdout=subprocess.DEVNULL,
    ) as running:
        try:
            deadline = time.monotonic() + TIMEOUT_S
            files: list[Path] = []
            while time.monotonic() < deadline and not files:
                time.sleep(0.2)
                files = [
                    f for f in repository.rglob("*.jfr") if is_flushed(f, tmp_path)
                ]
        finally:
            running.kill()
    assert files, "the JVM flushed nothing"
    emitted = emit(files[0])
    assert emitted.end == "TM_EDAMAGED"
    assert "was not finished: its JVM was killed" in emitted.text
    assert any("was not finished" in caveat for caveat in emitted.caveats)
    # The JDK reads such a chunk once its header states that it is finished.
    finished = tmp_path / "finished.jfr"
    content = bytearray(files[0].read_bytes())
    content[STATE] = 0
    finished.write_bytes(content[: int.from_bytes(content[8:16], "big")])
    theirs = [fact_of(event) for event in print_by_jdk(java, finished)]
    assert compare(emit(finished).facts, theirs) == len(theirs) > FLUSHED_FACTS
    starts = {fact.key() for fact in emitted.facts}
    assert {fact.key() for fact in theirs} <= starts


def is_flushed(file: Path, folder: Path) -> bool:
    """Whether an unfinished chunk has events, up to the length that it states."""
    content = file.read_bytes() if file.exists() else b""
    length = int.from_bytes(content[8:16], "big")
    if length <= STATE or len(content) < length:
        return False
    copy = folder / "flushed.jfr"
    copy.write_bytes(content[:length])
    return len(emit(copy).facts) > FLUSHED_FACTS


def test_thresholds_and_what_is_off_are_reported(java: Java):
    names = ("JavaMonitorEnter", "ThreadPark")
    file = record(java, "Busy", 300, threshold="1 ms", names=names)
    model = threadmodel.open(file)
    assert model.run.threshold_ns == 1_000_000
    caveats = " ".join(model.caveats)
    assert "parks: under 1.000 ms" in caveats
    assert "did not record waits on monitors" in caveats
    assert "Sleeps were not recorded" in caveats
    kinds = recordings.kinds_of(model)
    assert {EventKind.CONTENDED_ENTER, EventKind.UNPARKED} <= kinds
    assert not kinds & {EventKind.WAIT, EventKind.SLEEP, EventKind.NOTIFY}


def test_the_model_answers_from_a_recording(java: Java):
    file = record(java, "Busy", 700)
    model = threadmodel.open(file)
    assert model.run.format == "jfr"
    assert str(java.jdk.release) in model.run.vm
    assert "Busy" in model.run.command
    events = print_by_jdk(java, file, ["JavaMonitorEnter"])
    hot = [e for e in events if e["values"]["monitorClass"]["name"] == "Busy$Hot"]
    (row,) = [row for row in model.locks() if row["class"] == "Busy$Hot"]
    assert row["blocked_count"] == len(hot)
    total = sum(jdk_facts.duration_ns(e["values"]["duration"]) for e in hot)
    assert row["blocked_total_ns"] == pytest.approx(total, abs=len(hot))
    (callers,) = [row for row in model.callers() if row["class"] == "Busy$Hot"]
    assert callers["method"].startswith("Busy")
    joins = [row for row in model.interactions() if row["kind"] == "join"]
    ended = {row["from_thread"] for row in joins}
    assert ended
    assert ended <= {f"busy-{i}" for i in range(4)}
    assert {row["to_thread"] for row in joins} == {"main"}
    assert {row["provenance"] for row in joins} == {"reported"}


def test_it_converts_to_a_trace_of_the_same_answers(recording: Path, tmp_path: Path):
    trace = tmp_path / "run.tmt"
    done = subprocess.run(
        [sys.executable, "-m", "threadmodel", "convert", recording, "-o", trace],
        capture_output=True,
        text=True,
        check=False,
        env=recordings.environment(),
    )
    assert done.returncode == 0, done.stderr
    ours, copy = threadmodel.open(recording), threadmodel.open(trace)
    for question in ("threads", "locks", "callers", "objects", "timeline"):
        assert list(getattr(copy, question)()) == list(getattr(ours, question)())


def test_a_pipe_is_read_as_the_file_is(recording: Path, tmp_path: Path):
    read = subprocess.run(
        [recordings.EMIT, "/dev/stdin"],
        stdin=subprocess.Popen(
            [shutil.which("cat") or "cat", recording], stdout=subprocess.PIPE
        ).stdout,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    whole = subprocess.run(
        [recordings.EMIT, recording], capture_output=True, text=True, check=True
    ).stdout
    assert read.split("\n")[1:] == whole.split("\n")[1:]
