# SPDX-License-Identifier: Apache-2.0
"""Many agents that send to one collector: files it keeps, and peers it refuses."""

import contextlib
import errno
import fcntl
import functools
import json
import os
import resource
import signal
import socket
import sys
import termios
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from collected import files, until
from conftest import Cli, one_line
from test_listen import connect, listening
from threadmodel import Event, EventKind, fleet
from threadmodel.cli.collector import (
    DamagedStreamError,
    Recording,
    Rules,
    folder_name,
    host_of,
)
from threadmodel.cli.peers import PAUSE_S, Peers
from threadmodel.cli.segments import Spool
from threadmodel.run import Run

collecting = functools.partial(listening, command="collect")
WALL_NS = 1_700_000_000_000_000_000


def long_run(path: Path, blocks: int = 20) -> bytes:
    """A recording whose names are all in its first block."""
    with threadmodel.Writer(path) as writer:
        writer.define_run(
            Run(producer="test", pid=4711, start_wall_ns=WALL_NS, start_ns=1000)
        )
        writer.define_class(1, "demo.Lock")
        writer.define_object(9, 1)
        for thread in (1, 2):
            writer.define_thread(thread, f"worker-{thread}")
        for block in range(blocks):
            at = 1000 + block * 1000
            writer.ingest(
                [
                    Event(at, 2, EventKind.CONTENDED_ENTER, 9, peer=1),
                    Event(at + 100, 2, EventKind.CONTENDED_ENTERED, 9),
                ]
            )
            writer.flush()
    return path.read_bytes()


def blocked(path: Path) -> int:
    row = next(iter(threadmodel.open(path).total()))
    return int(row["blocked_count"])


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(str(tmp_path / "runs"), tmp_path / "spool")


def record(spool: Spool, rules: Rules = Rules()) -> Recording:  # noqa: B008
    return Recording(spool, "host", 4711, rules, threading.Event())


def test_agents_at_once_have_a_file_each(trace: Path, tmp_path: Path) -> None:
    whole = trace.read_bytes()
    with collecting("127.0.0.1:0", "--folder", "runs", folder=tmp_path) as (
        process,
        at,
    ):
        with contextlib.ExitStack() as stack:
            peers = [stack.enter_context(connect(at)) for _ in range(10)]
            for start in range(0, len(whole), 200):
                for peer in peers:
                    peer.sendall(whole[start : start + 200])
        found = until(lambda: len(files(tmp_path / "runs")) == 10) and files(
            tmp_path / "runs"
        )
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert {path.parent.name for path in found} == {"127.0.0.1"}
    assert all(path.read_bytes() == whole for path in found)
    assert not list((tmp_path / "runs.spool").rglob("*.raw"))


def test_as_many_begin_at_once_as_there_may_be_agents(
    trace: Path, tmp_path: Path
) -> None:
    whole = trace.read_bytes()
    with collecting("127.0.0.1:0", "--folder", "runs", folder=tmp_path) as (
        process,
        at,
    ):
        with contextlib.ExitStack() as stack:
            peers = [stack.enter_context(connect(at)) for _ in range(40)]
            for part in (whole[:30], whole[30:]):
                for peer in peers:
                    peer.sendall(part)
        until(lambda: len(files(tmp_path / "runs")) == 40)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr


