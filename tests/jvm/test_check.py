# SPDX-License-Identifier: Apache-2.0
"""``threadmodel check`` on recordings of real programs, as a build server runs it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import threadmodel
from conftest import Java

PACKAGE = str(Path(threadmodel.__file__).parents[1])


def check(*arguments: object) -> tuple[int, list[str]]:
    """Return the exit status and the lines on broken limits."""
    done = subprocess.run(
        [sys.executable, "-m", "threadmodel", "check", *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": PACKAGE},
        timeout=120,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_a_run_is_held_to_its_limits(java: Java, tmp_path: Path):
    """A program that holds a lock for long, and the same one that hardly holds it."""
    base = tmp_path / "base.tmt"
    java.record("Bottleneck", 0).trace.rename(base)
    run = java.record("Bottleneck", 30).trace
    limits = ("--max-blocked-share", "5%", "--no-deadlock", "--no-regression", base)
    status, lines = check(run, *limits)
    assert status == 1
    place = "Bottleneck$Ledger in Bottleneck$Ledger.post:"
    (total, *rows) = [line for line in lines if line.startswith("max-blocked-share")]
    assert "more than 5.00%" in total
    assert any(place in row for row in rows)
    # Each round of a worker is a task, and these decide.
    (worse, *risen) = [line for line in lines if line.startswith("no-regression")]
    assert "requests are worse" in worse
    assert place.rstrip(":") in risen[0]
    assert not any(line.startswith("no-deadlock") for line in lines)
    # Nobody is blocked for longer than all the time; nothing regresses from itself.
    same = ("--max-blocked-share", "100%", "--no-deadlock", "--no-regression", run)
    status, (_, sentence) = check(run, *same)
    assert (status, sentence.split(":")[0]) == (0, "requests are equal")
    status, (_, sentence) = check(base, "--no-deadlock", "--no-regression", run)
    assert (status, sentence.split(":")[0]) == (0, "requests are better")


def test_a_deadlock_fails_the_check(java: Java):
    run = java.record("Stuck", 300).trace
    status, lines = check(run, "--no-deadlock", "--max-blocked-share", "100%")
    assert status == 1
    (line,) = lines
    assert line.startswith("no-deadlock: ")
    assert "deadlock of 2 threads" in line.lower()
    for name in ("one wants Stuck$Right", "other wants Stuck$Left"):
        assert name in line


@pytest.mark.skipif(
    "TM_TEST_FULL" not in os.environ,
    reason="ten recordings a group, each as noisy as the machine: with --full",
)
def test_a_tenth_more_is_found_among_ten_runs_and_nothing_between_equal_ones(
    java: Java, tmp_path: Path
):
    """A lock is held for 40 ms each time, and for 44. The groups are recorded in turn,
    so that other load of the machine affects all three."""
    groups: dict[str, list[Path]] = {"base": [], "same": [], "slow": []}
    for number in range(10):
        for name, held_ms in (("base", 40), ("same", 40), ("slow", 44)):
            kept = tmp_path / f"{name}{number}.tmt"
            java.record("Bottleneck", held_ms).trace.rename(kept)
            groups[name].append(kept)
    bases = [part for path in groups["base"] for part in ("--no-regression", path)]
    status, lines = check(*groups["slow"], *bases)
    assert status == 1
    place = "Bottleneck$Ledger in Bottleneck$Ledger.post:"
    assert any(place in line and "by chance" in line for line in lines)
    assert check(*groups["same"], *bases) == (0, [])
