# SPDX-License-Identifier: Apache-2.0
"""Limits that users set: processor time, memory, a file that stops a recording, and a
writer that is late. Losses are counted, and the program runs on."""

import array
import contextlib
import ctypes
import fcntl
import os
import select
import socket
import subprocess
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import threadmodel
from conftest import TIMEOUT_S, Java
from threadmodel import attach
from threadmodel.errors import AttachError

pytestmark = pytest.mark.every_release
PTRACE_CONT, PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 7, 17, 0x4206, 0x4207
WALL = 0x40000000
# A file stops a recording within 100 ms, or later on a busy machine.
STOPPED_NS = 100_000_000
BUSY_NS = 1_000_000_000


def caveat_with(model: threadmodel.Model, words: str) -> str:
    (sentence,) = (caveat for caveat in model.caveats if words in caveat)
    return sentence


def number_before(sentence: str, words: str) -> int:
    return int(sentence.split(words)[0].split()[-1].replace(",", ""))


@pytest.mark.one_release
def test_a_storm_loses_stacks_and_events_to_its_budget(java: Java):
    """``./dev bench agent --test-args budget`` measures the cost."""
    model = java.record("Storm", 1_000_000, options="budget=1%").model
    assert model.damage is None
    said = caveat_with(model, "To keep to 1 % of the processor time")
    assert number_before(said, " events were left out") > 0
    assert "no stacks were taken in" in said


def test_what_a_budget_leaves_out_is_counted(java: Java):
    count = 3_000_000
    run = java.record(
        "Flood", count, "waited", options="budget=10%,depth=0,buffer=4096"
    )
    notifies = sum(run.interactions(effect="useless", from_thread="flood").values())
    lost = run.odd().get("lost_by_producer", 0)
    assert lost > 0
    assert count <= notifies + lost <= count + 100
    assert notifies > 0


def test_a_budget_that_is_never_used_up_leaves_nothing_out(java: Java):
    run = java.record("Blocks", 20, options="budget=50%")
    assert not [caveat for caveat in run.model.caveats if "To keep to" in caveat]
    assert run.one("locks", **{"class": "Blocks$Gate"})["blocked_count"] == 20
    assert run.odd() == {}


def test_threads_beyond_the_memory_are_counted_and_what_they_lose(java: Java):
    run = java.record("Crowded", 400, options="memory=16")
    said = caveat_with(run.model, "To keep to 16 MiB")
    assert number_before(said, " threads no events") > 0
    blocks = sum(row["blocked_count"] for row in run.rows("locks"))
    lost = run.odd()["lost_by_producer"]
    assert 0 < blocks < 400
    assert lost >= 2 * (400 - blocks)


