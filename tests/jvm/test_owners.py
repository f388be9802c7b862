# SPDX-License-Identifier: Apache-2.0
"""The owner of a monitor when a thread blocked on it, compared with what the program
knows: right or unknown and never wrong, for each collector and kind of lock."""

import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest

from attached import running
from conftest import TIMEOUT_S, VIRTUAL_SINCE, Java
from jdks import Jdk
from recordings import EMIT
from threadmodel import EventFlag, EventKind, attach

# Switches of the VM that change where objects lie and how a lock is represented.
WAYS = (
    "-XX:+UseG1GC",
    "-XX:+UseParallelGC",
    "-XX:+UseSerialGC",
    "-XX:+UseZGC",
    "-XX:+UseShenandoahGC",
    "-Xint",
    "-Xcheck:jni",
    "-XX:-UseCompressedOops",
    "-XX:+UseHeavyMonitors",
    "-XX:LockingMode=1",
    "-XX:LockingMode=0",
    "-XX:+UseCompactObjectHeaders",
    "-XX:+UnlockDiagnosticVMOptions -XX:+UseObjectMonitorTable",
    "-XX:+UseCompactObjectHeaders -XX:+UseZGC",
)
# With these the owner that acquired a monitor before any contention is unknown: the VM
# keeps it as an address that only the collector can resolve, or does not keep it.
UNKNOWN_AT_FIRST = ("-XX:+UseZGC", "-XX:LockingMode=1")
# Before that, or with PINS, a thread that blocks on or holds a monitor is pinned.
RELEASES_CARRIER_SINCE = 24
PINS = ("-XX:LockingMode=1", "-XX:LockingMode=0")


@dataclass
class Enter:
    """A thread that blocked on one of the program's own locks."""

    time_ns: int
    thread: int
    peer: int


def enters(trace: Path) -> list[Enter]:
    """Read the blocks from the events themselves, without a model."""
    done = subprocess.run(
        [EMIT, trace], capture_output=True, text=True, check=True, timeout=TIMEOUT_S
    )
    lines = [line.split(" ") for line in done.stdout.splitlines()]
    locks = {
        words[1]
        for words in lines
        if words[0] == "class" and words[2].startswith("Owners$Lock|")
    }
    mine = {words[1] for words in lines if words[0] == "object" and words[2] in locks}
    found = []
    for what, *words in lines:
        if what != "event" or int(words[6]) != EventKind.CONTENDED_ENTER:
            continue
        time_ns, thread, _, peer = map(int, words[:4])
        assert bool(peer) == bool(int(words[7]) & EventFlag.PEER_INFERRED)
        if words[2] in mine:
            found.append(Enter(time_ns, thread, peer))
    return found


def accepts(jdk: Jdk, flags: list[str]) -> bool:
    done = subprocess.run(
        [jdk.tool("java"), *flags, "-version"], capture_output=True, check=False
    )
    return done.returncode == 0


def check(lines: list[str], found: list[Enter]) -> tuple[Counter[str], Counter[str]]:
    """Compare each block with the program's output. Returns by scene the number of
    blocks, and of those with a known owner; 'crowd' is the scene of the crowd."""
    expected: dict[int, tuple[int, str]] = {}
    tries: dict[int, list[tuple[int, int, set[int]]]] = defaultdict(list)
    for line in lines:
        what, *words = line.split(" ")
        if what == "block":
            expected[int(words[0])] = (int(words[1]), words[2])
        elif what == "try":
            thread, from_ns, to_ns = map(int, words[:3])
            owners = {int(word) for word in words[3].split(",") if word}
            tries[thread].append((from_ns, to_ns, owners))
    blocks: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for enter in found:
        assert enter.peer != enter.thread
        # The program does not print the block that starts the scenes.
        if enter.thread not in expected and enter.thread not in tries:
            continue
        scene = "crowd"
        if enter.thread in expected:
            owner, scene = expected[enter.thread]
            assert enter.peer in (0, owner), scene
        else:
            (owners,) = (
                owners
                for from_ns, to_ns, owners in tries[enter.thread]
                if from_ns <= enter.time_ns <= to_ns
            )
            assert enter.peer in owners | {0}
        blocks[scene] += 1
        known[scene] += enter.peer != 0
    return blocks, known


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", ["Owners", "VirtualOwners"])
def test_the_owner_that_is_read_is_the_one_that_the_program_knows(
    java: Java, program: str, way: str
):
    flags = way.split()
    if program == "VirtualOwners" and java.jdk.release < VIRTUAL_SINCE:
        pytest.skip("it has no virtual threads")
    pins = way in PINS or java.jdk.release < RELEASES_CARRIER_SINCE
    if program == "VirtualOwners" and pins:
        pytest.skip("blocked virtual threads keep their carriers, which are too few")
    if not accepts(java.jdk, flags):
        pytest.skip(f"this JDK takes no {way}")
    run = java.record(program, flags=tuple(flags))
    found = enters(run.trace)
    blocks, known = check(run.stdout.splitlines(), found)
    assert not [
        caveat for caveat in run.model.caveats if "owners of monitors" in caveat
    ]
    # The VM knows the owner of a monitor that was contended for before; of any other
    # one if the owner is on a carrier.
    assert known["used"] * 4 >= blocks["used"] * 3 > 0
    if not set(flags) & set(UNKNOWN_AT_FIRST):
        for scene in ("mounted", "nested"):
            assert known[scene] * 4 >= blocks[scene] * 3 > 0
    named = {
        (row["thread_id"], row["peer_id"])
        for row in run.rows("timeline", state="blocked")
        # Reported: the VM had named the owner before, and nothing has changed since.
        if row["provenance"] in ("inferred", "reported")
    }
    assert {(it.thread, it.peer) for it in found if it.peer} <= named


def test_owners_are_read_at_each_attach(java: Java):
    rounds = 3
    with running(java, "Owners", rounds) as program:
        assert program.process.stdout is not None
        for i in range(rounds):
            program.hear("ready")
            trace = java.folder / f"run-{i}.tmt"
            with attach.record(program.pid, trace):
                program.go_on()
                lines = list(iter(program.process.stdout.readline, "done\n"))
            blocks, known = check([line.strip() for line in lines], enters(trace))
            assert known["older"] == blocks["older"] == 1
            assert known["nested"] * 4 >= blocks["nested"] * 3 > 0
            program.go_on()
        assert program.end() == ""
