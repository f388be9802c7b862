# SPDX-License-Identifier: Apache-2.0
"""VMs with fewer capabilities: the missing ones are reported once, and the rest is
recorded."""

import os
from pathlib import Path

import pytest

import threadmodel
from conftest import AGENT, Java
from jdks import ROOT

OTHER = Path(
    os.environ.get("TM_TEST_OTHER_VM", ROOT / "build/tests/jvm/libother_vm.so")
)


def run(java: Java, name: str = "", lacking: str = "") -> tuple[str, Path]:
    """Run a program, which must succeed, and return its messages and the trace."""
    if not OTHER.exists():
        pytest.skip(f"no library in {OTHER}")
    trace = java.folder / "run.tmt"
    command = java.command("Blocks", 2, agent="")
    command[1] = f"-agentpath:{OTHER}={AGENT};{name};{lacking};file={trace}"
    done = java.run(command)
    assert done.returncode == 0, done.stderr
    assert "most_ns=" in done.stdout
    return done.stderr, trace


def interactions(model: threadmodel.Model) -> set[str]:
    return {row["kind"] for row in model.interactions()}


def test_no_lack_is_reported_of_a_vm_that_can_do_all(java: Java):
    said, trace = run(java)
    assert said == ""
    assert interactions(threadmodel.open(trace)) >= {"handoff", "start"}


def test_a_vm_that_is_not_hotspot_is_recorded_by_plain_events_and_that_is_reported(
    java: Java,
):
    said, trace = run(java, name="Eclipse OpenJ9 VM")
    (line,) = said.splitlines()
    assert line.startswith("threadmodel: This VM is not HotSpot: ")
    model = threadmodel.open(trace)
    assert line.removeprefix("threadmodel: ") in model.caveats
    assert {row["state"] for row in model.timeline()} >= {"blocked", "waiting"}
    assert not interactions(model) & {"start", "notify", "unpark"}
    assert not any(row["provenance"] == "exact" for row in model.interactions())


@pytest.mark.parametrize(
    "capability",
    [
        "can_get_line_numbers",
        "can_get_source_file_name",
        "can_get_constant_pool",
        "can_get_current_contended_monitor",
        "can_get_owned_monitor_stack_depth_info",
        "can_generate_native_method_bind_events",
        "can_generate_early_vmstart",
        "can_retransform_classes",
        "can_generate_garbage_collection_events",
    ],
)
def test_a_capability_that_is_not_there_is_named_and_the_rest_is_recorded(
    java: Java, capability: str
):
    said, trace = run(java, lacking=capability)
    (line,) = said.splitlines()
    assert f"(no {capability})" in line
    model = threadmodel.open(trace)
    assert line.removeprefix("threadmodel: ") in model.caveats
    assert model.damage is None
    assert "handoff" in interactions(model)
    assert {row["state"] for row in model.timeline()} >= {"blocked", "waiting"}


@pytest.mark.parametrize(
    "capability", ["can_tag_objects", "can_generate_monitor_events"]
)
def test_a_vm_without_what_is_needed_runs_on_and_is_not_recorded(
    java: Java, capability: str
):
    said, trace = run(java, lacking=capability)
    (line,) = said.splitlines()
    assert f"no {capability}" in line
    assert "nothing is recorded" in line
    assert threadmodel.open(trace).event_count == 0


def test_a_release_that_is_too_old_is_named_and_runs_on_unrecorded(java: Java):
    said, trace = run(java, lacking="1.8")
    (line,) = said.splitlines()
    assert "is of Java 8, and the agent needs 11 or newer: nothing is recorded" in line
    assert "jstack" in line
    assert threadmodel.open(trace).event_count == 0