def start(java: Java, options: str, program: str = "Mapped") -> subprocess.Popen[str]:
    process = subprocess.Popen(
        java.command(program, java.folder / "own", agent=options),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=java.folder,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ringing\n"
    return process


def end(process: subprocess.Popen[str]) -> str:
    _, errors = process.communicate("\n\n", timeout=TIMEOUT_S)
    assert process.returncode == 0, errors
    return errors


def last_notify_ns(trace: Path) -> int:
    """Return the time of the last notify, on the clock of the machine."""
    model = threadmodel.open(trace)
    notifies = [
        row["time_ns"] for row in model.interactions() if "notify" in row["kind"]
    ]
    return model.run.start_ns + max(notifies, default=0)


def test_a_file_stops_the_recording_at_once(java: Java):
    trace, stop = java.folder / "run.tmt", java.folder / "stop"
    rings = trace.with_name("run.tmt.rings")
    process = start(java, f"file={trace},stop_file={stop}")
    assert rings.exists()
    stop.touch()
    touched_ns = time.monotonic_ns()
    while rings.exists():
        assert process.poll() is None
        time.sleep(0.01)
    waited_ms = (time.monotonic_ns() - touched_ns) / 1e6
    print(f"{java.jdk}: stopped within {waited_ms:.0f} ms")
    errors = end(process)
    assert f"since there was a file {stop}." in errors
    model = threadmodel.open(trace)
    assert model.damage is None
    caveat_with(model, f"since there was a file {stop}.")
    # The program goes on to ring, and nothing of that is recorded.
    assert last_notify_ns(trace) <= touched_ns + STOPPED_NS + BUSY_NS


class Pipe:
    """A named pipe, which is not read until it is drained."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(self.end, fcntl.F_SETPIPE_SZ, 4096)

    def waiting(self) -> int:
        """The number of bytes in it."""
        count = array.array("i", [0])
        fcntl.ioctl(self.end, termios.FIONREAD, count)
        return count[0]

    def await_full(self) -> None:
        """Wait until nothing arrives for twelve rounds of the writer."""
        before, since = -1, time.monotonic()
        deadline = since + TIMEOUT_S
        while not before or time.monotonic() < since + 0.6:
            assert time.monotonic() < deadline
            if before != (before := self.waiting()):
                since = time.monotonic()
            time.sleep(0.02)

    def drain(self, path: Path) -> None:
        """Read it to its end, into a file."""
        os.set_blocking(self.end, True)
        with path.open("wb") as out:
            while piece := os.read(self.end, 1 << 16):
                out.write(piece)
        os.close(self.end)


def errors_until(process: subprocess.Popen[str], words: str) -> str:
    """Return stderr up to these words; ten seconds are more than enough."""
    assert process.stderr is not None
    file, errors = process.stderr.fileno(), ""
    while words not in errors:
        assert select.select([file], [], [], 10)[0], errors
        errors += os.read(file, 1 << 12).decode()
    return errors


def last_event_ns(trace: Path) -> int:
    """Return the time of a relay's last event, on the clock of the machine."""
    model = threadmodel.open(trace)
    assert model.damage is None
    times = [row["end_ns"] for row in model.threads() if row["end_ns"] is not None]
    return model.run.start_ns + max(times)


@pytest.mark.one_release
def test_a_file_stops_it_while_nobody_reads(java: Java):
    pipe = Pipe(java.folder / "pipe")
    trace, stop = java.folder / "run.tmt", java.folder / "stop"
    process = start(java, f"file={java.folder / 'pipe'},stop_file={stop}", "Relay")
    pipe.await_full()
    stop.touch()
    touched_ns = time.monotonic_ns()
    errors_until(process, f"since there was a file {stop}.\n")
    # The relay goes on, and there is still room for it in the rings.
    time.sleep((STOPPED_NS + BUSY_NS) / 1e9 + 0.4)
    pipe.drain(trace)
    assert end(process) == ""
    caveat_with(threadmodel.open(trace), f"since there was a file {stop}.")
    assert last_event_ns(trace) <= touched_ns + STOPPED_NS + BUSY_NS


@pytest.mark.one_release
def test_where_nobody_reads_the_stopped_one_is_abandoned(java: Java):
    pipe = Pipe(java.folder / "pipe")
    stop = java.folder / "stop"
    process = start(java, f"file={java.folder / 'pipe'},stop_file={stop}", "Relay")
    pipe.await_full()
    stop.touch()
    errors = errors_until(process, "from here on the program is not recorded\n")
    assert f"since there was a file {stop}." in errors
    assert "nobody reads" in errors
    assert end(process) == ""
    os.close(pipe.end)


@pytest.mark.one_release
def test_control_stops_it_while_nobody_reads(java: Java):
    pipe = Pipe(java.folder / "pipe")
    trace = java.folder / "run.tmt"
    process = start(java, f"file={java.folder / 'pipe'}", "Relay")
    attach.dump(process.pid)  # From then on the JVM listens.
    pipe.await_full()
    answers: list[str] = []

    def ask() -> None:
        try:
            answers.append(attach.control(process.pid, "stop"))
        except AttachError as failure:
            answers.append(str(failure))
            process.kill()  # Otherwise the pipe would have no end.

    asked = threading.Thread(target=ask)
    asked_ns = time.monotonic_ns()
    asked.start()
    time.sleep((STOPPED_NS + BUSY_NS) / 1e9 + 0.4)
    pipe.drain(trace)
    asked.join()
    assert answers == [f"{java.folder / 'pipe'} is complete"]
    end(process)
    assert last_event_ns(trace) <= asked_ns + STOPPED_NS + BUSY_NS


@contextlib.contextmanager
def deaf_listener() -> Iterator[int]:
    """A port at which connecting hangs, since earlier connections are not accepted."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(
            socket.create_server(("127.0.0.1", 0), backlog=0)
        )
        port = listener.getsockname()[1]
        for _ in range(4):
            peer = stack.enter_context(socket.socket())
            peer.setblocking(False)
            peer.connect_ex(("127.0.0.1", port))
        yield port


@pytest.mark.one_release
def test_a_file_stops_it_while_the_agent_connects(java: Java):
    trace, stop = java.folder / "run.tmt", java.folder / "stop"
    stop.touch()
    with deaf_listener() as port:
        process = start(
            java, f"file={trace},net=127.0.0.1:{port},stop_file={stop}", "Relay"
        )
        errors = errors_until(process, f"the trace goes on in {trace}\n")
        assert f"since there was a file {stop}." in errors
        assert end(process) == ""
    model = threadmodel.open(trace)
    caveat_with(model, f"since there was a file {stop}.")
    # To give up connecting takes two seconds.
    assert model.run.end_ns - model.run.start_ns <= STOPPED_NS + BUSY_NS


def test_where_the_file_is_there_nothing_is_recorded(java: Java):
    (java.folder / "stop").touch()
    run = java.record("Blocks", 20, options=f"stop_file={java.folder}/stop")
    assert run.rows("locks", **{"class": "Blocks$Gate"}) == []
    caveat_with(run.model, "since there was a file")


def writer_of(process: subprocess.Popen[str]) -> int:
    """The number of the thread in Linux. It names itself when it first runs, which may
    be seconds after it was started on a machine with other work."""
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        for task in Path(f"/proc/{process.pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if (task / "comm").read_text().startswith("threadmodel wri"):
                    return int(task.name)
        time.sleep(0.01)
    raise ProcessLookupError("no writer")


def ptrace(request: int, thread: int) -> int:
    return ctypes.CDLL(None).ptrace(
        ctypes.c_long(request), ctypes.c_long(thread), None, None
    )


def stop_where_it_sleeps(process: subprocess.Popen[str], thread: int) -> None:
    """Stopped inside the VM it would stop all threads at the next safepoint, and none
    would see that it is late."""
    called = Path(f"/proc/{process.pid}/task/{thread}/syscall")
    while True:
        assert ptrace(PTRACE_INTERRUPT, thread) == 0
        os.waitpid(thread, WALL)
        if called.read_text().split()[0] not in ("running", "-1"):
            return
        assert ptrace(PTRACE_CONT, thread) == 0


def hang_writer(process: subprocess.Popen[str], seconds: float) -> int:
    """Keep the writer from running for this time. Returns the start of it."""
    thread = writer_of(process)
    if ptrace(PTRACE_SEIZE, thread) != 0:
        process.kill()
        process.wait()
        pytest.skip("a thread of another process cannot be stopped here")
    began_ns = time.monotonic_ns()
    stop_where_it_sleeps(process, thread)
    time.sleep(seconds)
    assert ptrace(PTRACE_DETACH, thread) == 0
    time.sleep(0.5)
    return began_ns


@pytest.mark.one_release
def test_a_writer_that_hangs_ends_the_recording_and_not_the_program(java: Java):
    trace = java.folder / "run.tmt"
    process = start(java, f"file={trace}")
    # Four threads share two processors, so each makes less progress.
    began_ns = hang_writer(process, 11)
    errors = end(process)
    assert "since the agent's writer had not come by for 2 s." in errors
    model = threadmodel.open(trace)
    assert model.damage is None
    caveat_with(model, "the agent's writer had not come by")
    # Its last round may be up to 50 ms before.
    assert 1_900_000_000 <= model.run.end_ns - began_ns <= 10_500_000_000


@pytest.mark.one_release
def test_it_does_where_no_thread_lives_for_a_second(java: Java):
    """None of them knows how long it would have waited for a processor."""
    trace = java.folder / "run.tmt"
    process = start(java, f"file={trace},buffer=64", "Relay")
    began_ns = hang_writer(process, 14)
    errors = end(process)
    assert "since the agent's writer had not come by for 2 s." in errors
    model = threadmodel.open(trace)
    assert model.damage is None
    caveat_with(model, "the agent's writer had not come by")
    assert 9_900_000_000 <= model.run.end_ns - began_ns <= 13_000_000_000


@pytest.mark.one_release
def test_a_process_that_was_stopped_goes_on_being_recorded(java: Java):
    trace = java.folder / "run.tmt"
    process = start(java, f"file={trace}")
    process.send_signal(19)
    time.sleep(3)
    process.send_signal(18)
    time.sleep(1)
    goes_on_ns = time.monotonic_ns()
    time.sleep(0.3)
    errors = end(process)
    assert "had not come by" not in errors
    assert last_notify_ns(trace) > goes_on_ns
