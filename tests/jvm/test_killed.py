# SPDX-License-Identifier: Apache-2.0
"""The data that survives a killed JVM, compared with the notes of its threads."""

import struct
import subprocess
import time
from pathlib import Path

import pytest

import threadmodel
from conftest import Java
from threadmodel import attach

THREADS = 4


def kill(java: Java, trace: Path, options: str = "", after_s: float = 0.3) -> list[int]:
    """Run the program, kill it, and return the number of rings of each thread."""
    counts = java.folder / "counts"
    with subprocess.Popen(
        java.command("Killed", counts, agent=f"file={trace}{options}"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=java.folder,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ringing\n"
        time.sleep(after_s)
        process.kill()
        process.communicate()
    return list(struct.unpack(f">{THREADS}q", counts.read_bytes()))


def read(trace: Path) -> threadmodel.Model:
    with pytest.warns(threadmodel.DamagedTraceWarning):
        return threadmodel.open(trace)


def notifies(model: threadmodel.Model) -> list[int]:
    names = [
        row["from_thread"] for row in model.interactions() if "notify" in row["kind"]
    ]
    return [names.count(f"ringer-{i}") for i in range(THREADS)]


def lost(model: threadmodel.Model) -> int:
    counts = {row["cause"]: row["count"] for row in model.diagnostics()}
    return counts.get("lost_by_producer", 0)


@pytest.mark.parametrize("after_s", [0.0, 0.21, 0.5])
def test_all_that_was_done_before_the_kill_is_in_trace_and_rings(
    java: Java, after_s: float
):
    trace = java.folder / "run.tmt"
    rung = kill(java, trace, after_s=after_s)
    model = threadmodel.open(trace)
    found = notifies(model)
    assert model.damage is None
    (said,) = (caveat for caveat in model.caveats if "was killed, and" in caveat)
    print(f"{java.jdk}: {sum(rung)} noted, {sum(found)} found; {said}")
    assert said.endswith("recovered from its rings: nothing is missing")
    assert model.run.pid > 0
    if lost(model) == 0:
        # A notify is reported before it is made, and noted after.
        assert all(n <= f <= n + 1 for n, f in zip(rung, found, strict=True))
    else:
        assert sum(found) + lost(model) >= sum(rung)


def test_what_recording_cost_outlives_a_kill(java: Java):
    trace = java.folder / "run.tmt"
    with subprocess.Popen(
        java.command("Killed", java.folder / "counts", agent=f"file={trace}"),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        attach.control(process.pid, "dump")
        process.kill()
    model = threadmodel.open(trace)
    run = model.run
    assert 0 < run.cost_events <= model.event_count + lost(model)
    assert run.cost_bytes > 0
    assert run.cost_recorder_ns > 0
    assert 0 <= run.cost_stacks_ns <= run.cost_threads_ns
    said = [caveat for caveat in model.caveats if caveat.startswith("Recording ")]
    assert len(said) == 1
    assert "events up to its last report (" in said[0]


def test_without_rings_the_last_rounds_are_missing_and_that_is_reported(java: Java):
    trace = java.folder / "run.tmt"
    rung = kill(java, trace, options=",rings=none")
    assert [path.name for path in java.folder.glob("run*")] == ["run.tmt"]
    model = read(trace)
    assert model.damage is not None
    assert "was killed, is still going on, or was cut" in model.damage
    assert all(f <= n + 1 for n, f in zip(rung, notifies(model), strict=True))


def test_rings_may_lie_elsewhere_with_a_link_beside_the_trace(java: Java):
    trace = java.folder / "run.tmt"
    elsewhere = java.folder / "elsewhere"
    elsewhere.mkdir()
    rung = kill(java, trace, options=f",rings={elsewhere}")
    (rings,) = elsewhere.iterdir()
    assert (java.folder / "run.tmt.rings").resolve() == rings.resolve()
    model = threadmodel.open(trace)
    assert sum(notifies(model)) + lost(model) >= sum(rung)
    rings.unlink()
    assert sum(notifies(read(trace))) <= sum(notifies(model))


def test_rings_of_another_run_are_not_read(java: Java):
    first, second = java.folder / "first.tmt", java.folder / "second.tmt"
    kill(java, first)
    kill(java, second)
    before = notifies(threadmodel.open(first))
    (java.folder / "first.tmt.rings").unlink()
    (java.folder / "second.tmt.rings").rename(java.folder / "first.tmt.rings")
    model = read(first)
    assert model.damage is not None
    assert "of another run" in model.damage
    assert sum(notifies(model)) <= sum(before)


def test_run_over_the_trace_of_a_killed_one_leaves_no_rings(java: Java):
    trace = java.folder / "Blocks.tmt"
    kill(java, trace)
    assert trace.with_name("Blocks.tmt.rings").exists()
    run = java.record("Blocks", 1)
    assert run.model.damage is None
    assert not trace.with_name("Blocks.tmt.rings").exists()


def test_trace_of_a_run_that_goes_on_is_read_without_its_rings(java: Java):
    trace = java.folder / "run.tmt"
    with subprocess.Popen(
        java.command("Killed", java.folder / "counts", agent=f"file={trace}"),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        model = read(trace)
        process.kill()
    assert model.damage is not None
    assert "still going on" in model.damage


def test_child_with_the_same_file_writes_another_and_reports_it(java: Java):
    trace = java.folder / "run.tmt"
    with subprocess.Popen(
        java.command("Killed", java.folder / "counts", agent=f"file={trace}"),
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        child = java.run(java.command("Blocks", 1, agent=f"file={trace}"))
        parent.kill()
    (line,) = child.stderr.splitlines()
    (other,) = java.folder.glob("run-*.tmt")
    assert f"this one goes to {other}" in line
    assert threadmodel.open(other).damage is None
    assert sum(notifies(threadmodel.open(trace))) > 0


@pytest.mark.every_release
def test_the_vm_finds_no_mistake_in_a_stop(java: Java):
    agent = f"file={java.folder / 'run.tmt'}"
    with subprocess.Popen(
        java.command(
            "Killed", java.folder / "counts", agent=agent, flags=("-Xcheck:jni",)
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=java.folder,
    ) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "ringing\n":
            pass
        attach.control(process.pid, "stop")
        time.sleep(0.5)
        process.kill()
        said = process.communicate()[0]
    assert "JNI local refs" not in said
