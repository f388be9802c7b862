# SPDX-License-Identifier: Apache-2.0
"""Traces that an agent sends to a listener that receives them, disconnects, or does not
exist; and files that cannot grow."""

import resource
import socket
import stat
import subprocess
import threading
from pathlib import Path

import pytest

import threadmodel
from conftest import Java
from test_life import lines_of_agent


class Peer:
    """Accepts one connection, and receives so many bytes of it; -1: all."""

    def __init__(self, listener: socket.socket, most: int = -1) -> None:
        self.listener = listener
        self.most = most
        self.received = b""
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        peer, _ = self.listener.accept()
        with peer:
            while self.most < 0 or len(self.received) < self.most:
                data = peer.recv(65536)
                if not data:
                    break
                self.received += data


@pytest.fixture
def listener(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as made:
        made.settimeout(60)
        yield made


def address(listener: socket.socket) -> str:
    return f"127.0.0.1:{listener.getsockname()[1]}"


def test_what_is_sent_is_a_whole_trace(java: Java, listener: socket.socket):
    peer = Peer(listener)
    done = java.run(java.command("Blocks", 3, agent=f"net={address(listener)}"))
    peer.thread.join()
    assert done.stderr == ""
    assert not list(java.folder.glob("*.tmt"))
    trace = java.folder / "received.tmt"
    trace.write_bytes(peer.received)
    model = threadmodel.open(trace)
    assert model.damage is None
    assert sum(row["blocked_count"] for row in model.locks()) > 0


def test_file_and_listener_get_the_same_bytes(java: Java, tmp_path: Path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        peer = Peer(listener)
        agent = f"net=unix:{tmp_path / 's'},file=run.tmt"
        done = java.run(java.command("Blocks", 3, agent=agent))
        peer.thread.join()
    assert done.returncode == 0
    assert (java.folder / "run.tmt").read_bytes() == peer.received


@pytest.mark.parametrize(
    ("net", "why"),
    [
        ("unix:/nowhere/s", "No such file"),
        ("unix:" + "s" * 200, "107 bytes"),
        ("no-such-host.invalid:7", "not known"),
    ],
)
def test_listener_that_is_not_there_costs_one_line(java: Java, net: str, why: str):
    done = java.run(java.command("Blocks", 2, agent=f"net={net}"))
    assert done.returncode == 0
    assert "most_ns=" in done.stdout
    (line,) = lines_of_agent(done.stderr)
    assert net in line
    if "invalid" not in net:  # systems word a failed name lookup differently
        assert why in line


def test_refused_port_costs_one_line_and_the_file_is_written(
    java: Java, listener: socket.socket
):
    at = address(listener)
    listener.close()
    done = java.run(java.command("Blocks", 2, agent=f"net={at},file=run.tmt"))
    (line,) = lines_of_agent(done.stderr)
    assert "refused" in line
    assert "goes on in run.tmt" in line
    assert threadmodel.open(java.folder / "run.tmt").damage is None


def test_listener_that_goes_away_in_mid_block_ends_the_recording_alone(
    java: Java, listener: socket.socket
):
    peer = Peer(listener, most=100)
    done = java.run(java.command("Busy", 1500, agent=f"net={address(listener)}"))
    peer.thread.join()
    assert done.returncode == 0
    (line,) = lines_of_agent(done.stderr)
    assert "listener has gone" in line


def test_listener_that_takes_nothing_keeps_nobody_waiting(
    java: Java, listener: socket.socket
):
    # Nothing accepts: the kernel buffers as much as it has room for.
    done = java.run(
        java.command(
            "Flood", 3_000_000, "waited", agent=f"net={address(listener)},depth=0"
        )
    )
    assert done.returncode == 0
    assert len(lines_of_agent(done.stderr)) <= 1


@pytest.mark.parametrize("what", ["folder", "read-only", "pipe"])
def test_file_that_cannot_be_written_costs_one_line(java: Java, what: str):
    path = java.folder / "run.tmt"
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        subprocess.run(["mkfifo", path], check=True)
    else:
        path = Path("/proc/run.tmt")
    done = java.run(java.command("Blocks", 2, agent=f"file={path}"))
    assert done.returncode == 0
    assert "most_ns=" in done.stdout
    (line,) = lines_of_agent(done.stderr)
    assert str(path) in line
    assert "is not recorded" in line


def test_the_token_comes_before_the_trace(java: Java, listener: socket.socket):
    token = java.folder / "token"
    token.touch(0o600)
    token.write_text("correct-horse-battery\n")
    peer = Peer(listener)
    to = f"net={address(listener)},token={token}"
    done = java.run(java.command("Blocks", 2, agent=to))
    peer.thread.join()
    assert done.returncode == 0
    assert peer.received.startswith(b"threadmodel correct-horse-battery\n\xb1TMT")


def test_a_token_that_others_can_read_is_refused(java: Java, listener: socket.socket):
    token = java.folder / "token"
    token.write_text("correct-horse-battery")
    token.chmod(0o644)
    peer = Peer(listener)
    to = f"net={address(listener)},token={token}"
    done = java.run(java.command("Blocks", 2, agent=to))
    peer.thread.join()
    assert done.returncode == 0
    (line,) = lines_of_agent(done.stderr)
    assert "chmod 600" in line
    assert peer.received == b""


def test_a_trace_is_its_owners_alone_and_replaces_what_is_read(java: Java):
    path = java.folder / "run.tmt"
    path.write_text("old")
    path.chmod(0o666)
    with path.open() as reader:
        assert java.run(java.command("Blocks", 2, agent=f"file={path}")).returncode == 0
        assert reader.read() == "old"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert threadmodel.open(path).event_count > 0


def test_a_trace_is_not_written_through_a_link(java: Java):
    held = java.folder / "held"
    held.write_text("kept")
    path = java.folder / "run.tmt"
    path.symlink_to(held)
    done = java.run(java.command("Blocks", 2, agent=f"file={path}"))
    assert done.returncode == 0
    (line,) = lines_of_agent(done.stderr)
    assert "is a symbolic link" in line
    assert held.read_text() == "kept"


def test_file_that_is_there_stays_if_that_is_asked_for(java: Java):
    path = java.folder / "run.tmt"
    path.write_text("mine")
    done = java.run(java.command("Blocks", 2, agent=f"file={path},force=n"))
    assert done.returncode == 0
    (line,) = lines_of_agent(done.stderr)
    assert "force=n" in line
    assert path.read_text() == "mine"


def test_file_of_limited_size_ends_the_recording_and_leaves_what_is_whole(java: Java):
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))

    path = java.folder / "run.tmt"
    done = subprocess.run(
        java.command("Busy", 1000, agent=f"file={path}"),
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=limit,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = lines_of_agent(done.stderr)
    about_trace = [line for line in lines if f"{path}: File too large" in line]
    assert len(about_trace) == 1
    assert path.stat().st_size <= 2_000
    with pytest.warns(threadmodel.DamagedTraceWarning):
        assert threadmodel.open(path).run.pid > 0
