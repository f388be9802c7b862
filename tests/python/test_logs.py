# SPDX-License-Identifier: Apache-2.0
"""Logs of other tools: a run is written and read back with all data of the format."""

import random
from pathlib import Path
from xml.etree import ElementTree

import pytest

import runs
import threadmodel
from conftest import Cli
from threadmodel import (
    Event,
    EventFlag,
    EventKind,
    Frame,
    Policy,
    Run,
    Writer,
    WriterFormat,
)

FORMATS = {"run.orca": WriterFormat.CONTENTION, "run.xml": WriterFormat.TPTP}
ENDS = {
    EventKind.CONTENDED_ENTER: EventKind.CONTENDED_ENTERED,
    EventKind.WAIT: EventKind.WAITED,
    EventKind.SLEEP: EventKind.SLEPT,
    EventKind.JOIN: EventKind.JOINED,
    EventKind.NOTIFY: None,
    EventKind.NOTIFY_ALL: None,
}
RECORDED = Path(__file__).parents[1] / "data/traces/demo-version-1.tmt"
STATES = {"blocked", "waiting", "sleeping", "joining"}


def test_a_written_log_reports_what_the_run_reported(tmp_path: Path) -> None:
    log = tmp_path / "run.orca"
    with Writer(log, WriterFormat.CONTENTION) as writer:
        fill(writer)
        assert writer.dropped() == {"park": 1, "unparked": 1}
    assert log.read_text().splitlines() == [
        "ThreadStarted,1.000000000,0000002A,main, the first",
        "MonitorContendedEnter,2.500000000,0000002A,000000FF,00000001,"
        "1,00000007,00000003",
        "MonitorContendedEntered,3.000000001,0000002A,000000FF,0000002A,0",
        "ThreadJoinEnter,4.000000000,0000002A,00000001,0",
    ]
    assert (tmp_path / "run.classtable").read_text().splitlines() == [
        "Lshop/Box;,Box.java",
        "[[I,",
    ]
    assert (tmp_path / "run.method").read_text().splitlines() == [
        "00000007,put,(I)V,Lshop/Box;,2,00000000,10,00000003,12"
    ]


@pytest.mark.parametrize("format", FORMATS.values())
def test_what_needs_a_word_that_a_log_has_not_is_counted(
    tmp_path: Path, format: WriterFormat
) -> None:
    with Writer(tmp_path / "run.log", format) as writer:
        writer.ingest(
            [
                Event(1, 1, EventKind.CONTENDED_ENTERED, 7, flags=EventFlag.SHARED),
                Event(2, 1, EventKind.WAIT, 7, flags=EventFlag.NOT_OWNED),
                Event(3, 1, EventKind.ACQUIRED, 7),
                Event(4, 1, EventKind.POST, 8),
            ]
        )
        assert writer.dropped() == {
            "contended_entered": 1,
            "wait": 1,
            "acquired": 1,
            "post": 1,
        }


def test_a_written_xml_reports_what_the_run_reported(tmp_path: Path) -> None:
    log = tmp_path / "run.xml"
    with Writer(log, WriterFormat.TPTP, time_unit_ns=1000) as writer:
        fill(writer)
        assert writer.dropped() == {"park": 1, "unparked": 1}
    root = ElementTree.parse(log).getroot()
    assert root.tag == "TRACE"
    found = [(item.tag, item.attrib) for item in root]
    assert found == [
        ("classDef", {"classId": "5", "name": "shop.Box", "sourceName": "Box.java"}),
        ("classDef", {"classId": "6", "name": "int[][]"}),
        ("objDef", {"objId": "300", "classIdRef": "5"}),
        (
            "threadStart",
            {
                "threadId": "1",
                "time": "1000000.000000000",
                "objIdRef": "77",
                "threadName": "main, the first",
                "groupName": 'g<&">\n',
            },
        ),
        (
            "monContendedEnter",
            {
                "threadIdRef": "1",
                "time": "2500000.000000000",
                "objIdRef": "300",
                "threadOwner": "2",
            },
        ),
        (
            "monContendedEntered",
            {"threadIdRef": "1", "time": "3000000.001000000", "objIdRef": "300"},
        ),
        (
            "monWait",
            {
                "threadIdRef": "1",
                "time": "4000000.000000000",
                "objIdRef": str(2**60 + 1),
                "timeout": "2",
            },
        ),
    ]


