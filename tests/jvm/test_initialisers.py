# SPDX-License-Identifier: Apache-2.0
"""Threads that wait for classes which others initialise: the VM calls them runnable."""

import subprocess
import time
from dataclasses import dataclass

import threadmodel
from conftest import Java

HUNG = {
    "circle": {"left", "right"},
    "supertype": {"base", "derived"},
    "parallel": {"starter"},
    "beside": {"left", "right"},
}
STUCK_S = 1
PATIENCE_S = 20


@dataclass
class Outcome:
    """Messages about a program, and its trace."""

    said: str
    model: threadmodel.Model


def run_all(java: Java) -> dict[str, Outcome]:
    """Run all at once, since they only wait."""
    running = {}
    for name in (*HUNG, "slow"):
        options = f"file={java.folder / name}.tmt,stuck={STUCK_S}"
        with open(java.folder / f"{name}.err", "w") as said:
            running[name] = subprocess.Popen(
                java.command("Initialisers", name, agent=options),
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                cwd=java.folder,
            )
    for process in running.values():
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

    def said(name: str) -> str:
        return (java.folder / f"{name}.err").read_text()

    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and not all(said(it) for it in HUNG):
        time.sleep(0.1)
    # For as long as it would take to report the same threads in another way.
    time.sleep(3 * STUCK_S)
    for process in running.values():
        process.terminate()
    for process in running.values():
        process.communicate()
    return {
        name: Outcome(said(name), threadmodel.open(java.folder / f"{name}.tmt"))
        for name in running
    }


def check_slow(it: Outcome) -> None:
    """An initialiser that takes long does not hang."""
    (row,) = it.model.verdict()
    assert it.said == ""
    assert row["kind"] in ("idle", "healthy", "bound")
    (blocked,) = (
        row
        for row in it.model.timeline()
        if row["object"] == "initialisation of Initialisers$Slow"
    )
    assert (blocked["thread"], blocked["state"]) == ("second", "blocked")


def test_initialisers_that_wait_for_one_another(java: Java) -> None:
    outcomes = run_all(java)
    check_slow(outcomes["slow"])
    for name, members in HUNG.items():
        it = outcomes[name]
        (row,) = it.model.verdict()
        found = list(it.model.verdict_members())
        assert " for the initialisation of Initialisers$" in it.said, name
        assert it.said.count("threadmodel: ") == 1, it.said
        assert not row["suspected"], name
        assert "class" in {member["edge"] for member in found}, name
        if name == "parallel":
            assert row["kind"] == "stuck"
            assert members < {member["thread"] for member in found}
        else:
            assert row["kind"] == "deadlocked", (name, row)
            assert members == {member["thread"] for member in found}
            assert f"deadlock of {len(members)} threads that initialise" in it.said
