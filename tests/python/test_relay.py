# SPDX-License-Identifier: Apache-2.0
"""Reading by two threads: the same answers with queues of any size."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import runs
import threadmodel
from threadmodel import Event, EventKind, relay
from threadmodel.tables import ALL_TABLES, ask

ROOT = Path(__file__).resolve().parents[1]
FILES = [
    ROOT / "fuzz/corpus/jfr/recording",
    ROOT / "fuzz/corpus/contention/runs.orca",
    ROOT / "fuzz/corpus/tptp/runs.xml",
    ROOT / "data/dumps/jdk11-l.txt",
    ROOT / "data/dumps/jdk27.json",
    ROOT / "data/dumps/hprof-jdk8.txt",
]


@pytest.fixture(params=[1, 7, 5000, relay.ROOM])
def by_two(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Read all files by two threads, with a queue of this many events."""
    monkeypatch.setattr(relay, "is_worth_it", lambda length_bytes: True)
    monkeypatch.setattr(relay, "ROOM", request.param)
    return int(request.param)


@pytest.fixture(autouse=True)
def no_thread_stays() -> Iterator[None]:
    yield
    assert "threadmodel-reader" not in {it.name for it in threading.enumerate()}


def answers(model: threadmodel.Model) -> dict[str, Any]:
    tables = {name: list(ask(model, name)) for name in ALL_TABLES}
    return {**tables, "caveats": model.caveats, "damage": model.damage}


def storm(path: Path, rounds: int) -> None:
    """Write blocks with definitions among them, in many parts."""
    with threadmodel.Writer(path, block_events=64) as writer:
        runs.define(writer)
        for turn in range(rounds):
            thread = 1000 + turn
            writer.define_thread(thread, f"thread {turn}")
            writer.ingest(
                Event(turn * 100 + i, thread, kind, object=runs.ACCOUNT_OBJECT)
                for i, kind in enumerate(
                    [EventKind.CONTENDED_ENTER, EventKind.CONTENDED_ENTERED] * 20
                )
            )


@pytest.mark.filterwarnings("ignore::threadmodel.DamagedTraceWarning")
def test_two_threads_yield_what_one_yields(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = tmp_path / "many.tmt"
    storm(many, 300)
    cut = tmp_path / "cut.tmt"
    cut.write_bytes(many.read_bytes()[:-3000])
    files = [*FILES, trace, many, cut]
    wanted = {file: answers(threadmodel.open(file)) for file in files}
    assert wanted[cut]["damage"] is not None
    monkeypatch.setattr(relay, "is_worth_it", lambda length_bytes: True)
    for room in (1, 7, 5000, relay.ROOM):
        monkeypatch.setattr(relay, "ROOM", room)
        for file in files:
            assert answers(threadmodel.open(file)) == wanted[file], (room, file)


def test_a_writer_takes_the_same_events(
    by_two: int, trace: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.tmt"
    with threadmodel.Writer(copy) as writer:
        assert threadmodel.read(trace, writer) is None
    model = threadmodel.Model()
    runs.fill(model)
    assert list(threadmodel.open(copy).timeline()) == list(model.timeline())


def test_progress_comes_to_the_end_and_may_end_it(by_two: int, tmp_path: Path) -> None:
    path = tmp_path / "many.tmt"
    storm(path, 100)
    seen: list[threadmodel.Progress] = []
    threadmodel.open(path, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == (path.stat().st_size,) * 2

    def refuse(progress: threadmodel.Progress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        threadmodel.open(path, refuse)


def test_a_sink_that_fails_ends_the_reading(by_two: int, tmp_path: Path) -> None:
    path = tmp_path / "many.tmt"
    storm(path, 300)
    reading, writing = os.pipe()
    writer = threadmodel.Writer(f"/dev/fd/{writing}", block_events=8)
    os.close(reading)
    with pytest.raises(OSError, match="Broken pipe"):
        threadmodel.read(path, writer)
    with pytest.raises(OSError, match="Broken pipe"):
        writer.close()
    os.close(writing)
    closed = threadmodel.Writer(tmp_path / "closed.tmt")
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        threadmodel.read(path, closed)


def test_a_reader_that_fails_is_heard(by_two: int, tmp_path: Path) -> None:
    newer = tmp_path / "newer.json"
    newer.write_text('{"threadDump": {"formatVersion": 3}}')
    with pytest.raises(threadmodel.NewerVersionError, match="formatVersion 3"):
        threadmodel.open(newer)


def test_small_files_and_one_processor_need_no_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    assert relay.is_worth_it(relay.LEAST_BYTES)
    assert not relay.is_worth_it(relay.LEAST_BYTES - 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1})
    assert not relay.is_worth_it(1 << 40)
