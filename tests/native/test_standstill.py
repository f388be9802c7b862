# SPDX-License-Identifier: Apache-2.0
"""Native programs that cannot go on are recognised, live and in the trace; healthy
ones are not accused. All run at once, since what they do is wait."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from recording import PROGRAMS, SECONDS, environment

import threadmodel

HUNG = (
    "lost-signal",
    "permits",
    "barrier",
    "main-ends",
    "dead-owner",
    "twice",
    "orders",
    "upgrade",
    "no-answer",
    "nested",
    "own-queue",
    "joins",
    "resumed",
    "upgrades",
)
# Beside a thread that goes on.
PARTLY = {
    "lost-signal": "partly_stuck",
    "dead-owner": "partly_stuck",
    "twice": "deadlocked",
    "orders": "deadlocked",
    "upgrade": "deadlocked",
    "upgrades": "deadlocked",
    "joins": "deadlocked",
}
HEALTHY = (
    "nap",
    "input",
    "event-loop",
    "beat",
    "computes",
    "timed",
    "turns",
    "readers",
    "in-step",
    "served",
    "ends",
    "slow-owner",
    "epolls",
    "child",
    "looks",
    "pool",
    "short-threads",
    "queue",
)
STUCK_S = 1
# For a report on a busy machine.
PATIENCE_S = 20
ACCUSED = re.compile(r"threadmodel: (deadlock|stuck|partly stuck)")


@dataclass
class Outcome:
    """What a program printed, what the recorder reported, and its trace."""

    truth: str
    said: str
    trace: Path


def begin(
    folder: Path, name: str, beside: tuple[str, ...] = ()
) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-m", "threadmodel", "record", "--native"]
    arguments += ["--stuck-s", str(STUCK_S), "-o", str(folder / f"{name}.tmt"), "--"]
    with open(folder / f"{name}.err", "w") as said:
        return subprocess.Popen(
            [*arguments, str(PROGRAMS / "native_standstill"), name, *beside],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )


def program_of(recording: subprocess.Popen[str]) -> int:
    """The program beneath the command that records it, beside the recorder."""
    for child in (
        Path(f"/proc/{recording.pid}/task/{recording.pid}/children").read_text().split()
    ):
        if b"native_standstill" in Path(f"/proc/{child}/cmdline").read_bytes():
            return int(child)
    raise AssertionError("the program does not run")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    folder = tmp_path_factory.mktemp("standstill")
    running = {name: begin(folder, name) for name in (*HUNG, *HEALTHY)}
    truths = {name: it.stdout.readline().strip() for name, it in running.items()}

    def said(name: str) -> str:
        return (folder / f"{name}.err").read_text()

    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and not all(ACCUSED.search(said(it)) for it in HUNG):
        time.sleep(0.1)
    os.kill(program_of(running["resumed"]), signal.SIGUSR1)
    while time.monotonic() < until and "no longer stuck" not in said("resumed"):
        time.sleep(0.1)
    for process in running.values():
        process.terminate()
    for process in running.values():
        process.communicate(timeout=SECONDS)
    return {
        name: Outcome(truths[name], said(name), folder / f"{name}.tmt")
        for name in running
    }


@pytest.mark.parametrize("program", HUNG)
def test_a_program_that_cannot_go_on_is_reported_once(
    program: str, outcomes: dict[str, Outcome]
) -> None:
    it = outcomes[program]
    assert it.truth.startswith("hung "), it.truth
    # Of two readers that want to write each waits for itself.
    assert len(ACCUSED.findall(it.said)) == (2 if program == "upgrades" else 1), it.said


@pytest.mark.parametrize("program", [it for it in HUNG if it != "resumed"])
def test_a_trace_has_the_threads_that_cannot_go_on(
    program: str, outcomes: dict[str, Outcome]
) -> None:
    it = outcomes[program]
    model = threadmodel.open(it.trace)
    (row,) = model.verdict()
    members = {str(member["thread"]) for member in model.verdict_members()}
    assert row["kind"] in ("stuck", "deadlocked")
    assert not row["suspected"]
    assert members == set(it.truth.split()[1:])
    assert 0 < row["since_ns"] < model.length_ns


def test_a_part_that_cannot_go_on_is_reported_once_and_in_the_trace(
    tmp_path: Path,
) -> None:
    running = {name: begin(tmp_path, name, ("beside",)) for name in PARTLY}
    truths = {}
    for name, process in running.items():
        assert process.stdout is not None
        truths[name] = process.stdout.readline().strip()

    def reports(name: str) -> list[str]:
        return ACCUSED.findall((tmp_path / f"{name}.err").read_text())

    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and not all(reports(it) for it in PARTLY):
        time.sleep(0.1)
    for process in running.values():
        process.terminate()
        process.communicate(timeout=SECONDS)
    for name, kind in PARTLY.items():
        assert len(reports(name)) == (2 if name == "upgrades" else 1), name
        model = threadmodel.open(tmp_path / f"{name}.tmt")
        (row,) = model.verdict()
        members = {str(member["thread"]) for member in model.verdict_members()}
        assert row["kind"] == kind, (name, row["title"])
        assert members == set(truths[name].split()[1:]), name


def test_the_end_of_a_standstill_is_reported(outcomes: dict[str, Outcome]) -> None:
    it = outcomes["resumed"]
    assert re.search(r"no longer stuck in process \d+: it goes on", it.said)
    (row,) = threadmodel.open(it.trace).verdict()
    assert row["kind"] in ("healthy", "idle", "bound")


@pytest.mark.parametrize("program", HEALTHY)
def test_a_program_that_only_waits_is_not_accused(
    program: str, outcomes: dict[str, Outcome]
) -> None:
    it = outcomes[program]
    assert it.truth == "healthy"
    assert not ACCUSED.search(it.said), it.said
    model = threadmodel.open(it.trace)
    (row,) = model.verdict()
    assert row["kind"] in ("idle", "healthy", "bound")
    assert row["since_ns"] is None
    assert not list(model.verdict_members())


def test_a_verdict_states_that_the_program_was_stopped(tmp_path: Path) -> None:
    """By a signal: its threads seem to wait meanwhile."""
    recording = begin(tmp_path, "served")
    assert recording.stdout is not None
    assert recording.stdout.readline() == "healthy\n"
    program = program_of(recording)
    os.kill(program, signal.SIGSTOP)
    time.sleep(STUCK_S + 1)
    os.kill(program, signal.SIGCONT)
    time.sleep(0.5)
    recording.terminate()
    recording.communicate(timeout=SECONDS)
    assert not ACCUSED.search((tmp_path / "served.err").read_text())
    model = threadmodel.open(tmp_path / "served.tmt")
    (row,) = model.verdict()
    assert row["kind"] in ("idle", "healthy", "bound")
    assert model.run.stopped_ns > STUCK_S * 1e9
    assert "the process was stopped" in row["examined"]


def test_a_verdict_states_that_the_machine_was_suspended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No wait includes that time, so that waits are judged as they are."""
    monkeypatch.setenv("LD_PRELOAD", str(PROGRAMS / "native_suspended_machine.so"))
    recording = begin(tmp_path, "barrier")
    assert recording.stdout is not None
    assert recording.stdout.readline().startswith("hung ")
    time.sleep(1)
    recording.terminate()
    recording.communicate(timeout=SECONDS)
    model = threadmodel.open(tmp_path / "barrier.tmt")
    (row,) = model.verdict()
    assert row["kind"] == "stuck"
    assert "the machine suspended, for 3600 s" in row["examined"]
    assert model.run.stopped_ns == pytest.approx(3600e9, abs=1e9)
    assert any("the machine was suspended" in caveat for caveat in model.caveats)


def test_a_fork_names_who_owned_its_locks(tmp_path: Path) -> None:
    recording = begin(tmp_path, "forked")
    recording.communicate(timeout=SECONDS)
    (trace,) = tmp_path.glob("forked-*.tmt")
    model = threadmodel.open(trace)
    (row,) = model.verdict()
    assert row["kind"] == "stuck"
    assert "pthread_atfork" in str(row["advice"])
    members = {
        str(it["thread"]): (it["edge"], it["by"], it["provenance"])
        for it in model.verdict_members()
    }
    owner = ("dead_owner", "holder", "reported")
    assert members == {"main": owner, "writer": owner}


def test_a_call_that_has_not_returned_has_its_caller_and_what_it_waits_for(
    outcomes: dict[str, Outcome],
) -> None:
    model = threadmodel.open(outcomes["input"].trace)
    names = {row["thread_id"]: row["name"] for row in model.threads()}
    (row,) = (
        row
        for row in model.timeline()
        if row["open"] and names[row["thread_id"]] == "reader"
    )
    assert row["state"] == "io"
    assert row["object"] == "a pipe"
    assert row["method"].endswith(".reads")
