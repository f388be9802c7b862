# SPDX-License-Identifier: Apache-2.0
"""Ten minutes of `./dev chaos`, from a seed of their own each time; and what of the
output of a run counts."""

import time
from pathlib import Path

import chaos
import named
import pytest
from antagonists import ANTAGONISTS

from jdks import MATRIX

SECONDS = 600


def test_no_antagonist_changes_a_program_or_makes_a_trace_untrue(tmp_path: Path):
    seed = int(time.time())
    assert chaos.campaign(SECONDS, seed, runs=1 << 30, kept=tmp_path) == 0


def plan(*names: str) -> chaos.Plan:
    chosen = tuple(one for one in ANTAGONISTS if one.name in names)
    return chaos.Plan(1, MATRIX[0], "g1", "glibc", "", "-Xcheck:jni", chosen)


def ran(*others: str, errors: str = "") -> chaos.Ran:
    return chaos.Ran(chaos.STATUS, (), others, errors)


def test_what_is_printed_is_compared_but_for_what_varies_by_name():
    guard = ("Warning: SIGBUS handler modified!", "  *** Expected: javaSignalHandler")
    other = "Warning: SIGSEGV handler modified!"
    assert chaos.printed(plan("threads"), ran(*guard, "at port 12")) == ["at port N"]
    assert chaos.printed(plan("threads"), ran(other)) == [other]
    assert chaos.printed(plan("profiler"), ran(other)) == []
    assert chaos.printed(plan("signals"), ran("Full thread dump")) == []


def test_what_the_vm_reports_of_native_methods_is_a_mistake():
    said = ("WARNING in native method: not checked", "\tat Some.place(Native Method)")
    assert set(chaos.mistakes(ran(*said))) == {f"{said[0]} {said[1].strip()}"}
    assert chaos.mistakes(ran(errors="FATAL ERROR in native method: Bad reference"))
    assert chaos.mistakes(ran("WARNING: JNI local refs: 443, exceeds capacity: 32"))
    ports = [ran("WARNING: JNI x", f"at {port}") for port in (1, 2)]
    assert chaos.mistakes(ports[0]) == chaos.mistakes(ports[1])
    assert not chaos.mistakes(ran("Warning: SIGBUS handler modified!"))


@pytest.mark.parametrize("name", ["native", "kills"])
def test_a_campaign_of_short_runs_finds_nothing(name: str):
    assert named.campaign(name, first=int(time.time()), runs=16, seconds=SECONDS) == 0
