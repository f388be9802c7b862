# SPDX-License-Identifier: Apache-2.0
"""The owner of a monitor that blocks others for long while its owner runs, compared
with the holds that the program itself noted."""

from typing import Any

import pytest

import threadmodel
from attached import Program, running
from conftest import VIRTUAL_SINCE, Java, odd
from threadmodel import attach

GATE = "Held$Gate"
# Long enough for the agent to ask, and again, on a machine that is kept busy.
HOLD_MS = 400
ATTEMPTS = 5

Holds = list[tuple[str, int, int]]


def holds(stdout: str) -> Holds:
    """Holds of the gate: thread, start and end, on the clock of the trace."""
    words = [line.split() for line in stdout.splitlines() if line.startswith("hold ")]
    return [(name, int(began), int(ended)) for _, name, began, ended in words]


def shares(model: threadmodel.Model) -> list[dict[str, Any]]:
    """Blame for the gate, its times those of the clock."""
    origin = model.run.start_ns
    return [
        {**row, "start_ns": row["start_ns"] + origin, "end_ns": row["end_ns"] + origin}
        for row in model.blame()
        if row["class"] == GATE
    ]


def assert_true(model: threadmodel.Model, held: Holds) -> None:
    """A thread that is exactly known to own the gate owns it all that time."""
    for row in shares(model):
        if row["share"] == "owner" and row["provenance"] in ("exact", "reported"):
            assert any(
                name == row["owner"]
                and began <= row["start_ns"] <= row["end_ns"] <= ended
                for name, began, ended in held
            ), row
    assert odd(model) == {}


def owners_of(model: threadmodel.Model) -> set[str]:
    """The threads that the model names as owners of the gate."""
    return {row["owner"] for row in shares(model) if row["share"] == "owner"}


def attached(java: Java, mode: str) -> tuple[threadmodel.Model, Holds]:
    trace = java.folder / "attached.tmt"
    with running(java, "Held", mode, HOLD_MS, "wait") as program:
        program.hear("ready")
        with attach.record(program.pid, trace):
            program.go_on()
            output = ended(program)
    return threadmodel.open(trace), holds(output)


def ended(program: Program) -> str:
    output, errors = program.process.communicate()
    assert program.process.returncode == 0, errors
    return output


def recorded(java: Java, program: str, mode: str) -> tuple[threadmodel.Model, Holds]:
    run = java.record(program, mode, HOLD_MS)
    return run.model, holds(run.stdout)


@pytest.mark.parametrize("how", ["from the start", "attached"])
def test_an_owner_that_runs_is_reported_while_others_are_blocked(java: Java, how: str):
    owners: set[str] = set()
    for _ in range(ATTEMPTS):
        model, held = (
            attached(java, "running")
            if how == "attached"
            else recorded(java, "Held", "running")
        )
        assert_true(model, held)
        owners = owners_of(model)
        if owners == {f"owner-{i}" for i in range(4)}:
            break
    assert owners == {f"owner-{i}" for i in range(4)}


@pytest.mark.parametrize("how", ["from the start", "attached"])
def test_owners_that_change_in_a_block_are_reported_as_they_are(java: Java, how: str):
    if how == "attached":
        model, held = attached(java, "queue")
    else:
        model, held = recorded(java, "Held", "queue")
    assert len(held) == 16
    assert_true(model, held)


def test_a_program_without_management_is_not_asked(java: Java):
    run = java.record(
        "Held", "running", HOLD_MS, flags=("--limit-modules", "java.base")
    )
    assert run.stderr == ""
    assert "reported" not in {row["provenance"] for row in shares(run.model)}
    assert run.odd() == {}


@pytest.mark.parametrize("who", ["owner", "blocked"])
def test_of_virtual_threads_nobody_is_reported_who_is_not_the_owner(
    java: Java, who: str
):
    if java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no virtual threads")
    model, held = recorded(java, "VirtualHeld", who)
    assert_true(model, held)


def test_an_attach_names_no_carrier_for_the_virtual_thread_on_it(java: Java):
    if java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no virtual threads")
    trace = java.folder / "attached.tmt"
    # Far longer than it takes to attach; it need not come to its end.
    with running(java, "VirtualHeld", "owner", 1000 * HOLD_MS) as program:
        program.hear("blocked")
        with attach.record(program.pid, trace):
            pass
    rows = shares(threadmodel.open(trace))
    assert {row["thread"] for row in rows} == {"next"}
    # Since JDK 25 the virtual thread says itself what it has.
    assert {row["owner"] for row in rows} <= {None, "owner"}


@pytest.mark.every_release
def test_a_place_where_a_monitor_was_acquired_is_that_of_its_own_stack(java: Java):
    if java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"JDK {java.jdk.release} has no virtual threads")
    run = java.record("VirtualPlaces", options="stacks=all")
    rows = [row for row in run.model.holds() if row["class"] == "VirtualPlaces$Held"]
    assert {row["method"] for row in rows} <= {"VirtualPlaces.take"}
    # Before JDK 25 a virtual thread says itself what it holds as it begins to wait.
    assert rows or java.jdk.release >= 25
