# SPDX-License-Identifier: Apache-2.0
"""Recording JVMs that run already: what was going on comes first, and afterwards the
JVM is as it was."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from conftest import AGENT, FLAGS, TIMEOUT_S, Java, odd
from threadmodel import Ending, attach
from threadmodel.errors import AttachError, DamagedTraceWarning

PACKAGE = str(Path(threadmodel.__file__).parent.parent)
FULL = os.environ.get("TM_TEST_FULL") == "1"
MANY, CALLS = 1_500, 60
PATIENCE_S = 180
DOOR = "Attached$Door"
SYNC = "java.util.concurrent.locks.ReentrantLock$NonfairSync"
LONG_REQUESTS_SINCE = 24
# From this release on the VM reports what a virtual thread wants and holds.
SNAPSHOT_SINCE = 25
# Without it JDK 21 and later say on stderr what they think of agents.
QUIET = "-XX:+EnableDynamicAgentLoading"


class Program:
    """A program that runs until it is told to go on."""

    def __init__(self, java: Java, name: str, *arguments: object, **how: Any) -> None:
        flags = how.get("flags", (QUIET,))
        self.process = subprocess.Popen(
            [
                *how.get("inside", ()),
                java.jdk.tool("java"),
                *FLAGS,
                *flags,
                "-cp",
                str(java.classes),
                name,
                *map(str, arguments),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=java.folder,
            env={**os.environ, **how.get("environment", {})},
        )
        self.pid = self.process.pid

    def hear(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == f"{word}\n"

    def go_on(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self) -> str:
        """Let it end, as it must, and return what it said on stderr."""
        _, errors = self.process.communicate(timeout=TIMEOUT_S)
        assert self.process.returncode == 0, errors
        return errors


@contextmanager
def running(java: Java, name: str, *arguments: object, **how: Any) -> Iterator[Program]:
    program = Program(java, name, *arguments, **how)
    try:
        yield program
    finally:
        program.process.kill()
        program.process.communicate()


def rows(model: threadmodel.Model, table: str, **equal: Any) -> list[dict[str, Any]]:
    return [
        row
        for row in getattr(model, table)()
        if all(row[column] == value for column, value in equal.items())
    ]


def test_of_many_threads_each_is_asked(java: Java):
    """Their stacks are more than the ring that they go through has room for."""
    trace = java.folder / "run.tmt"
    with running(java, "ManyParked", MANY, CALLS) as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            deadline = time.monotonic() + PATIENCE_S
            parked = 0
            while parked < MANY and time.monotonic() < deadline:
                attach.control(program.pid, "dump")
                with pytest.warns(DamagedTraceWarning, match="going on"):
                    parked = len(parked_of(threadmodel.open(trace)))
        program.go_on()
        assert program.end() == ""
    model = threadmodel.open(trace)
    assert odd(model) == {}
    assert {row["method"] for row in parked_of(model)} == {"ManyParked.park"}
    assert len(parked_of(model)) == MANY


def test_a_recording_from_the_start_is_paused_and_resumed(java: Java):
    """What each thread is in then is asked, and each object keeps its number."""
    trace = java.folder / "run.tmt"
    agent = f"-agentpath:{AGENT}=file={trace},rings=none"
    with running(java, "Attached", flags=(QUIET, agent)) as program:
        program.hear("ready")
        attach.control(program.pid, "pause")
        attach.control(program.pid, "resume")
        program.go_on()
        program.hear("gone")
        program.go_on()
        program.end()
    model = threadmodel.open(trace)
    assert odd(model) == {}
    assert model.run.ending == Ending.UNKNOWN
    # A thread that begins or ends may queue for the lock of its group.
    of_door = {"class": DOOR}
    blocked = rows(model, "timeline", thread="blocked", state="blocked", **of_door)
    assert [row["peer"] for row in blocked] == ["holder"] * 2
    for thread, state in (("blocked", "blocked"), ("listener", "waiting")):
        seen = rows(model, "timeline", thread=thread, state=state, **of_door)
        assert len(seen) == 2
        assert len({row["object"] for row in seen}) == 1


def parked_of(model: threadmodel.Model) -> list[dict[str, Any]]:
    parked = rows(model, "timeline", state="parked")
    return [row for row in parked if row["thread"].startswith("many-")]


def test_what_every_thread_is_in_comes_first(java: Java):
    trace = java.folder / "run.tmt"
    with running(java, "Attached") as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            pass
        program.go_on()
        program.hear("gone")
        program.go_on()
        assert program.end() == ""
    model = threadmodel.open(trace)
    first = {}
    for row in model.timeline():
        first.setdefault(row["thread"], row)
    told = {
        name: (row["state"], row["class"], row["peer"], row["provenance"])
        for name, row in first.items()
        if name in {"holder", "blocked", "owner", "queued", "listener"}
        or name in {"parked", "worker", "joiner"}
    }
    assert told == {
        "holder": ("sleeping", None, None, "unknown"),
        "blocked": ("blocked", DOOR, "holder", "reported"),
        "owner": ("sleeping", None, None, "unknown"),
        "queued": ("parked", SYNC, "owner", "reported"),
        "listener": ("waiting", DOOR, None, "unknown"),
        "parked": ("parked", DOOR, None, "unknown"),
        "worker": ("running", None, None, "unknown"),
        "joiner": ("joining", "java.lang.Thread", "worker", "reported"),
    }
    assert {row["start_ns"] for row in model.threads() if row["name"] in told} == {None}
    assert odd(model) == {}
    assert any("mid-run" in caveat for caveat in model.caveats)


def test_what_was_going_on_at_the_attach_ends_when_it_ends(java: Java):
    trace = java.folder / "run.tmt"
    with running(java, "Attached") as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            program.go_on()
            program.hear("gone")
        program.go_on()
        assert program.end() == ""
    model = threadmodel.open(trace)
    assert odd(model) == {}
    states = {row["name"]: row["state"] for row in model.threads()}
    for name in ("holder", "blocked", "owner", "queued", "listener", "joiner"):
        assert states[name] == "dead"
    # At their ends threads of JDK 17 may block one another at their group.
    (blocked,) = (
        row
        for row in rows(model, "timeline", thread="blocked", state="blocked")
        if row["class"] == "Attached$Door"
    )
    (slept,) = rows(model, "timeline", thread="holder", state="sleeping")
    assert not blocked["open"]
    assert not slept["open"]
    assert rows(model, "interactions", kind="notify_all", to_thread="listener")


def test_attaching_again_and_again_changes_nothing(java: Java):
    times = 20 if FULL else 2
    with running(java, "Busy", 120_000) as program:
        program.hear("warm")
        for i in range(times):
            trace = java.folder / f"run{i}.tmt"
            with attach.record(program.pid, trace) as recording:
                # As long as it takes until all were blocked: flushed at each look.
                while not _all_blocked(trace, recording):
                    time.sleep(0.05)
            model = threadmodel.open(trace)
            assert model.damage is None
            assert odd(model) == {}
            names = {row["name"] for row in model.threads()}
            assert names >= {"main", *(f"busy-{n}" for n in range(4))}
            assert rows(model, "threads", name="main")[0]["state"] == "joining"
            with pytest.raises(AttachError, match="nothing is being recorded"):
                attach.control(program.pid, "dump")
        assert program.process.poll() is None


def _all_blocked(trace: Path, recording: attach.Recording) -> bool:
    attach.control(recording.jvm.pid, "dump")
    with pytest.warns(DamagedTraceWarning, match="going on"):
        model = threadmodel.open(trace)
    return all(
        row["blocked_count"] > 1
        for row in model.threads()
        if row["name"].startswith("busy-")
    )


def test_calls_in_compiled_code_are_counted_exactly_from_the_attach_on(java: Java):
    """The program makes them when it is told to, after it made as many unseen."""
    calls = 200_000
    trace = java.folder / "run.tmt"
    with running(java, "Repeated", calls) as program:
        program.hear("ready")
        with attach.record(program.pid, trace, options=["depth=0", "buffer=65536"]):
            program.go_on()
            program.hear("made")
        program.go_on()
        program.hear("over")
        assert program.end() == ""
    model = threadmodel.open(trace)
    assert odd(model) == {}
    made = [
        row["kind"]
        for row in model.interactions()
        if row["from_thread"] == "caller" and row["kind"] in ("unpark", "notify")
    ]
    assert made.count("unpark") == calls
    assert made.count("notify") == calls


def test_a_second_attach_is_refused_with_one_line(java: Java):
    with running(java, "Busy", 60_000) as program:
        program.hear("warm")
        first = java.folder / "first.tmt"
        with attach.record(program.pid, first):
            done = cli("attach", program.pid, "-o", java.folder / "second.tmt")
            assert done.returncode == 2
            (line,) = done.stderr.splitlines()
            assert f"being recorded already, to {first}" in line
        assert not (java.folder / "second.tmt").exists()
        assert threadmodel.open(first).damage is None


def test_recording_ends_by_itself_when_its_time_is_up(java: Java):
    trace = java.folder / "run.tmt"
    with running(java, "Busy", 60_000) as program:
        program.hear("warm")
        done = cli("attach", program.pid, "--for", "1s", "-o", trace)
        assert done.returncode == 0
        assert "report" in done.stderr.splitlines()[-1]
    model = threadmodel.open(trace)
    assert model.damage is None
    assert model.run.ending == Ending.WENT_ON


def test_a_recording_that_somebody_else_stops_is_over_at_once(java: Java):
    trace = java.folder / "run.tmt"
    with running(java, "Busy", 600_000) as program:
        program.hear("warm")
        words = ["attach", program.pid, "--for", "10m", "-o", trace]
        attached = subprocess.Popen(
            [sys.executable, "-m", "threadmodel", *map(str, words)],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": PACKAGE},
        )
        assert attached.stderr is not None
        assert "recording process" in attached.stderr.readline()
        assert attach.control(program.pid, "stop").endswith("is complete")
        # In ten minutes this would have been stopped for taking too long.
        said = attached.communicate(timeout=TIMEOUT_S)[1].splitlines()
        assert attached.returncode == 0
        assert "the recording was stopped by another command" in said[0]
    assert threadmodel.open(trace).damage is None


def test_a_paused_stretch_is_unknown_and_reported(java: Java):
    trace = java.folder / "run.tmt"
    with running(java, "Attached") as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            assert attach.control(program.pid, "pause").endswith("is paused")
            program.go_on()
            program.hear("gone")
            assert attach.control(program.pid, "resume").endswith("goes on")
        program.go_on()
        assert program.end() == ""
    model = threadmodel.open(trace)
    assert odd(model) == {}
    assert any("paused from" in caveat for caveat in model.caveats)
    for name in ("blocked", "listener", "worker", "main"):
        unknown = rows(model, "timeline", thread=name, state="unknown")
        assert len(unknown) == 1
    # They ended meanwhile, which nobody saw.
    assert rows(model, "threads", name="blocked")[0]["end_ns"] is None


def test_a_recording_from_the_start_is_controlled_too(java: Java):
    trace = java.folder / "run.tmt"
    flags = (QUIET, f"-agentpath:{AGENT}=file={trace}")
    with running(java, "Attached", flags=flags) as program:
        program.hear("ready")
        said = attach.control(program.pid, "dump")
        assert said == f"{trace} has all up to now"
        with pytest.warns(DamagedTraceWarning, match="going on"):
            model = threadmodel.open(trace)
        assert rows(model, "threads", name="blocked")[0]["state"] == "blocked"
        attach.control(program.pid, "stop")
        assert threadmodel.open(trace).damage is None
        second = java.folder / "second.tmt"
        with attach.record(program.pid, second):
            program.go_on()
            program.hear("gone")
        program.go_on()
        assert program.end() == ""
    assert odd(threadmodel.open(second)) == {}


# No owner is known of what waits for the end of a virtual thread that began to wait
# before the attach.
DEADLOCKS = [
    (kind, threads)
    for kind in ("monitors", "locks", "mixed", "join")
    for threads in ("platform", "virtual", "both")
    if (kind, threads) != ("join", "virtual")
]


@pytest.mark.parametrize(("kind", "threads"), DEADLOCKS)
def test_a_deadlock_that_was_there_is_reported(java: Java, kind: str, threads: str):
    if threads != "platform" and java.jdk.release < SNAPSHOT_SINCE:
        pytest.skip(
            f"JDK {java.jdk.release} tells nothing of virtual threads' monitors"
        )
    trace = java.folder / "run.tmt"
    with running(java, "Deadlocks", kind, threads, 60_000) as program:
        program.hear("stuck")
        with attach.record(program.pid, trace) as recording:
            lines: list[str] = []
            while not any("deadlock of 2 threads" in line for line in lines):
                assert program.process.poll() is None, "it ended, and nothing was told"
                lines += recording.notices()
                time.sleep(0.02)
    lines += recording.notices()
    # Of each monitor it is told where who has it took it.
    monitors = {"monitors": 2, "mixed": 1, "join": 1}.get(kind, 0)
    took = [i for i, line in enumerate(lines) if line.strip().startswith("- took ")]
    assert len(took) == monitors
    taking = {"monitors", "monitorThenLock", "joinHolding"}
    for i in took:
        assert any(f"at Deadlocks.{method}(" in lines[i - 1] for method in taking)
    model = threadmodel.open(trace)
    members = {(row["thread"], row["owner"]) for row in model.deadlocks()}
    assert members == {("one", "other"), ("other", "one")}


def cli(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "threadmodel", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        env={**os.environ, "PYTHONPATH": PACKAGE},
    )


def test_a_dump_shows_states_locks_and_deadlocks_and_loads_nothing(java: Java):
    with running(java, "Deadlocks", "mixed", "platform", 60_000, flags=()) as program:
        program.hear("stuck")
        done = cli("dump", program.pid)
        assert done.returncode == 0
        assert '"one"' in done.stdout
        assert "Full thread dump" in done.stdout
        assert "other wants Deadlocks$Left" in done.stdout
        kept = java.folder / "dump.txt"
        as_json = cli("dump", program.pid, "--json", "-o", kept)
        rows_ = json.loads(as_json.stdout)["deadlocks"]
        assert {(row["thread"], row["owner"]) for row in rows_} == {
            ("one", "other"),
            ("other", "one"),
        }
        assert len(threadmodel.open(kept).deadlocks()) == 2
        loaded = Path(f"/proc/{program.pid}/maps").read_text()
        assert "threadmodel" not in loaded


def test_a_dump_with_virtual_threads_shows_their_deadlock(java: Java):
    if java.jdk.release < SNAPSHOT_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no locks of virtual threads in a dump")
    with running(java, "Deadlocks", "monitors", "virtual", 60_000) as program:
        program.hear("stuck")
        done = cli("dump", program.pid, "--virtual")
        assert done.returncode == 0
        assert "one wants Deadlocks$Right" in done.stdout


def refused(pid: int, tmp_path: Path) -> str:
    done = cli("attach", pid, "-o", tmp_path / "refused.tmt")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("threadmodel: ")
    assert str(pid) in line
    assert not (tmp_path / "refused.tmt").exists()
    return line


def test_a_process_that_is_no_jvm_is_refused_and_runs_on(tmp_path: Path):
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        assert "no JVM" in refused(sleeper.pid, tmp_path)
        assert sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()
    assert "no process" in refused(sleeper.pid, tmp_path)


def test_a_process_of_somebody_else_is_refused(tmp_path: Path):
    if os.geteuid() != 0:
        assert "belongs to" in refused(1, tmp_path)
        return
    sleeper = subprocess.Popen(["sleep", "60"], user=65534)
    try:
        assert "belongs to" in refused(sleeper.pid, tmp_path)
    finally:
        sleeper.kill()
        sleeper.wait()


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ("-XX:+DisableAttachMechanism", "-XX:+DisableAttachMechanism"),
        ("-XX:-EnableDynamicAgentLoading", "-XX:-EnableDynamicAgentLoading"),
    ],
)
def test_a_jvm_that_takes_nobody_is_refused_and_runs_on(
    java: Java, flag: str, said: str
):
    with running(java, "Attached", flags=(flag,)) as program:
        program.hear("ready")
        assert said in refused(program.pid, java.folder)
        program.go_on()
        program.hear("gone")
        program.go_on()
        assert "threadmodel" not in program.end()


def test_a_jvm_without_signal_handlers_listens_from_the_start(java: Java):
    trace = java.folder / "run.tmt"
    with running(java, "Attached", flags=(QUIET, "-Xrs")) as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            pass
        program.go_on()
        program.hear("gone")
    assert rows(threadmodel.open(trace), "threads", name="queued")


def test_a_jvm_that_has_just_begun_is_waited_for(java: Java):
    trace = java.folder / "run.tmt"
    with (
        running(java, "Deadlocks", "locks", "platform", 60_000) as program,
        attach.record(program.pid, trace) as recording,
    ):
        while not any("deadlock of 2" in line for line in recording.notices()):
            assert program.process.poll() is None, "it ended, and nothing was told"
            time.sleep(0.02)
    assert threadmodel.open(trace).damage is None


def test_a_socket_that_another_jvm_of_the_same_number_left_is_no_hindrance(java: Java):
    trace = java.folder / "run.tmt"
    with running(java, "Attached") as program:
        program.hear("ready")
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(f"/tmp/.java_pid{program.pid}")
        with attach.record(program.pid, trace) as recording:
            recording.stop()
        program.go_on()
        program.hear("gone")
    assert threadmodel.open(trace).damage is None


def test_a_stopped_jvm_is_refused(java: Java):
    with running(java, "Attached") as program:
        program.hear("ready")
        os.kill(program.pid, signal.SIGSTOP)
        while "stopped" not in Path(f"/proc/{program.pid}/status").read_text():
            time.sleep(0.01)
        assert "stopped" in refused(program.pid, java.folder)
        os.kill(program.pid, signal.SIGCONT)
        program.go_on()
        program.hear("gone")


def test_a_path_of_any_length_is_accepted_by_jvms_that_can(java: Java):
    """Release 24 and later take requests of a second version."""
    folder = java.folder.joinpath(*["long" * 50] * 6)
    folder.mkdir(parents=True)
    trace = folder / "run.tmt"
    with running(java, "Attached") as program:
        program.hear("ready")
        if java.jdk.release >= LONG_REQUESTS_SINCE:
            with attach.record(program.pid, trace):
                pass
            assert rows(threadmodel.open(trace), "threads", name="queued")
        else:
            with pytest.raises(AttachError, match="no path of more than 1024 bytes"):
                attach.record(program.pid, trace)
        program.go_on()
        program.hear("gone")


def child_of(pid: int) -> int:
    """The process that this one became the parent of, when it has."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    while not children.read_text():
        time.sleep(0.01)
    return int(children.read_text().split()[0])


