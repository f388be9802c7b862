# SPDX-License-Identifier: Apache-2.0
"""Every call is recorded, however the caller was compiled: the program counts them.

With TM_TEST_FULL, ten million calls for each compiler.
"""

import os
import subprocess
from pathlib import Path

import pytest

from conftest import Java
from jdks import ROOT

EACH = 2_500_000 if "TM_TEST_FULL" in os.environ else 20_000
BYPASSED = Path(
    os.environ.get("TM_TEST_BYPASSED", ROOT / "build/tests/jvm/libbypassed.so")
)
TALLY = Path(os.environ.get("TM_TEST_TALLY", ROOT / "build/tests/jvm/tally"))


def tally(trace: Path, thread: str) -> dict[str, int]:
    """The number of events of each kind of a thread, and of those that were lost."""
    said = subprocess.run(
        [TALLY, trace, thread], capture_output=True, text=True, check=True
    ).stdout
    pairs = (line.split("=") for line in said.splitlines())
    return {kind: int(count) for kind, count in pairs}


@pytest.mark.parametrize(
    "flags",
    [
        (),
        ("-XX:-TieredCompilation",),
        ("-XX:TieredStopAtLevel=1",),
        ("-Xint",),
        ("-Xcomp",),
    ],
    ids=lambda flags: flags[0] if flags else "tiered",
)
def test_every_call_of_a_hot_loop_is_reported(java: Java, flags: tuple[str, ...]):
    trace = java.folder / "calls.tmt"
    agent = f"file={trace},buffer=16384,depth=0"
    done = java.run(java.command("Counted", EACH, agent=agent, flags=flags))
    assert done.returncode == 0, done.stderr
    slept = int(done.stdout.partition("slept=")[2])
    counts = tally(trace, "counted")
    lost = counts.pop("lost")
    # Their number depends on the clock, and on the time of a read.
    for kind in ("cpu_time", "cpu_wait", "on_cpu", "off_cpu", "await", "awaited"):
        counts.pop(kind, None)
    made = {
        "notify": EACH,
        "notify_all": EACH,
        "unpark_called": EACH,
        "park": EACH,
        "unparked": EACH,
        "sleep": slept,
        "slept": slept,
        "wait": 1,
        "waited": 1,
        "thread_start": 1,
        "thread_end": 1,
    }
    if lost == 0:
        assert counts == made
    else:
        assert all(counts.get(kind, 0) <= made[kind] for kind in made)
        # Those two may be lost as well.
        assert sum(counts.values()) + lost - sum(made.values()) in {0, 1, 2}


def unseen(java: Java, seen: int, bypassed: int) -> list[str]:
    options = "buffer=65536"
    run = java.record("Bypassed", BYPASSED, seen, bypassed, options=options)
    return [
        caveat for caveat in run.model.caveats if "no notify that was seen" in caveat
    ]


def test_notifies_that_come_by_no_hook_are_found_out_and_reported(java: Java):
    """Some calls are recorded, as of a method that is not compiled yet."""
    if not BYPASSED.exists():
        pytest.skip(f"no library in {BYPASSED}")
    (said,) = unseen(java, 200, 100)
    woken, missed = (int(word) for word in said.split() if word.isdigit())
    assert missed >= 100
    assert woken >= 300
    assert "who woke them is not known" in said
    assert unseen(java, 300, 0) == []
