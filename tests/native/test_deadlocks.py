# SPDX-License-Identifier: Apache-2.0
"""Deadlocks of native programs, reported while they last."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from recording import SECONDS, environment, program, recorder, start

import threadmodel

DEADLOCKS = {
    "two": ("left_first", "right_first"),
    "self": ("lock_twice",),
    "ring": ("left_first", "right_to_third", "third_to_left"),
    "spin": ("spin_first", "left_to_spin"),
    "once": ("run_once", "left_to_once"),
    "upgrade": ("read_to_write",),
    "reader": ("reads_first", "left_to_write"),
    "join": ("is_joined", "left_to_join"),
}


WANTED = {
    "left_to_spin": "spinlock spinning",
    "left_to_once": "once once",
    "read_to_write": "rwlock table",
    "left_to_write": "rwlock table",
    "right_first": "mutex left",
    "right_to_third": "mutex third",
}


@pytest.mark.parametrize("which", DEADLOCKS)
def test_a_deadlock_is_reported_while_it_lasts(which: str, tmp_path: Path) -> None:
    members = DEADLOCKS[which]
    process = start(tmp_path / "run.tmt", program("deadlock"), which)
    assert process.stderr
    # The program ends only after this line has come.
    first = process.stderr.readline()
    assert first.startswith(f"threadmodel: deadlock of {len(members)} thread"), first
    assert process.stdin
    process.stdin.close()
    rest = process.stderr.read()
    assert process.wait(SECONDS) == 0
    # Of the last, which the others lead to, what it wants is known.
    wanted = WANTED.get(members[-1], "mutex left")
    if which == "join":
        assert '"left_to_join" waits for the end of "is_joined"\n' in rest
    else:
        assert f'"{members[-1]}" is blocked by {wanted}, which' in rest
    for name, owner in zip(members, [*members[1:], members[0]], strict=True):
        assert re.search(rf'"{name}" .*"{owner}"', rest)
    found = threadmodel.open(str(tmp_path / "run.tmt")).deadlocks()
    assert sorted(found["thread"]) == sorted(members)
    # Of several owners another may be the last.
    expected = {"exact", "reported", *(["inferred"] if "rwlock" in wanted else [])}
    assert set(found["provenance"]) <= expected


def test_a_message_has_nothing_that_a_terminal_obeys(tmp_path: Path) -> None:
    process = start(tmp_path / "run.tmt", program("deadlock"), "hostile")
    assert process.stderr
    first = process.stderr.readline()
    assert process.stdin
    process.stdin.close()
    rest = process.stderr.read()
    assert process.wait(SECONDS) == 0
    assert first.startswith("threadmodel: deadlock of 2 threads"), first
    assert '"a?[2J?b?c" is blocked by mutex' in rest
    assert '"d?e" owns' in rest
    assert "\x1b" not in rest
    assert "\u2028" not in rest
    assert "\u202e" not in rest


def test_a_lock_that_is_refused_is_no_deadlock(tmp_path: Path) -> None:
    """Not even for a moment, between the enter and the error."""
    process = start(tmp_path / "run.tmt", program("deadlock"), "checks")
    time.sleep(2)
    _, said = process.communicate("", timeout=SECONDS)
    assert process.returncode == 0
    assert "deadlock" not in said
    assert not len(threadmodel.open(str(tmp_path / "run.tmt")).deadlocks())


def test_a_process_of_another_namespace_is_found(tmp_path: Path) -> None:
    """Its number in its own namespace is that of no process here, and it lives on."""
    own = ["unshare", "--pid", "--fork"]
    if subprocess.run([*own, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no right to make a namespace")
    number = next(
        it for it in range(30000, 20000, -1) if not Path(f"/proc/{it}").exists()
    )
    script = f"echo {number - 1} >/proc/sys/kernel/ns_last_pid; $0 goes_on; true"
    trace = tmp_path / "run.tmt"
    process = subprocess.Popen(
        recorder(trace, *own, "sh", "-c", script, program("hardships")),
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "goes on\n"
    time.sleep(1)
    (there,) = (
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if path.read_bytes().startswith(program("hardships").encode() + b"\0goes_on")
    )
    os.kill(there, signal.SIGKILL)
    process.communicate(timeout=SECONDS)
    model = threadmodel.open(str(trace))
    assert model.run.pid == there
    assert model.run.command == f"{program('hardships')} goes_on"
    assert list(tmp_path.iterdir()) == [trace]
    assert not {"lost_by_producer", "undefined_thread"} & set(
        model.diagnostics()["cause"]
    )