def test_a_jvm_in_a_container_is_reached_by_its_own_number_and_files(java: Java):
    """It is process 1 of a namespace of its own, and has a /tmp of its own."""
    unshare = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c")
    if subprocess.run([*unshare, "mount -t tmpfs tmpfs /tmp"], check=False).returncode:
        pytest.skip("this user may not make namespaces")
    inside = (
        *unshare,
        'mount --bind "$0" /mnt && mount -t tmpfs tmpfs /tmp && shift && exec "$@"',
    )
    where = Java(java.jdk, Path("/mnt"), java.folder)
    trace = java.folder / "run.tmt"
    with running(where, "Attached", inside=(*inside, java.classes, "-")) as outer:
        outer.hear("ready")
        pid = child_of(outer.pid)
        assert "queued" in cli("dump", pid).stdout
        with attach.record(pid, trace) as recording:
            assert recording.jvm.inner_pid == 1
            assert attach.control(pid, "dump").endswith("has all up to now")
        outer.go_on()
        outer.hear("gone")
        outer.go_on()
        assert outer.end() == ""
    model = threadmodel.open(trace)
    assert model.run.pid == 1
    assert rows(model, "threads", name="queued")[0]["state"] == "parked"


def test_a_jvm_that_has_another_root_is_reached_with_its_own_files(java: Java):
    """It is in our namespace, and its /tmp is not ours."""
    unshare = ("unshare", "--mount", "sh", "-c")
    if subprocess.run([*unshare, "mount --bind / /mnt"], check=False).returncode:
        pytest.skip("this user may not make namespaces")
    inside = (
        *unshare,
        "mount --bind / /mnt && mount --rbind /proc /mnt/proc &&"
        ' mount --bind "$0" /mnt/mnt && mount -t tmpfs tmpfs /mnt/tmp && shift &&'
        ' exec chroot /mnt "$@"',
    )
    where = Java(java.jdk, Path("/mnt"), java.folder)
    trace = java.folder / "run.tmt"
    with running(where, "Attached", inside=(*inside, java.classes, "-")) as program:
        program.hear("ready")
        command = ["attach", program.pid, "--for", "1s", "-o", trace]
        enter = ("nsenter", f"--mount=/proc/{program.pid}/ns/mnt")
        for _ in range(2):
            done = subprocess.run(
                [*enter, sys.executable, "-m", "threadmodel", *map(str, command)],
                check=False,
                capture_output=True,
                text=True,
                env={**os.environ, "PYTHONPATH": PACKAGE},
                timeout=TIMEOUT_S,
            )
            assert done.returncode == 0, done.stderr
            assert rows(threadmodel.open(trace), "threads", name="queued")
        program.go_on()
        program.hear("gone")
        program.go_on()
        assert program.end() == ""


def test_options_and_files_that_are_wrong_are_for_who_attaches(java: Java):
    with running(java, "Attached") as program:
        program.hear("ready")
        for options in (["-A", "depht=3"], ["-A", "file=/nowhere/at/all/run.tmt"]):
            done = cli("attach", program.pid, *options)
            assert done.returncode == 2
            (line,) = done.stderr.splitlines()
            assert "depht" in line or "/nowhere/at/all" in line
        program.go_on()
        program.hear("gone")
        program.go_on()
        assert program.end() == ""
