# SPDX-License-Identifier: Apache-2.0
"""Programs that cannot go on are recognised, and those that only wait are not."""

import subprocess
import time

import pytest

import threadmodel
from conftest import Java

HUNG = {
    "pool": {"pool-1-thread-1", "pool-1-thread-2"},
    "signal": {"sleeper"},
    "owner": {"second", "third"},
    "upgrade": {"changer"},
    "permits": {"clerk-0", "clerk-1"},
    "loops": {"left", "right"},
}
HEALTHY = ("idle", "timer", "server", "nap")


def judge(java: Java, program: str) -> tuple[dict[str, object], set[str]]:
    """End a recorded program half a second after it is in its state."""
    trace = java.folder / f"{program}.tmt"
    with subprocess.Popen(
        java.command("Hangs", program, agent=f"file={trace}"),
        stdout=subprocess.PIPE,
        text=True,
        cwd=java.folder,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        process.terminate()
    model = threadmodel.open(trace)
    (row,) = model.verdict()
    return row, {str(member["thread"]) for member in model.verdict_members()}


@pytest.mark.parametrize("program", HUNG)
def test_a_program_that_cannot_go_on_is_stuck(java: Java, program: str) -> None:
    row, members = judge(java, program)
    assert (row["kind"], row["suspected"]) in (("stuck", False), ("deadlocked", False))
    assert members == HUNG[program]
    assert row["since_ns"] is not None


@pytest.mark.parametrize("program", HEALTHY)
def test_a_program_that_only_waits_is_not_stuck(java: Java, program: str) -> None:
    row, members = judge(java, program)
    assert row["kind"] in ("idle", "healthy")
    assert members == set()
