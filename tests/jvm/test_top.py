# SPDX-License-Identifier: Apache-2.0
"""``threadmodel top`` of a running JVM: the planted lock, its owner, and keys."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from attached import PACKAGE, Program
from conftest import TIMEOUT_S, Java
from threadmodel import attach
from threadmodel.errors import AttachError

WIDTH, HEIGHT = 110, 24
SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture
def queue(java: Java) -> Program:
    """Threads that queue for one lock, whose owner sleeps while it holds it."""
    program = Program(java, "Queueing", 4)
    program.hear("ready")
    return program


def top(program: Program, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "threadmodel", "top", str(program.pid), *words],
        env={**os.environ, "PYTHONPATH": PACKAGE, "COLUMNS": str(WIDTH)},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def test_a_screen_shows_the_lock_its_owner_and_what_threads_do(queue: Program) -> None:
    done = top(queue, "-n", "2", "--every", "1")
    assert done.returncode == 0, done.stderr
    last = done.stdout.split("\n\nQueueing")[-1]
    lock = re.search(r"Queueing\$Till +Queueing\.pay:\d+ +(\d\.\d) ", last)
    assert lock is not None, last
    # Three of four queue, and one has it nearly all of the time.
    assert 1.5 <= float(lock[1]) <= 3
    assert "in Queueing.pay" in last
    assert len(re.findall(r"clerk-\d +(?:blocked|sleeping)", last)) == 4
    assert "Bound by Queueing$Till" in last
    # The recording is over, and the program goes on.
    assert queue.process.poll() is None
    queue.go_on()
    queue.end()


class Terminal:
    """A command in a terminal of its own."""

    def __init__(self, folder: Path, *command: str) -> None:
        """Start it."""
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(PYTHONPATH=PACKAGE, TERM="xterm")
            os.execv(command[0], command)
        size = struct.pack("HHHH", HEIGHT, WIDTH, 0, 0)
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, size)
        self.shown = ""

    def read(self) -> bool:
        """Read the output so far. False: the command has ended."""
        if select.select([self.file], [], [], 0.1)[0]:
            try:
                data = os.read(self.file, 1 << 16)
            except OSError:
                return False
            self.shown += data.decode(errors="replace")
        return True

    def until(self, wanted: str) -> str:
        """Return the screen that has a text."""
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            screen = SEQUENCE.sub("", self.shown.rsplit("\x1b[H", 1)[-1])
            if wanted in screen and screen.count("\n") > 3:
                return screen
            assert self.read(), screen
            assert time.monotonic() < deadline, screen

    def type(self, keys: str) -> None:
        os.write(self.file, keys.encode())


def test_keys_sort_filter_freeze_write_and_end(queue: Program, tmp_path: Path) -> None:
    command = (sys.executable, "-m", "threadmodel", "top", str(queue.pid))
    terminal = Terminal(tmp_path, *command, "--every", "0.3")
    terminal.until("Queueing.pay")
    terminal.until("q quit")
    terminal.type("s")
    terminal.until("by count")
    terminal.type("/")
    time.sleep(0.2)
    terminal.type("clerk-1\r")
    screen = terminal.until("only 'clerk-1'")
    assert "clerk-2" not in screen
    assert "no thread queued for a lock with 'clerk-1' in its name" in screen
    terminal.type("w")
    terminal.until("written: ")
    (page,) = tmp_path.glob("top-*.html")
    assert "Queueing$Till" in page.read_text()
    assert page.stat().st_mode & 0o077 == 0
    terminal.type("p")
    terminal.until("frozen")
    terminal.type("q")
    while terminal.read():
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1]) == 0
    assert "\x1b[?1049l" in terminal.shown
    queue.go_on()
    queue.end()


def test_a_signal_to_end_leaves_the_program_as_it_was(queue: Program, tmp_path: Path):
    command = (sys.executable, "-m", "threadmodel", "top", str(queue.pid))
    terminal = Terminal(tmp_path, *command, "--every", "0.3")
    terminal.until("Queueing.pay")
    os.kill(terminal.pid, signal.SIGTERM)
    while terminal.read():
        pass
    os.waitpid(terminal.pid, 0)
    with pytest.raises(AttachError, match="nothing is being"):
        attach.control(queue.pid, "dump")
    queue.go_on()
    queue.end()


def test_the_end_of_the_process_ends_it(queue: Program, tmp_path: Path) -> None:
    command = (sys.executable, "-m", "threadmodel", "top", str(queue.pid))
    terminal = Terminal(tmp_path, *command, "--every", "0.3")
    terminal.until("Queueing.pay")
    queue.go_on()
    queue.end()
    while terminal.read():
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1]) == 0
    assert f"process {queue.pid} has ended" in terminal.shown
