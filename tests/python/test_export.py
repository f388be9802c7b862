# SPDX-License-Identifier: Apache-2.0
"""Files for other tools, read back by those tools' own schemas and programs."""

import json
import shutil
import subprocess
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

import runs
import threadmodel
from conftest import Cli
from schema import unknown
from threadmodel import Event, EventKind

perfetto = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")

MS = runs.MS
FULL = Path("/dev/full")
BEGIN, END, INSTANT = 1, 2, 3
STATES = ("blocked", "waiting", "reentering", "joining", "parked")


def with_context(model: threadmodel.Model) -> threadmodel.Model:
    """The model with context, and a handoff between two threads, as well."""
    kind = EventKind
    model.ingest(
        [
            Event(210 * MS, runs.WORKER, kind.CONTENDED_ENTER, runs.ACCOUNT_OBJECT),
            Event(
                215 * MS,
                runs.WORKER,
                kind.CONTENDED_ENTERED,
                runs.ACCOUNT_OBJECT,
                runs.WRITER,
                flags=4,
            ),
            Event(216 * MS, 0, kind.GC_PAUSE, value=3 * MS),
            Event(217 * MS, runs.MAIN, kind.CPU_SAMPLE, stack=1),
        ]
    )
    return model


def decode(path: Path) -> Any:
    trace = perfetto.Trace()
    trace.ParseFromString(path.read_bytes())
    return trace


def tracks(trace: Any) -> dict[int, str]:
    return {
        packet.track_descriptor.uuid: packet.track_descriptor.name
        for packet in trace.packet
        if packet.HasField("track_descriptor")
    }


def slices(trace: Any) -> dict[int, list[tuple[int, int, str]]]:
    """Return slices by track; each end must have a begin, and each begin an end."""
    open_: dict[int, tuple[int, str]] = {}
    found: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for packet in trace.packet:
        event = packet.track_event
        if not packet.HasField("track_event") or event.type == INSTANT:
            continue
        if event.type == BEGIN:
            assert event.track_uuid not in open_
            open_[event.track_uuid] = packet.timestamp, event.name
        else:
            start, name = open_.pop(event.track_uuid)
            found[event.track_uuid].append((start, packet.timestamp, name))
    assert not open_
    return found


def check_perfetto(model: threadmodel.Model, path: Path) -> None:
    model.export(path, "perfetto")
    trace = decode(path)
    # Fields that are not in the schema would be listed here.
    assert not unknown(trace)
    names = tracks(trace)
    found = slices(trace)
    assert set(found) <= set(names)
    expected: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    shift = min(
        [0]
        + [row["start_ns"] for row in model.timeline()]
        + [row["time_ns"] for row in model.interactions()]
        + [row["start_ns"] for row in model.context()]
    )
    for row in model.timeline():
        if row["state"] != "dead":
            name = row["thread"] or f"#{row['thread_id']}"
            expected[name].append(
                (row["start_ns"] - shift, row["end_ns"] - shift, row["state"])
            )
    by_name: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for track, own in found.items():
        if names[track] not in ("critical path", "pauses"):
            by_name[names[track]] += own
    assert {n: sorted(own) for n, own in by_name.items()} == {
        n: sorted(own) for n, own in expected.items()
    }
    (path_track,) = [uuid for uuid, name in names.items() if name == "critical path"]
    segments = [row["end_ns"] - row["start_ns"] for row in model.critical_path()]
    assert [end - start for start, end, _ in found[path_track]] == segments
    begun, ended = Counter[int](), Counter[int]()
    for packet in trace.packet:
        begun.update(packet.track_event.flow_ids)
        ended.update(packet.track_event.terminating_flow_ids)
    woke = [
        row
        for row in model.interactions()
        if row["effect"] == "woke" and row["from_thread_id"] and row["to_thread_id"]
    ]
    assert begun == ended
    assert set(begun.values()) <= {1}
    assert len(begun) == len([r for r in woke if r["woken_ns"] >= r["time_ns"]])


def lines_of(path: Path) -> list[str]:
    """The lines of a file, which only line feeds end."""
    return path.read_bytes().decode().split("\n")[:-1]