def fill(sink: threadmodel.Sink) -> None:
    sink.define_class(5, "shop.Box", "Box.java")
    sink.define_class(6, "int[][]")
    sink.define_method(7, 5, "put", "(I)V", [(0, 10), (3, 12)])
    sink.define_stack(1, [Frame(7, 3)])
    sink.define_object(77, hash=0x2A)
    sink.define_object(300, 5, hash=0xFF)
    sink.define_thread(1, "main, the first", 'g<&">\n', object=77)
    second = 1_000_000_000
    sink.ingest(
        [
            Event(second, 1, EventKind.THREAD_START),
            Event(
                2 * second + second // 2,
                1,
                EventKind.CONTENDED_ENTER,
                object=300,
                peer=2,
                stack=1,
            ),
            Event(3 * second + 1, 1, EventKind.CONTENDED_ENTERED, object=300),
            Event(3 * second + 2, 1, EventKind.PARK),
            Event(3 * second + 3, 1, EventKind.UNPARKED),
            Event(4 * second, 1, EventKind.JOIN, peer=2, value=1_500_000),
        ]
    )


def fill_orderly(sink: threadmodel.Sink, seed: int) -> None:
    """Emit a run of six threads that do one thing after another, at random."""
    rng, kind = random.Random(seed), EventKind
    for number, name in enumerate(("app.A", "app.B[]"), 1):
        sink.define_class(number, name, "A.java")
        sink.define_method(number, number, "run", "()V", [(0, 5 * number)])
        sink.define_stack(number, [Frame(number, 3), Frame(3 - number, -1)])
        sink.define_object(100 + number, number, hash=0x7000 + number)
    events = []
    for thread in range(1, 7):
        sink.define_object(10 + thread, hash=0x500 + thread, thread=thread)
        sink.define_thread(thread, f"t,{thread}", "group", object=10 + thread)
        time_ns = rng.randint(10, 1000)
        events.append(Event(thread, thread, kind.THREAD_START))
        for _ in range(40):
            began = rng.choice(list(ENDS))
            peer = rng.randint(1, 6) if began == kind.JOIN else 0
            lock = 0 if began in (kind.SLEEP, kind.JOIN) else rng.randint(101, 102)
            flags = EventFlag.PEER_REPORTED if peer else EventFlag(0)
            if peer == thread:
                continue
            for what in (began, ENDS[began]):
                time_ns += rng.randint(1, 500)
                # A notify ends nothing; each is one event.
                if what:
                    events.append(
                        Event(time_ns, thread, what, lock, peer, flags=flags, stack=1)
                    )
        events.append(Event(time_ns + 1, thread, kind.THREAD_END))
    sink.ingest(sorted(events))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("seed", range(10))
def test_a_log_that_was_read_is_written_the_same_again(
    tmp_path: Path, name: str, seed: int
) -> None:
    first, second = tmp_path / "a" / name, tmp_path / "b" / name
    first.parent.mkdir()
    second.parent.mkdir()
    with Writer(first, FORMATS[name]) as writer:
        fill_orderly(writer, seed)
    with Writer(second, FORMATS[name]) as writer:
        assert threadmodel.read(first, writer) is None
        assert not writer.dropped()
    there, here = first.read_text().splitlines(), second.read_text().splitlines()
    assert len(there) > 100
    # Objects are defined when an event first names them.
    assert sorted(there) == sorted(here)
    assert [line for line in there if "objDef" not in line] == [
        line for line in here if "objDef" not in line
    ]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("seed", range(10))
