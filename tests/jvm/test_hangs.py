# SPDX-License-Identifier: Apache-2.0
"""Programs that cannot go on are recognised, and those that only wait are not. All of
them run at once, since what they do is wait."""

import subprocess
import time
from pathlib import Path

import threadmodel
from conftest import TIMEOUT_S, Java

HUNG = {
    "pool": {"pool-1-thread-1", "pool-1-thread-2"},
    "signal": {"sleeper"},
    "owner": {"second", "third"},
    "upgrade": {"changer"},
    "permits": {"clerk-0", "clerk-1"},
    "loops": {"left", "right"},
    "orders": {"up", "down"},
    "join": {"joiner", "worker"},
    "latch": {"counter-0", "counter-1"},
    "barrier": {"early-0", "early-1"},
    "reply": {"client", "server"},
}
HEALTHY = (
    "idle",
    "timer",
    "server",
    "nap",
    "slow",
    "beat",
    "computes",
    "pingPong",
    "polled",
    "parallel",
    "daemons",
    "input",
)


def run_all(java: Java) -> dict[str, Path]:
    """End each half a second after it is in its state."""
    running = {
        program: subprocess.Popen(
            java.command("Hangs", program, agent=f"file={java.folder / program}.tmt"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=java.folder,
        )
        for program in (*HUNG, *HEALTHY)
    }
    for process in running.values():
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    for process in running.values():
        process.terminate()
    for process in running.values():
        process.communicate(timeout=TIMEOUT_S)
    return {program: java.folder / f"{program}.tmt" for program in running}


def test_only_programs_that_cannot_go_on_are_stuck(java: Java) -> None:
    for program, trace in run_all(java).items():
        model = threadmodel.open(trace)
        (row,) = model.verdict()
        members = {str(member["thread"]) for member in model.verdict_members()}
        if program in HUNG:
            assert row["kind"] in ("stuck", "deadlocked"), (program, row["title"])
            assert not row["suspected"], program
            assert members == HUNG[program], program
            assert row["since_ns"] is not None, program
        else:
            assert row["kind"] in ("idle", "healthy", "bound"), (program, row["title"])
            assert members == set(), program