@pytest.fixture(params=["context", "hostile", "empty"])
def any_model(
    request: pytest.FixtureRequest,
    model: threadmodel.Model,
    hostile: threadmodel.Model,
) -> threadmodel.Model:
    if request.param == "empty":
        return threadmodel.Model()
    return with_context(model) if request.param == "context" else hostile


def test_perfetto_has_states_flows_and_path(
    any_model: threadmodel.Model, tmp_path: Path
) -> None:
    check_perfetto(any_model, tmp_path / "run.pftrace")


def test_perfetto_tracks_hang_on_one_process(
    model: threadmodel.Model, tmp_path: Path
) -> None:
    path = tmp_path / "run.pftrace"
    with_context(model).export(path, "perfetto")
    descriptors = [
        packet.track_descriptor
        for packet in decode(path).packet
        if packet.HasField("track_descriptor")
    ]
    (process,) = [each for each in descriptors if each.HasField("process")]
    assert process.process.pid == 4711
    assert process.process.process_name == "demo.Main"
    assert {each.parent_uuid for each in descriptors if each != process} == {
        process.uuid
    }
    assert len({each.uuid for each in descriptors}) == len(descriptors)


def test_chrome_is_json_with_matched_flows(
    any_model: threadmodel.Model, tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    any_model.export(path, "chrome")
    trace = json.loads(path.read_text(encoding="utf-8"))
    events = trace["traceEvents"]
    by_phase = defaultdict(list)
    for event in events:
        by_phase[event["ph"]].append(event)
    assert set(by_phase) <= {"M", "X", "s", "f", "i"}
    named = {
        event["tid"]: event["args"]["name"]
        for event in by_phase["M"]
        if event["name"] == "thread_name"
    }
    for event in by_phase["X"]:
        assert event["ts"] >= 0
        assert event["dur"] >= 0
        assert event["tid"] in named
    starts = {event["id"]: event for event in by_phase["s"]}
    ends = {event["id"]: event for event in by_phase["f"]}
    assert len(starts) == len(by_phase["s"])
    assert starts.keys() == ends.keys()
    for number, start in starts.items():
        assert start["ts"] <= ends[number]["ts"]
        assert (start["name"], start["cat"]) == (
            ends[number]["name"],
            ends[number]["cat"],
        )
        assert ends[number]["bp"] == "e"
    states = Counter(
        (named[event["tid"]], event["name"])
        for event in by_phase["X"]
        if event["cat"] == "state"
    )
    assert states == Counter(
        (row["thread"] or f"#{row['thread_id']}", row["state"])
        for row in any_model.timeline()
        if row["state"] != "dead"
    )


def test_collapsed_stacks_sum_up_to_the_statistics(
    any_model: threadmodel.Model, tmp_path: Path
) -> None:
    path = tmp_path / "run.collapsed"
    any_model.export(path, "collapsed")
    totals: Counter[str] = Counter()
    for line in lines_of(path):
        stack, _, total = line.rpartition(" ")
        totals[stack.rpartition(";")[2].partition(" ")[0]] += int(total)
    (row,) = list(any_model.total()) or [{}]
    for state in STATES:
        assert totals[state] == row.get(f"{state}_total_ns", 0)
        any_model.export(path, "collapsed", state)
        lines = lines_of(path)
        assert sum(int(line.rpartition(" ")[2]) for line in lines) == totals[state]


def test_collapsed_stacks_begin_at_the_outermost_frame(
    model: threadmodel.Model, tmp_path: Path
) -> None:
    path = tmp_path / "run.collapsed"
    model.export(path, "collapsed", "blocked")
    lines = lines_of(path)
    assert (
        "java.lang.Thread.run;demo.Account.transfer;blocked demo.Account 16000000"
        in lines
    )


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
def test_dot_parses_the_graphs(any_model: threadmodel.Model, tmp_path: Path) -> None:
    path = tmp_path / "run.dot"
    any_model.export(path, "dot")
    done = subprocess.run(["dot", "-Tdot_json", path], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    graph = json.loads(done.stdout)
    edges = graph.get("edges", [])
    objects = graph.get("objects", [])
    waits = [
        (objects[edge["tail"]]["name"], objects[edge["head"]]["name"])
        for edge in edges
        if objects[edge["tail"]]["name"].startswith("t")
    ]
    assert sorted(waits) == sorted(
        (f"t{row['thread_id']}", f"t{row['peer_id']}")
        for row in any_model.timeline()
        if row["open"] and row["peer_id"] is not None
    )
    red = {edge["color"] for edge in edges if "color" in edge}
    assert red == ({"red"} if list(any_model.deadlocks()) else set())


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
def test_dot_takes_names_of_any_length_and_keeps_locks_apart(tmp_path: Path) -> None:
    kind = threadmodel.EventKind
    model = threadmodel.Model()
    for number in (1, 2):
        model.define_thread(number, '\u00e4\\"' * 20_000)
        model.define_class(number, "x" * 20_000 + str(number))
        model.define_object(number, number)
    model.ingest(
        [
            threadmodel.Event(1, 1, kind.CONTENDED_ENTER, object=1),
            threadmodel.Event(2, 1, kind.CONTENDED_ENTERED, object=1),
            threadmodel.Event(3, 1, kind.CONTENDED_ENTER, object=2, peer=2),
            threadmodel.Event(
                3, 1, kind.HELD, object=1, flags=threadmodel.EventFlag.PEER_REPORTED
            ),
        ]
    )
    assert len(model.lock_edges()) == 1
    path = tmp_path / "run.dot"
    model.export(path, "dot")
    done = subprocess.run(["dot", "-Tdot_json", path], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    graph = json.loads(done.stdout)
    names = [item["name"] for item in graph["objects"] if "nodes" not in item]
    assert len([name for name in names if name.startswith("l")]) == 2
    assert all(len(item.get("label", "")) < 2100 for item in graph["objects"])


@pytest.mark.parametrize(
    "format_", ["perfetto", "chrome", "collapsed", "dot", "pprof", "otlp"]
)
def test_a_full_disk_is_reported(model: threadmodel.Model, format_: str) -> None:
    if not FULL.exists():
        pytest.skip("no /dev/full")
    with pytest.raises(OSError, match="No space left on device"):
        model.export(FULL, format_)


def test_what_cannot_be_is_refused(model: threadmodel.Model, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no such format: 'svg'"):
        model.export(tmp_path / "x", "svg")
    with pytest.raises(ValueError, match="no such state"):
        model.export(tmp_path / "x", "dot", "blocked")
    with pytest.raises(ValueError, match="no such state"):
        model.export(tmp_path / "x", "collapsed", "asleep")
    with pytest.raises(OSError, match="No such file"):
        model.export(tmp_path / "none" / "x", "dot")


def test_collapsed_stacks_of_owners_sum_up_to_the_blame(
    any_model: threadmodel.Model, tmp_path: Path
) -> None:
    path = tmp_path / "owners.collapsed"
    any_model.export(path, "collapsed", side="owners")
    total = sum(int(line.rpartition(" ")[2]) for line in lines_of(path))
    assert total == sum(row["total_ns"] for row in any_model.blame("owner"))


def test_a_side_is_of_profiles_alone(model: threadmodel.Model, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no side"):
        model.export(tmp_path / "x", "otlp", side="owners")
    with pytest.raises(ValueError, match="no such side"):
        model.export(tmp_path / "x", "pprof", side="left")


def test_the_command_goes_by_names(cli: Cli, trace: Path, tmp_path: Path) -> None:
    for name, begins in (
        ("run.json", b'{"display'),
        ("run.gv", b"digraph"),
        ("run.folded", b"java.lang"),
    ):
        done = cli("export", trace, "-o", name)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert (tmp_path / name).read_bytes().startswith(begins)
    assert cli("export", trace, "-o", "run.pftrace").returncode == 0
    assert slices(decode(tmp_path / "run.pftrace"))
    done = cli("export", trace, "-o", "run.xyz")
    assert done.returncode == 2
    assert b"say which by --format" in done.stderr
    done = cli("export", trace, "-o", "run.dot", "--state", "blocked")
    assert done.returncode == 2
