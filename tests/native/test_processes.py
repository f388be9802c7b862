# SPDX-License-Identifier: Apache-2.0
"""Processes that fork, sandbox themselves, are killed or run out of memory."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from recording import (
    SECONDS,
    environment,
    oddity,
    owners_of,
    program,
    record,
    recorder,
    rows,
)

import threadmodel
from threadmodel import native


@pytest.mark.parametrize(
    "which",
    [
        "errors",
        "cancels",
        "closes",
        "forks",
        "signals",
        "replaces",
        "storm",
        "sandboxes",
        "sandboxes_by_call",
        "forks_beside_loader",
        "forks_cancelled",
        "forks_in_sandbox",
        "naps_on_small_stack",
        "sandboxes_strictly",
        "refuses_counter",
    ],
)
def test_a_program_does_what_it_does_without_us(which: str, tmp_path: Path) -> None:
    done = record(tmp_path / "run.tmt", program("hardships"), which)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
    for trace in tmp_path.glob("*.tmt"):
        contradicted = set(threadmodel.open(str(trace)).diagnostics()["cause"])
        assert not contradicted & {"two_owners", "acquired_twice"}


def test_a_thread_is_recorded_after_a_jump_out_of_a_record(tmp_path: Path) -> None:
    done = record(tmp_path / "run.tmt", program("hardships"), "jumps")
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    main = Path(program("hardships")).name[:15]
    states = rows(model.timeline(), "thread", "state", "peer")
    assert (main, "joining", "forks") in states


def test_a_process_goes_on_without_its_first_thread(tmp_path: Path) -> None:
    model = oddity("leaves", tmp_path)
    assert owners_of(model, "waiter")
    assert [path.name for path in tmp_path.iterdir()] == ["run.tmt"]


@pytest.mark.parametrize("which", ["detaches", "cancels", "forks"])
def test_a_recorded_program_does_what_it_may(which: str, tmp_path: Path) -> None:
    oddity(which, tmp_path)


def test_a_recorder_that_is_killed_is_named(tmp_path: Path) -> None:
    script = f"kill -9 $(echo ${native.REGION_VARIABLE} | cut -d/ -f3)"
    command = recorder(tmp_path / "run.tmt", "sh", "-c", script)
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stderr
    assert "signal 9 ended the recorder" in done.stderr


@pytest.mark.parametrize(
    ("which", "name"), [("errors", "native_hardship"), ("closes", "renamed")]
)
def test_a_program_that_ends_before_the_recorder_looks_has_its_name(
    which: str, name: str, tmp_path: Path
) -> None:
    trace = str(tmp_path / "run.tmt")
    with native.Recorder(trace) as recording:
        variables = recording.environment(os.environ)
        process = int(variables[native.REGION_VARIABLE].split("/")[2])
        os.kill(process, signal.SIGSTOP)
        try:
            done = subprocess.run(
                [program("hardships"), which], env=variables, check=False
            )
        finally:
            os.kill(process, signal.SIGCONT)
    model = threadmodel.open(trace)
    assert done.returncode == 0
    assert model.threads()["name"][0] == name
    assert not len(model.diagnostics())


def test_threads_in_a_sandbox_are_recorded(tmp_path: Path) -> None:
    trace = str(tmp_path / "run.tmt")
    record(tmp_path / "run.tmt", program("hardships"), "sandboxes")
    model = threadmodel.open(trace)
    assert model.threads()["name"][0] == "in a box"
    assert len(model.threads()) == 5
    assert not len(model.diagnostics())


def test_a_program_that_renounces_rights_is_in_no_sandbox(tmp_path: Path) -> None:
    """As HAProxy, whose waits in the kernel are recorded."""
    done = record(tmp_path / "run.tmt", program("hardships"), "renounces")
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
    states = rows(threadmodel.open(str(tmp_path / "run.tmt")).timeline(), "state")
    assert ("io",) in states


def test_a_fork_in_a_sandbox_has_its_number(tmp_path: Path) -> None:
    record(tmp_path / "run.tmt", program("hardships"), "forks_in_sandbox")
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    assert model.run.pid
    assert len(model.threads()) == 2


def test_without_the_memory_a_program_runs_unrecorded(tmp_path: Path) -> None:
    done = subprocess.run(
        [program("hardships"), "errors"],
        env=os.environ
        | {
            "LD_PRELOAD": str(native.path(native.PRELOAD)),
            native.REGION_VARIABLE: str(tmp_path / "none"),
        },
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "fine\n")
    assert re.fullmatch(
        r"threadmodel: not recorded: no memory shared with the recorder: .*\n",
        done.stderr,
    )


def test_a_fork_has_a_trace_of_its_own(tmp_path: Path) -> None:
    record(tmp_path / "run.tmt", program("hardships"), "forks")
    traces = sorted(path.name for path in tmp_path.iterdir())
    assert len(traces) == 2
    pids = {threadmodel.open(str(path)).run.pid for path in tmp_path.iterdir()}
    assert f"run-{min(pids)}.tmt" in traces or f"run-{max(pids)}.tmt" in traces


def test_a_process_of_another_namespace_has_the_number_that_proc_shows(
    tmp_path: Path,
) -> None:
    inside = ["unshare", "--pid", "--fork"]
    if subprocess.run([*inside, "true"], check=False).returncode != 0:
        pytest.skip("no namespaces of processes")
    done = record(tmp_path / "run.tmt", *inside, program("oddities"), "limits")
    assert done.stdout == "fine\n"
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    # In its own view it is the first.
    assert model.run.pid > 2
    # There the C library cannot name another thread: each is called after its routine.
    main = Path(program("oddities")).name[:15]
    assert list(model.threads()["name"]) == [main, "gives_up", "gets_it"]


def test_a_killed_program_leaves_its_trace(tmp_path: Path) -> None:
    process = subprocess.Popen(
        recorder(tmp_path / "run.tmt", program("hardships"), "goes_on"),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "goes on\n"
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    for child in map(int, children.split()):
        if Path(f"/proc/{child}/comm").read_text().startswith("native_hards"):
            os.kill(child, signal.SIGKILL)
    _, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 128 + signal.SIGKILL, said
    assert threadmodel.open(str(tmp_path / "run.tmt")).threads()
