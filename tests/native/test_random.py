# SPDX-License-Identifier: Apache-2.0
"""Programs that do anything, by chance: their output, counts and end are as without
the recorder.

A campaign of them is `./dev chaos native --seed 1 --runs 1000`.
"""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from recording import environment, program, recorder

import threadmodel

# They take a tenth of a second.
SECONDS = 60
HANGS = -1
SEEDS = 200 if os.environ.get("TM_TEST_FULL") else 12


def ran(command: list[str]) -> tuple[int, str, str]:
    """Return status as a shell has it, stdout and stderr."""
    with subprocess.Popen(
        command,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            out, errors = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, errors = process.communicate()
            return HANGS, out, errors
    status = process.returncode
    return status if status >= 0 else 128 - status, out, errors


def wrong_with(seed: int, folder: Path) -> str | None:
    """Run a program bare and recorded, and return what differs."""
    trace = folder / f"{seed}.tmt"
    bare = ran([program("random"), str(seed)])
    recorded = ran(recorder(trace, program("random"), str(seed)))
    if recorded[:2] != bare[:2]:
        return f"seed {seed}: bare {bare}, recorded {recorded}"
    if "failed 0\n" not in bare[1] or "errno-changed 0\n" not in bare[1]:
        return f"seed {seed}: the program itself: {bare}"
    if not trace.exists():
        return f"seed {seed}: no trace: {recorded}"
    model = threadmodel.open(str(trace))
    if model.damage:
        return f"seed {seed}: {model.damage}"
    for each in folder.iterdir():
        each.unlink()
    return None


@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
def test_a_program_of_any_kind_does_as_without_a_recorder(
    seed: int, tmp_path: Path
) -> None:
    assert wrong_with(seed, tmp_path) is None
