# SPDX-License-Identifier: Apache-2.0
"""Attaching to a JVM many times leaves it no memory that it cannot free."""

import os
import re
import subprocess

import pytest

import threadmodel
from attached import Program, rows, running
from conftest import VIRTUAL_SINCE, Java
from threadmodel import attach

FULL = os.environ.get("TM_TEST_FULL") == "1"
# Classes are loaded and hot methods compiled in the first ones.
WARM, CYCLES = (50, 1000) if FULL else (15, 40)
MOST_KIB = 1024


def jcmd(java: Java, program: Program, *words: str) -> str:
    return subprocess.run(
        [java.jdk.tool("jcmd"), str(program.pid), *words],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def kept_kib(java: Java, program: Program) -> int:
    """Code and metadata of classes that the VM still has after it collected garbage."""
    for _ in range(2):
        jcmd(java, program, "GC.run")
    code = re.findall(r"used=(\d+)Kb", jcmd(java, program, "Compiler.codecache"))
    # In older releases GC.heap_info prints this line, in newer ones VM.metaspace.
    printed = jcmd(java, program, "GC.heap_info") + jcmd(java, program, "VM.metaspace")
    metadata = re.search(r"^ *Metaspace +used (\d+)K", printed, re.M)
    assert metadata
    return sum(map(int, code)) + int(metadata[1])


@pytest.mark.parametrize("threads", ["platform", "virtual"])
def test_what_an_attach_leaves_in_the_vm_does_not_add_up(java: Java, threads: str):
    if threads == "virtual" and java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no virtual threads")
    words = ("Busy", 600_000) if threads == "platform" else ("VirtualBusy", 50)
    trace = java.folder / "run.tmt"
    # The other JVM is not attached to: its growth is the program's own.
    with running(java, *words) as program, running(java, *words) as other:
        for each in (program, other):
            each.hear("warm")
        grown = []
        for cycles in (WARM, CYCLES):
            for _ in range(cycles):
                with attach.record(program.pid, trace):
                    pass
            grown.append(kept_kib(java, program) - kept_kib(java, other))
        model = threadmodel.open(trace)
    kept = grown[1] - grown[0]
    print(f"{java.jdk}, {threads} threads: {kept} KiB kept after {CYCLES} cycles")
    assert kept < MOST_KIB
    assert len(rows(model, "threads", name="busy-0")) == 1


def test_virtual_threads_are_recorded_as_well_at_the_next_attach(java: Java):
    """The classes are instrumented already, and are not changed again."""
    if java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no virtual threads")
    trace = java.folder / "run.tmt"
    with running(java, "VirtualBusy", 4) as program:
        program.hear("warm")
        for _ in range(2):
            with attach.record(program.pid, trace):
                pass
        with attach.record(program.pid, trace):
            program.go_on()
            program.end()
    model = threadmodel.open(trace)
    (last,) = rows(model, "threads", name="last")
    assert (last["parked_count"], last["sleeping_count"]) == (1, 1)
    assert threadmodel.EventKind.PARK in {
        threadmodel.EventKind(kind) for kind in model.run.kinds
    }
