# SPDX-License-Identifier: Apache-2.0
"""Reading files: whole, damaged, foreign, missing, large and interrupted."""

import os
import resource
import signal
import struct
import threading
import time
import warnings
import zlib
from pathlib import Path

import pytest

import runs
import threadmodel
from threadmodel import Event, EventKind

LARGE_EVENTS = 400_000


def write_blocks(path: Path, count: int = 400) -> None:
    """Write a trace of many small blocks: thread n blocks at time n."""
    kinds = (EventKind.CONTENDED_ENTER, EventKind.CONTENDED_ENTERED)
    with threadmodel.Writer(path, block_events=8) as writer:
        runs.define(writer)
        for time_ns in range(count):
            kind = kinds[time_ns % 2]
            writer.ingest(
                [Event(time_ns, runs.WORKER, kind, object=runs.ACCOUNT_OBJECT)]
            )


def write_large(path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    events = numpy.zeros(LARGE_EVENTS, threadmodel.event_dtype())
    events["time_ns"] = numpy.arange(LARGE_EVENTS)
    events["thread"] = 1 + numpy.arange(LARGE_EVENTS) // 2 % 8
    events["object"] = 1
    events["kind"] = 4 + numpy.arange(LARGE_EVENTS) % 2
    with threadmodel.Writer(path) as writer:
        writer.ingest(events)


def test_a_trace_yields_the_model_that_its_events_yield(
    trace: Path, model: threadmodel.Model
) -> None:
    read = threadmodel.open(trace)
    assert read.damage is None
    for question in ("threads", "locks", "callers", "objects", "timeline"):
        assert list(getattr(read, question)()) == list(getattr(model, question)())
    assert list(read.deadlocks()) == list(model.deadlocks())
    assert read.run.format == "tmt"
    assert read.run.vm == "Test VM 1"
    assert str(read.run.source) == str(trace)


def test_a_trace_can_be_copied_by_reading_it_into_a_writer(
    trace: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.tmt"
    with threadmodel.Writer(copy, level=19) as writer:
        assert threadmodel.read(trace, writer) is None
    assert list(threadmodel.open(copy).timeline()) == list(
        threadmodel.open(trace).timeline()
    )


def test_a_writer_reports_what_it_wrote_and_is_closed_once(tmp_path: Path) -> None:
    writer = threadmodel.Writer(tmp_path / "x.tmt")
    runs.fill(writer)
    writer.flush()
    assert writer.bytes_written > 0
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.add_caveat("late")


def test_writing_where_one_cannot_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        threadmodel.Writer(tmp_path / "nowhere" / "x.tmt")
    with pytest.raises(OSError, match="/dev/full"):
        threadmodel.Writer("/dev/full")


def test_a_disk_that_fills_up_is_an_os_error(tmp_path: Path) -> None:
    path = tmp_path / "x.tmt"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    writer = threadmodel.Writer(path)
    runs.fill(writer)
    # As on a full disk: no file may grow beyond the size of this one.
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, before[1]))
    try:
        with pytest.raises(OSError, match=r"x\.tmt"):
            writer.flush()
        with pytest.raises(OSError, match=r"x\.tmt"):
            writer.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.99])
def test_of_a_cut_file_all_whole_blocks_are_read(tmp_path: Path, share: float) -> None:
    path = tmp_path / "cut.tmt"
    write_blocks(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.warns(threadmodel.DamagedTraceWarning):
        model = threadmodel.open(path)
    assert model.damage
    assert "\n" not in model.damage
    assert 0 < model.event_count <= 400
    # The reader itself adds the event with the number of lost ones.
    assert model.event_count % 8 in (0, 1)
    assert model.caveats


def test_a_damaged_block_costs_no_more_than_itself(tmp_path: Path) -> None:
    path = tmp_path / "damaged.tmt"
    write_blocks(path)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 4] = b"\xff\x00\xff\x00"
    path.write_bytes(data)
    with pytest.warns(threadmodel.DamagedTraceWarning):
        model = threadmodel.open(path)
    assert 300 <= model.event_count < 400


