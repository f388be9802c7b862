# SPDX-License-Identifier: Apache-2.0
"""HPROF's two formats, written from any run and read back: sums are the same."""

import random
from collections import Counter
from pathlib import Path

import pytest

import hprof
import runs
import threadmodel
from conftest import Cli
from threadmodel import Event, EventKind, HprofWriter, Model, Sink, Writer

SAMPLES = {(runs.WORKER, 1): 3, (runs.WRITER, 1): 2, (runs.MAIN, 3): 1}


def fill(sink: Sink) -> None:
    """A run of contention, and samples of three threads."""
    runs.fill(sink)
    sink.ingest(
        [
            Event((110 + i) * runs.MS, thread, EventKind.CPU_SAMPLE, stack=stack)
            for i, (thread, stack) in enumerate(Counter(SAMPLES).elements())
        ]
    )


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "run.tmt"
    with Writer(path) as writer:
        fill(writer)
    return path


def blocked(model: Model) -> dict[str, tuple[int, int]]:
    """Return the number and the total time of blocks of each class."""
    return {
        row["class"]: (row["blocked_count"], row["blocked_total_ns"])
        for row in model.locks()
        if row["blocked_count"]
    }


def test_text_of_a_trace_has_the_sums_of_its_blocks(
    cli: Cli, trace: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run.hprof.txt"
    done = cli("convert", str(trace), "-o", str(path))
    assert (done.returncode, done.stderr) == (0, b"")
    original = threadmodel.open(trace)
    back = threadmodel.open(path)
    assert back.run.format == "hprof-text"
    was, now = blocked(original), blocked(back)
    assert was.keys() == now.keys()
    total = sum(ns for _, ns in was.values())
    assert sum(ns for _, ns in now.values()) == pytest.approx(total, abs=len(was) * 1e6)
    for name, (count, ns) in was.items():
        assert now[name][0] == count
        # Shares have two decimal places.
        assert now[name][1] == pytest.approx(ns, abs=0.0001 * total + 1e6)
    assert not any("million times" in caveat for caveat in back.caveats)
    names = {row["name"] for row in original.threads()}
    assert names <= {row["name"] for row in back.threads()}


def test_text_is_what_the_manual_of_hprof_reports(
    cli: Cli, trace: Path, tmp_path: Path
) -> None:
    path = tmp_path / "sums"
    done = cli("convert", str(trace), "-o", str(path), "--to", "hprof-text")
    assert done.returncode == 0, done.stderr
    text = hprof.read_text(path)
    assert path.read_text().startswith(
        "JAVA PROFILE 1.0.1, created Tue Nov 14 22:13:20 2023\n"
    )
    assert sum(row.count for row in text.samples) == sum(SAMPLES.values())
    rows = {row.name: row.count for row in text.monitors}
    assert rows == {"demo.Account (Java)": 3, "demo.Fork (Java)": 2}
    (trace_number,) = {
        row.trace for row in text.monitors if row.name == "demo.Account (Java)"
    }
    assert text.traces[trace_number] == [
        "demo.Account.transfer(Account.java:42)",
        "java.lang.Thread.run(Thread.java:Unknown line)",
    ]


def test_names_cannot_make_lines_of_their_own(tmp_path: Path) -> None:
    model = Model()
    runs.define(model)
    model.define_thread(99, "a\nTHREAD END (id = 200001)\r\nb", "g\th")
    path = tmp_path / "run.hprof.txt"
    model.export(path, "hprof")
    text = hprof.read_text(path)
    assert ("a THREAD END (id = 200001)  b", "g h") in text.threads.values()
    assert text.ended == []


def test_binary_of_a_trace_has_its_threads_and_samples(
    cli: Cli, trace: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run.hprof"
    done = cli("convert", str(trace), "-o", str(path))
    assert (done.returncode, done.stderr) == (0, b"")
    read = hprof.read_binary(path)
    names = {row["name"] for row in threadmodel.open(trace).threads()}
    assert {name for name, _ in read.threads.values()} == names
    assert read.start_ms == 1_700_000_000_000
    assert read.sample_total == sum(read.samples.values()) == sum(SAMPLES.values())
    back = threadmodel.open(path)
    assert back.run.format == "hprof"
    samples = Counter(
        (row["thread"], row["method"])
        for row in back.context()
        if row["kind"] == "cpu_sample"
    )
    assert samples == {
        ("worker", "demo.Account.transfer"): 3,
        ("writer", "demo.Account.transfer"): 2,
        ("main", "demo.Fork.eat"): 1,
    }


@pytest.mark.parametrize("name", ["run.hprof", "run.hprof.txt"])
def test_what_is_read_may_be_of_any_format(
    cli: Cli, trace: Path, tmp_path: Path, name: str
) -> None:
    log, direct, by_way = tmp_path / "run.xml", tmp_path / name, tmp_path / f"2{name}"
    assert cli("convert", str(trace), "-o", str(log)).returncode == 0
    done = cli("convert", str(log), "-o", str(by_way))
    assert done.returncode == 0, done.stderr
    assert cli("convert", str(trace), "-o", str(direct)).returncode == 0
    assert threadmodel.open(by_way).run.format == threadmodel.open(direct).run.format
    assert by_way.stat().st_size > 100


def test_a_cut_trace_yields_what_is_whole(
    cli: Cli, trace: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.tmt"
    cut.write_bytes(trace.read_bytes()[:-40])
    for name in ("run.hprof", "run.hprof.txt"):
        done = cli("convert", str(cut), "-o", str(tmp_path / name))
        assert done.returncode == 3, done.stderr
        assert threadmodel.open(tmp_path / name).threads()


def test_samples_add_up_whatever_their_stacks(tmp_path: Path) -> None:
    draw = random.Random(17)
    path = tmp_path / "run.hprof"
    drawn = [(draw.randrange(1, 4), draw.randrange(4)) for _ in range(5000)]
    with HprofWriter(path, by_thread=False) as writer:
        runs.define(writer)
        for i, (thread, stack) in enumerate(drawn):
            writer.ingest([Event(i, thread, EventKind.CPU_SAMPLE, stack=stack)])
    read = hprof.read_binary(path)
    assert read.sample_total == len(drawn)
    assert sum(read.samples.values()) == len(drawn)
    assert len(read.samples) == len({stack for _, stack in drawn})
    assert set(read.trace_threads.values()) == {0}


def test_what_was_there_stays_when_nothing_can_be_read(
    cli: Cli, trace: Path, tmp_path: Path
) -> None:
    before = trace.read_bytes()
    for source in (tmp_path / "gone.jfr", Path(__file__)):
        done = cli("convert", str(source), "-o", str(trace))
        assert done.returncode == 2
        assert trace.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [trace.name]
