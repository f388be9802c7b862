# SPDX-License-Identifier: Apache-2.0
"""Processes that refuse an attach, or are hard to reach for one."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import threadmodel
from attached import PACKAGE, QUIET, cli, rows, running
from conftest import TIMEOUT_S, Java
from threadmodel import attach
from threadmodel.errors import AttachError

LONG_REQUESTS_SINCE = 24


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
        assert "is not a JVM" in refused(sleeper.pid, tmp_path)
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
            assert program.process.poll() is None, "it ended, and it reported nothing"
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
    """Wait until this process has a child, and return it."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    while not children.read_text():
        time.sleep(0.01)
    return int(children.read_text().split()[0])


def test_a_jvm_in_a_container_is_reached_by_its_own_number_and_files(java: Java):
    """The JVM is process 1 of its own PID namespace, and has its own /tmp."""
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
    """The JVM is in our PID namespace, but its /tmp is not ours."""
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