def test_what_each_thread_did_comes_back_from_a_log(
    tmp_path: Path, name: str, seed: int
) -> None:
    whole = threadmodel.Model()
    # The format, not the run, decides the rule by which a wait is bound.
    if FORMATS[name] == WriterFormat.TPTP:
        whole.define_run(Run(policy=Policy.TPTP))
    fill_orderly(whole, seed)
    with Writer(tmp_path / name, FORMATS[name]) as writer:
        fill_orderly(writer, seed)
    read = threadmodel.open(tmp_path / name)
    assert read.damage is None
    assert spans(read) == spans(whole)
    assert {state for *_, state in spans(read)} >= STATES


def spans(model: threadmodel.Model) -> list[tuple[str, int, int, str]]:
    """List what each thread did, from the first event on."""
    found = [
        (row["thread"], row["start_ns"], row["end_ns"], row["state"])
        for row in model.timeline()
        if row["state"] != "new"
    ]
    first = min(start for _, start, *_ in found)
    return sorted(
        (name, start - first, end - first, state) for name, start, end, state in found
    )


@pytest.mark.parametrize("name", FORMATS)
def test_convert_goes_both_ways_and_counts_what_is_lost(
    cli: Cli, trace: Path, tmp_path: Path, name: str
) -> None:
    log, back = tmp_path / name, tmp_path / "back.tmt"
    done = cli("convert", str(trace), "-o", str(log))
    assert done.returncode == 0
    done = cli("convert", str(log), "-o", str(back))
    assert done.returncode == 0, done.stderr
    there, here = threadmodel.open(trace), threadmodel.open(back)
    names = {row["name"] for row in there.threads() if row["start_ns"] is not None}
    assert names & {row["name"] for row in here.threads()}
    assert cli("report", str(log)).returncode == 0


@pytest.mark.parametrize("name", ["run.orca", "run.log"])
def test_what_is_converted_to_a_contention_log_has_its_classes_and_callers(
    cli: Cli, tmp_path: Path, name: str
) -> None:
    def blocked(path: Path) -> list[tuple[object, ...]]:
        columns = ("method", "source", "line", "blocked_count", "blocked_total_ns")
        rows = threadmodel.open(path).callers()
        return [
            tuple(row[column] for column in columns)
            for row in rows
            if row["blocked_count"]
        ]

    log = tmp_path / name
    done = cli("convert", RECORDED, "-o", log, "--to", "contention")
    assert done.returncode == 0, done.stderr
    assert blocked(log) == blocked(RECORDED)
    assert {row[0] for row in blocked(log)} == {
        "Demo$Account.transfer",
        "Demo$Till.charge",
    }
    names = {name, "run.classtable", "run.method"}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_a_dialect_and_a_unit_are_options_of_the_command_line(
    cli: Cli, tmp_path: Path
) -> None:
    log = tmp_path / "log.txt"
    log.write_text("1.0,Wait,0000000A,00000100\n3.0,Waited,0000000A,00000100\n")
    lines = "wait=time,Wait,thread,object;waited=time,Waited,thread,object"
    others = (
        "thread_start thread_end thread_start_called contended_enter contended_entered "
        "notify notify_all sleep slept join joined"
    )
    dialect = ";".join([lines, *(f"{kind}=" for kind in others.split())])
    done = cli("report", str(log), "--dialect", dialect)
    assert done.returncode == 0, done.stderr
    assert b"2.00 s" in done.stdout
    done = cli("report", str(log), "--dialect", "wait=Nothing")
    assert done.returncode == 2
    assert b'dialect: "wait=Nothing"' in done.stderr
    xml = tmp_path / "run.xml"
    xml.write_text(
        '<threadStart threadId="1" time="1000"/>'
        '<threadEnd threadIdRef="1" time="3500"/>'
    )
    done = cli("report", str(xml), "--time-unit", "ms")
    assert b"2.50 s" in done.stdout


def test_a_disk_that_is_full_is_reported() -> None:
    writer = Writer("/dev/full", WriterFormat.TPTP)
    runs.define(writer)
    with pytest.raises(threadmodel.InputOutputError, match="No space left"):
        writer.close()