def test_a_long_recording_is_in_files_that_are_read_alone(
    spool: Spool, tmp_path: Path
) -> None:
    whole = long_run(tmp_path / "long.tmt")
    recording = record(spool, Rules(file_bytes=len(whole) // 4))
    for at in range(0, len(whole), 37):
        recording.take(whole[at : at + 37])
    recording.close()
    assert spool.close() == 0
    found = files(tmp_path / "runs")
    assert len(found) > 3
    assert sum(map(blocked, found)) == 20
    before = 0
    for path in found:
        model = threadmodel.open(path)
        assert model.damage is None
        assert {row["class"] for row in model.locks()} == {"demo.Lock"}
        names = {row["name"] for row in model.threads()}
        assert names == {"worker-1", "worker-2"}
        # By its own clock it begins where the one before it ended.
        assert model.run.start_wall_ns - WALL_NS == model.run.start_ns - 1000
        assert model.run.start_ns > before
        before = model.run.start_ns
        assert model.length_ns < 20_000 / 2


def test_a_new_file_begins_with_the_hour(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_700_002_799.0]  # The last second of an hour.
    monkeypatch.setattr("time.time", lambda: now[0])
    whole = long_run(tmp_path / "long.tmt")
    recording = record(spool)
    recording.take(whole[: len(whole) // 2])
    now[0] += 1.0
    recording.take(whole[len(whole) // 2 :])
    recording.close()
    spool.close()
    first, second = files(tmp_path / "runs")
    assert first.name.startswith("20231114T22-4711-")
    assert second.name.startswith("20231114T23-4711-")
    assert blocked(first) + blocked(second) == 20


def test_what_a_killed_collector_had_is_delivered_by_the_next(
    spool: Spool, tmp_path: Path
) -> None:
    whole = long_run(tmp_path / "long.tmt")
    short = record(spool)
    short.take(whole[: len(whole) // 2])
    rotated = record(spool, Rules(file_bytes=len(whole) // 4))
    rotated.take(whole[: len(whole) * 3 // 4])
    # Killed between two deliveries: files are not closed, and the lock is released.
    kept = tmp_path / "spool"
    until(lambda: len(list(kept.rglob("*.raw"))) == 2 and not list(kept.rglob("*.tmt")))
    spool._lock.close()
    after = Spool(str(tmp_path / "runs"), tmp_path / "spool")
    after.close()
    found = files(tmp_path / "runs")
    assert not list(kept.rglob("*.raw"))
    (cut,) = (path for path in found if whole.startswith(path.read_bytes()))
    parts = [path for path in found if path != cut]
    assert len(parts) > 1
    with pytest.warns(threadmodel.errors.DamagedTraceWarning):
        assert 5 < blocked(cut) < 15
    assert 10 < sum(map(blocked, parts)) < 20


def test_two_collectors_do_not_share_a_spool(spool: Spool, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="another collector"):
        Spool(str(tmp_path / "other"), tmp_path / "spool")
    spool.close()


def test_a_stream_that_is_no_trace_any_more_is_ended(
    spool: Spool, tmp_path: Path
) -> None:
    whole = bytearray(long_run(tmp_path / "long.tmt"))
    half = whole.index(b"\xb1TB\x01", len(whole) // 2)
    whole[half + 6] ^= 1
    recording = record(spool)
    with pytest.raises(DamagedStreamError):
        recording.take(whole)
    recording.close()
    spool.close()
    with pytest.warns(threadmodel.errors.DamagedTraceWarning):
        assert blocked(files(tmp_path / "runs")[0]) == 19
    more = record(Spool(str(tmp_path / "more"), tmp_path / "more.spool"))
    with pytest.raises(DamagedStreamError):
        more.take(long_run(tmp_path / "long.tmt") + b"and no end" * 10)


def test_a_full_disk_is_waited_for(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = [2]

    class Full:
        def __init__(self, file: Any) -> None:
            self._file = file

        def write(self, data: memoryview) -> int:
            if refused[0]:
                refused[0] -= 1
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return int(self._file.write(data[:100]))

        def __getattr__(self, name: str) -> Any:
            return getattr(self._file, name)

    create = spool.create
    monkeypatch.setattr(spool, "create", lambda *where: Full(create(*where)))
    monkeypatch.setattr(threading.Event, "wait", lambda *_: False)
    whole = long_run(tmp_path / "long.tmt")
    recording = record(spool)
    recording.take(whole)
    recording.close()
    monkeypatch.undo()
    spool.close()
    assert refused == [0]
    assert files(tmp_path / "runs")[0].read_bytes() == whole


def test_a_store_that_refuses_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("threadmodel.cli.segments.RETRY_S", 0.05)
    spool = Spool("memory://runs", tmp_path / "spool")
    put = spool._system.put_file
    refused = [3]

    def refuse(*args: Any) -> None:
        if refused[0]:
            refused[0] -= 1
            raise PermissionError("not now")
        put(*args)

    monkeypatch.setattr(spool._system, "put_file", refuse)
    recording = record(spool)
    recording.take(long_run(tmp_path / "long.tmt"))
    recording.close()
    (found,) = until(lambda: spool._system.glob("/runs/host/*.tmt"))
    assert spool.close() == 0
    assert spool._system.cat_file(found) == (tmp_path / "long.tmt").read_bytes()
    assert capsys.readouterr().err.count("not now") == 1


def test_an_agent_too_many_is_sent_away(tmp_path: Path) -> None:
    whole = long_run(tmp_path / "long.tmt")
    with collecting(
        "127.0.0.1:0", "--folder", "runs", "--agents-of-host", "1", folder=tmp_path
    ) as (process, at):
        with connect(at) as first, connect(at) as second:
            first.sendall(whole[:-300])
            until(lambda: list((tmp_path / "runs.spool").rglob("*.raw")))
            second.sendall(whole)
            second.settimeout(30)
            with contextlib.suppress(ConnectionError):
                assert second.recv(1) == b""
            first.sendall(whole[-300:])
        (found,) = until(lambda: files(tmp_path / "runs"))
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
    assert "an agent was sent away: there are 1 agents of 127.0.0.1" in stderr
    assert found.read_bytes() == whole


def unacknowledged(peer: socket.socket) -> int:
    """Return the number of bytes that the peer's system has not acknowledged."""
    answer = fcntl.ioctl(peer, termios.TIOCOUTQ, bytes(4))
    return int.from_bytes(answer, sys.byteorder)


def test_what_was_acknowledged_before_the_end_is_kept(tmp_path: Path) -> None:
    whole = long_run(tmp_path / "long.tmt", blocks=2000)
    with (
        collecting(
            "127.0.0.1:0", "--folder", "runs", "--kib-per-second", "1", folder=tmp_path
        ) as (process, at),
        connect(at) as peer,
    ):
        peer.sendall(whole)
        until(lambda: list((tmp_path / "runs.spool").rglob("*.raw")))
        until(lambda: unacknowledged(peer) == 0)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    (found,) = files(tmp_path / "runs")
    assert found.read_bytes() == whole


def test_a_collector_without_descriptors_waits_and_goes_on() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        peers = Peers(listener, None)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        with socket.create_connection(listener.getsockname()):
            lowest = os.dup(0)
            os.close(lowest)
            resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
            try:
                used, began = time.process_time(), time.monotonic()
                for _ in range(5):
                    peers._accept()
                used = time.process_time() - used
                took = time.monotonic() - began
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            assert peers._peers == []
            assert took >= 5 * PAUSE_S
            assert used < took / 2
            peers._accept()
            assert len(peers._peers) == 1
        peers.close()


def test_an_agent_is_closed_where_nobody_collects(trace: Path, tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
    with collecting(
        "127.0.0.1:0", "--forward", f"127.0.0.1:{port}", folder=tmp_path
    ) as (process, at):
        with connect(at) as peer:
            peer.sendall(trace.read_bytes())
            peer.settimeout(30)
            with contextlib.suppress(ConnectionError):
                assert peer.recv(1) == b""
        assert process.stderr is not None
        said = process.stderr.readline()
    assert "Connection refused: an agent was closed" in said


def test_options_that_do_not_go_together_are_refused(cli: Cli, tmp_path: Path) -> None:
    runs = ("--folder", str(tmp_path / "runs"))
    for options in (
        (*runs, "--output", str(tmp_path / "one.tmt")),
        (*runs, "--forward", "127.0.0.1:1"),
        ("--spool", str(tmp_path / "spool")),
        ("--file-minutes", "60"),
        ("--kib-per-second", "9", "--forward", "127.0.0.1:1"),
        ("--folder", "memory://runs"),
    ):
        done = cli("collect", "127.0.0.1:0", *options)
        assert done.returncode == 2, done.stderr
        one_line(done.stderr)


def test_a_host_is_a_name_for_a_folder_whatever_it_calls_itself() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert host_of(ours) == "local"
    for name in ("../../etc/\0x", "..", ".", "-rf", "", "a" * 300, "caf\u00e9/"):
        folder = folder_name(name)
        assert 0 < len(folder) <= 64
        assert folder[0] not in ".-"
        assert not set("/\0") & set(folder)


def test_what_is_collected_is_what_a_fleet_is_made_from(
    spool: Spool, tmp_path: Path
) -> None:
    whole = long_run(tmp_path / "long.tmt")
    recording = record(spool, Rules(file_bytes=len(whole) // 3))
    recording.take(whole)
    recording.close()
    spool.close()
    results = [fleet.summarize_url(str(path)) for path in files(tmp_path / "runs")]
    assert len(results) > 1
    assert not any(result.error for result in results)
    facts = [json.loads(result.facts) for result in results]
    assert {fact["pid"] for fact in facts} == {4711}
    assert fleet.labels_of(results[0].url, "{host}/*.tmt") == {"host": "host"}
