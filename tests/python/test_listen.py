# SPDX-License-Identifier: Apache-2.0
"""A trace that arrives in pieces over a socket."""

import contextlib
import fcntl
import os
import pty
import signal
import socket
import stat
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Cli, one_line
from started import started
from test_source import write_blocks
from threadmodel.cli.peers import PATIENCE_S, Peer


def two_thirds(path: Path) -> bytes:
    whole = path.read_bytes()
    return whole[: len(whole) * 2 // 3]


@contextlib.contextmanager
def listening(
    *arguments: str, folder: Path, skip_lines: int = 0, command: str = "listen"
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A listener, and the address that it prints after other lines."""
    with subprocess.Popen(
        [sys.executable, "-m", "threadmodel", command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        assert process.stderr is not None
        for _ in range(skip_lines):
            process.stderr.readline()
        line = process.stderr.readline()
        assert "listening on " in line, line + process.stderr.read()
        try:
            yield process, line.rpartition(" on ")[2].strip()
        finally:
            process.kill()


def connect(address: str) -> socket.socket:
    if address.startswith("unix:"):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(address.removeprefix("unix:"))
        return peer
    host, _, port = address.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)))


@pytest.mark.parametrize("address", ["127.0.0.1:0", ":0", "unix:here"])
def test_what_is_sent_is_kept_and_reported(
    trace: Path, tmp_path: Path, address: str
) -> None:
    with listening(address, "-o", "kept.tmt", folder=tmp_path) as (process, at):
        if address.startswith("unix:"):
            at = f"unix:{tmp_path / 'here'}"
        with connect(at) as peer:
            peer.sendall(trace.read_bytes())
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert "trace in kept.tmt" in stderr
    assert (tmp_path / "kept.tmt").read_bytes() == trace.read_bytes()
    assert "demo.Fork" in stdout
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize(
    ("called_as", "command"),
    [(None, "python -m threadmodel"), ("./dev run", "./dev run")],
)
def test_the_hint_at_the_end_can_be_typed(
    trace: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    called_as: str | None,
    command: str,
) -> None:
    monkeypatch.delenv("THREADMODEL_CALLED_AS", raising=False)
    if called_as:
        monkeypatch.setenv("THREADMODEL_CALLED_AS", called_as)
    with listening("127.0.0.1:0", "-o", "kept.tmt", folder=tmp_path) as (process, at):
        with connect(at) as peer:
            peer.sendall(trace.read_bytes())
        _, stderr = process.communicate(timeout=60)
    assert f"see it with: {command} report kept.tmt\n" in stderr


def first_block_end(whole: bytes) -> int:
    """Return where the first block of a trace ends."""
    return 16 + 40 + int.from_bytes(whole[20:24], "little")


def test_reports_come_while_the_trace_does(trace: Path, tmp_path: Path) -> None:
    with listening("127.0.0.1:0", "--every", "0.1", folder=tmp_path) as (process, at):
        with connect(at) as peer:
            whole = trace.read_bytes()
            half = first_block_end(whole)
            peer.sendall(whole[:half])
            assert process.stdout is not None
            # The trace continues until the listener is ended.
            lines = (line for line in process.stdout if line.startswith("after "))
            assert next(lines).strip().endswith("events")
            assert next(lines)
            peer.sendall(whole[half:])
        process.communicate(timeout=60)
    assert process.returncode == 0


def test_in_a_terminal_the_live_screen_is_drawn(trace: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    address = tmp_path / "here"
    command = [sys.executable, "-m", "threadmodel", "listen", f"unix:{address}"]
    with started(
        [*command, "--every", "0.1"],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(theirs)
        deadline = time.monotonic() + 60
        while not address.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        with connect(f"unix:{address}") as peer:
            whole = trace.read_bytes()
            peer.sendall(whole[: first_block_end(whole)])
            shown = b""
            while b"Threads" not in shown and time.monotonic() < deadline:
                shown += os.read(ours, 1 << 16)
        # The screen is that of `top`.
        assert b"Locks, the last" in shown or b"no thread queued for a lock" in shown
        assert b"q quit" in shown
        with contextlib.suppress(OSError):
            while os.read(ours, 1 << 16):
                pass
    os.close(ours)
    assert process.returncode in (0, 3)


def test_peer_that_goes_in_mid_block_leaves_what_is_whole(tmp_path: Path) -> None:
    whole = tmp_path / "whole.tmt"
    write_blocks(whole)
    with listening("127.0.0.1:0", folder=tmp_path) as (process, at):
        with connect(at) as peer:
            peer.sendall(two_thirds(whole))
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "only partly received" in stderr


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100])
def test_who_sends_no_trace_is_not_listened_to(
    trace: Path, tmp_path: Path, sent: bytes
) -> None:
    with listening("127.0.0.1:0", folder=tmp_path) as (process, at):
        with connect(at) as stranger:
            stranger.sendall(sent)
        with connect(at) as peer:
            peer.sendall(trace.read_bytes())
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert "demo.Fork" in stdout
    assert len(stderr.splitlines()) == (1 if sent else 0)


def test_a_silent_peer_keeps_nobody_else_waiting(trace: Path, tmp_path: Path) -> None:
    whole = trace.read_bytes()
    with (
        listening("127.0.0.1:0", folder=tmp_path) as (process, at),
        contextlib.ExitStack() as stack,
    ):
        for sent in (b"", whole[:5], whole[:40], whole[:-300]):
            for _ in range(6):
                silent = stack.enter_context(connect(at))
                silent.sendall(sent[: first_block_end(whole) - 1])
        with connect(at) as peer:
            peer.sendall(whole)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert "demo.Fork" in stdout


def test_a_peer_that_sends_a_byte_at_a_time_has_one_deadline(
    trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = socket.socketpair()
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    with ours, theirs:
        ours.setblocking(False)
        peer = Peer(ours, None)
        for byte in trace.read_bytes()[:50]:
            theirs.send(bytes([byte]))
            now[0] += 1
            assert peer.hear() is None
    assert peer.deadline == 100.0 + PATIENCE_S


def test_headers_are_checked_and_nothing_is_lost_to_a_false_one(
    trace: Path, tmp_path: Path
) -> None:
    whole = trace.read_bytes()
    (tmp_path / "kept.tmt").write_bytes(b"an older one")
    with listening("127.0.0.1:0", "-o", "kept.tmt", folder=tmp_path) as (process, at):
        # The magic alone; each header damaged; the block damaged; an empty block.
        for place in (9, 14, 24, 52, 80):
            wrong = bytearray(whole)
            wrong[place] ^= 1
            with connect(at) as stranger:
                stranger.sendall(wrong)
                stranger.settimeout(30)
                with contextlib.suppress(ConnectionError):
                    assert stranger.recv(1) == b""
            assert (tmp_path / "kept.tmt").read_bytes() == b"an older one"
        with connect(at) as peer:
            peer.sendall(whole)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert stderr.count("still listening") == 5
    assert (tmp_path / "kept.tmt").read_bytes() == whole


def test_a_token_is_asked_for_before_the_trace(trace: Path, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.touch(0o600)
    token.write_text("correct-horse-battery\n")
    whole = trace.read_bytes()
    with listening("127.0.0.1:0", "--token-file", "token", folder=tmp_path) as (
        process,
        at,
    ):
        for wrong in (b"", b"threadmodel correct-horse-batterz\n", b"threadmodel \n"):
            with connect(at) as stranger:
                stranger.sendall(wrong + whole)
                stranger.settimeout(30)
                with contextlib.suppress(ConnectionError):
                    assert stranger.recv(1) == b""
        with connect(at) as peer:
            peer.sendall(b"threadmodel correct-horse-battery\n" + whole)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert stderr.count("did not have the token") == 3
    assert "demo.Fork" in stdout


def test_a_token_that_others_can_read_or_guess_is_refused(
    cli: Cli, tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text("correct-horse-battery")
    token.chmod(0o640)
    done = cli("listen", "127.0.0.1:0", "--token-file", token)
    assert done.returncode == 2
    assert "chmod 600" in one_line(done.stderr)
    token.chmod(0o600)
    token.write_text("short")
    done = cli("listen", "127.0.0.1:0", "--token-file", token)
    assert done.returncode == 2
    assert "16 to 256 bytes" in one_line(done.stderr)


def test_beyond_loopback_a_token_must_be_asked_for(cli: Cli) -> None:
    done = cli("listen", "0.0.0.0:0")
    assert done.returncode == 2
    assert "--token-file" in one_line(done.stderr)


def test_a_unix_socket_is_for_its_owner_alone(tmp_path: Path) -> None:
    with listening("unix:here", folder=tmp_path):
        assert stat.S_IMODE((tmp_path / "here").stat().st_mode) == 0o600


def test_an_output_that_cannot_be_is_refused_before_listening(
    cli: Cli, tmp_path: Path
) -> None:
    for output in (tmp_path, tmp_path / "none" / "run.tmt"):
        done = cli("listen", "127.0.0.1:0", "-o", output)
        assert done.returncode == 2
        assert str(tmp_path) in one_line(done.stderr)


def test_interrupt_ends_the_listening_with_a_report(
    trace: Path, tmp_path: Path
) -> None:
    with (
        listening("127.0.0.1:0", "--every", "0.1", folder=tmp_path) as (process, at),
        connect(at) as peer,
    ):
        whole = trace.read_bytes()
        peer.sendall(whole[: first_block_end(whole)])
        assert process.stdout is not None
        assert process.stdout.readline().startswith("after ")
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "demo.Fork" in stdout


@pytest.mark.parametrize("option", ["--folder", "--forward"])
def test_options_of_the_collector_name_its_command(cli: Cli, option: str) -> None:
    done = cli("listen", "127.0.0.1:0", option, "127.0.0.1:1")
    assert done.returncode == 2
    assert "threadmodel collect" in one_line(done.stderr)


def test_top_takes_an_agent_that_connects(trace: Path, tmp_path: Path) -> None:
    with (
        listening("127.0.0.1:0", folder=tmp_path, command="top") as (process, at),
        connect(at.rpartition("=")[2]) as peer,
    ):
        peer.sendall(trace.read_bytes())
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert "Locks" in stdout
    assert "Threads: " in stdout


@pytest.mark.parametrize(
    "address",
    ["nowhere", "127.0.0.1", "127.0.0.1:99999", "unix:/no/such/folder/s", "1.2.3.4:80"],
)
def test_addresses_that_cannot_be_listened_on_are_named(cli: Cli, address: str) -> None:
    done = cli("listen", address)
    assert done.returncode == 2
    assert address in one_line(done.stderr)


def test_socket_of_a_dead_listener_is_replaced_and_a_live_one_is_not(
    tmp_path: Path, cli: Cli
) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with listening(f"unix:{path}", folder=tmp_path):
        done = cli("listen", f"unix:{path}")
        assert done.returncode == 2
        assert "in use" in one_line(done.stderr)
