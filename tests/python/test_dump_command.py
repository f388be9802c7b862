# SPDX-License-Identifier: Apache-2.0
"""``threadmodel dump``: a JVM's text is cleaned on a terminal, and kept unchanged."""

import os
import pty
import re
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import one_line
from started import started
from threadmodel import attach, hotspot
from threadmodel.cli.dump import grouped

# The end of a dump whose thread has a name that moves the cursor, in invalid UTF-8.
DUMP = (
    b"2026-01-02 03:04:05\nFull thread dump OpenJDK 64-Bit Server VM:\n\n"
    b'"\x1b]0;own\x07\x1b[2J\xff\xe2\x80\xae\r" #1 prio=5 tid=0x1 nid=0x1 runnable\n'
    b"   java.lang.Thread.State: RUNNABLE\n\n"
)
UNKNOWN = b"No thread is known to be stuck in this dump: 1 runs."


@pytest.fixture
def jvm() -> Iterator[hotspot.Jvm]:
    """A socket that answers as a JVM does, with DUMP."""
    jvm = hotspot.Jvm(os.getpid(), 1 << 30 | os.getpid())
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(jvm.socket))
        listener.listen()

        def serve() -> None:
            while True:
                try:
                    peer = listener.accept()[0]
                except OSError:
                    return
                with peer:
                    if peer.recv(1 << 16):
                        peer.sendall(b"0\n" + DUMP)

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        try:
            yield jvm
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            server.join()
            os.unlink(jvm.socket)


def test_what_a_jvm_sends_is_returned_to_the_byte(
    jvm: hotspot.Jvm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hotspot, "find", lambda pid: jvm)
    assert attach.dump(1).encode("utf-8", "surrogateescape") == DUMP


def dump(*words: str | Path) -> list[str]:
    """Return a command line that dumps a JVM whose answer is DUMP."""
    program = (
        "import sys, threadmodel.attach, threadmodel.hotspot\n"
        f"text = {DUMP!r}.decode('utf-8', 'surrogateescape')\n"
        "threadmodel.attach.dump = lambda pid, virtual: text\n"
        "threadmodel.hotspot.is_jvm = lambda pid: True\n"
        "from threadmodel.cli import main\n"
        "main()\n"
    )
    return [sys.executable, "-c", program, "dump", "1", *map(str, words)]


def test_a_dump_in_a_file_is_what_the_jvm_wrote(tmp_path: Path) -> None:
    subprocess.run(dump("-o", tmp_path / "dump"), check=True)
    assert (tmp_path / "dump").read_bytes() == DUMP
    done = subprocess.run(dump(), stdout=subprocess.PIPE, check=True)
    assert done.stdout.startswith(DUMP + b"\n")
    assert b"\n" + UNKNOWN in done.stdout[len(DUMP) :]
    assert b"Examined: 1 thread in 1 thread dump" in done.stdout


def test_a_dump_in_a_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        subprocess.run(dump("-o", path), check=True, umask=0o022)
        assert reader.read() == b"old"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes() == DUMP
    assert list(tmp_path.iterdir()) == [path]


def test_a_dump_is_written_through_no_link(tmp_path: Path) -> None:
    held = tmp_path / "held"
    held.write_bytes(b"kept")
    link = tmp_path / "link"
    link.symlink_to(held)
    done = subprocess.run(dump("-o", link), capture_output=True)
    assert done.returncode == 2
    assert "is a symbolic link: name the file itself" in one_line(done.stderr)
    assert held.read_bytes() == b"kept"


def test_a_dump_can_be_thrown_away() -> None:
    done = subprocess.run(dump("-o", "/dev/null"), capture_output=True, check=True)
    assert done.stdout.lstrip().startswith(UNKNOWN)


def test_a_terminal_gets_no_control_characters() -> None:
    ours, theirs = pty.openpty()
    with started(dump(), stdout=theirs) as done:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:
                break
            if not part:
                break
            shown += part
    os.close(ours)
    assert done.returncode == 0
    assert b'"\\x1b]0;own\\x07\\x1b[2J\\udcff\\u202e\\x0d" #1' in shown
    # Only our own text is bold.
    plain = re.sub(rb"\x1b\[[0-9;]*m", b"", shown)
    assert not set(plain) & (set(range(32)) - {10, 13})
    assert UNKNOWN in plain


def a_thread(name: str, stack: str) -> str:
    return f'"{name}" #1 prio=5\n   java.lang.Thread.State: BLOCKED\n{stack}'


WAITS = "\tat app.Till.charge(Till.java:39)\n\t- waiting to lock <0x{}>"
RUNS = "\tat app.Main.run(Main.java:7)"
BARE = '"VM Thread" os_prio=0 runnable'


def test_threads_with_equal_stacks_are_shown_together() -> None:
    threads = [
        a_thread("a", WAITS.format("07")),
        a_thread("b", RUNS),
        a_thread("c", WAITS.format("07")),
        BARE,
        BARE,
    ]
    found = grouped("\n\n".join(["Full thread dump", *threads])).split("\n\n")
    group = [
        "2 threads with the same stack:",
        '"a" #1 prio=5',
        '"c" #1 prio=5',
        a_thread("a", WAITS.format("07")).partition("\n")[2],
    ]
    assert found == ["Full thread dump", "\n".join(group), threads[1], BARE, BARE]


def test_of_equal_stacks_with_different_locks_none_is_named() -> None:
    locks = [a_thread(name, WAITS.format(name)) for name in "abc"]
    (found,) = grouped("\n\n".join(locks)).split("\n\n")
    assert found.startswith("3 threads with the same stack:\n")
    assert "waiting to lock <...>" in found
    assert "<0x" not in found


def test_a_dump_without_equal_stacks_stays_as_it_is() -> None:
    text = "\n\n".join([a_thread("a", RUNS), a_thread("b", WAITS.format("1")), ""])
    assert grouped(text) == text