def test_files_that_are_no_traces_report_it(tmp_path: Path) -> None:
    path = tmp_path / "other"
    for content in (b"", b"\0" * 1000, b"hello\n", os.urandom(4096), b"PK\3\4" * 50):
        path.write_bytes(content)
        with pytest.raises(threadmodel.FormatError, match="other") as caught:
            threadmodel.open(path)
        assert isinstance(caught.value, ValueError)
        assert "\n" not in str(caught.value)


def test_a_missing_file_is_a_file_not_found_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.tmt"):
        threadmodel.open(tmp_path / "nowhere.tmt")
    with pytest.raises(threadmodel.FormatError, match=str(tmp_path)):
        threadmodel.open(tmp_path)


def test_a_path_is_not_cut_at_a_zero_byte(trace: Path) -> None:
    with pytest.raises(ValueError, match="zero byte"):
        threadmodel.open(f"{trace}\0x")
    with pytest.raises(ValueError, match="zero byte"):
        threadmodel.Writer(f"{trace}\0x")


def test_a_pipe_is_read_like_a_file(trace: Path) -> None:
    reading, writing = os.pipe()
    content = trace.read_bytes()
    assert len(content) < 65536
    os.write(writing, content)
    os.close(writing)
    model = threadmodel.open(f"/dev/fd/{reading}")
    os.close(reading)
    assert model.event_count == len(runs.events())
    assert model.damage is None


def test_random_damage_is_an_error_or_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "fuzzed.tmt"
    write_blocks(path, 64)
    whole = path.read_bytes()
    state = 12345
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(3):
            state = (state * 1103515245 + 12345) % 2**31
            data[state % len(data)] ^= 1 << state % 8
        path.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", threadmodel.DamagedTraceWarning)
            try:
                model = threadmodel.open(path)
                list(model.timeline())
            except threadmodel.ThreadmodelError as failure:
                assert "\n" not in str(failure)


def test_progress_goes_forward_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "large.tmt"
    write_large(path)
    seen: list[threadmodel.Progress] = []
    model = threadmodel.open(path, seen.append)
    assert model.event_count == LARGE_EVENTS
    assert len(seen) > 5
    positions = [step.position_bytes for step in seen]
    assert positions == sorted(positions)
    assert {step.length_bytes for step in seen} == {path.stat().st_size}
    assert positions[-1] <= path.stat().st_size


def test_what_the_listener_raises_ends_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "large.tmt"
    write_large(path)

    def stop(progress: threadmodel.Progress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        threadmodel.open(path, stop)


def test_ctrl_c_ends_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "large.tmt"
    write_large(path)
    calls = 0

    def interrupt(progress: threadmodel.Progress) -> None:
        nonlocal calls
        calls += 1
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        threadmodel.open(path, interrupt)
    assert calls == 1


def test_other_threads_run_while_a_long_call_does() -> None:
    numpy = pytest.importorskip("numpy")
    count = 2_000_000
    events = numpy.zeros(count, threadmodel.event_dtype())
    events["time_ns"] = numpy.arange(count)
    events["thread"] = 1
    events["object"] = 1
    events["kind"] = 4 + numpy.arange(count) % 2
    model = threadmodel.Model()
    model.ingest(events)
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    # A busy machine may keep the other thread waiting through one call, not many.
    for _ in range(50):
        start = time.monotonic()
        table = model.timeline()
        end = time.monotonic()
        if sum(start < moment < end for moment in ticks[-1000:]) >= 3:
            break
    done.set()
    ticker.join()
    assert len(table) >= count // 2
    assert sum(start < moment < end for moment in ticks) >= 3


def test_a_newer_format_is_reported_from_damage(trace: Path) -> None:
    data = bytearray(trace.read_bytes())
    # docs/trace-format.md: the major version at byte 8, the header's CRC-32 at 12.
    assert struct.unpack_from("<I", data, 12)[0] == zlib.crc32(data[:12])
    struct.pack_into("<H", data, 8, 9)
    struct.pack_into("<I", data, 12, zlib.crc32(data[:12]))
    trace.write_bytes(data)
    with pytest.raises(threadmodel.NewerVersionError, match=r"9\.\d") as caught:
        threadmodel.open(trace)
    assert "\n" not in str(caught.value)
