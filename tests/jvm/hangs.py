# SPDX-License-Identifier: Apache-2.0
"""The programs of Hangs.java, those of them that cannot go on, and concurrent runs.

A plain check runs a few, --full all.
"""

import os
import subprocess
import time
from collections.abc import Callable, Iterable

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
    "readers": {"reader", "writer", "helper"},
    "queues": {"east", "west"},
    "phaser": {"party-0", "party-1"},
    "exchanger": {"trader"},
    "single": {"pool-1-thread-1"},
    "stamped": {"taker"},
    "nested": {"waiter", "notifier"},
    "timerEnds": {"patient"},
    "leak": {"next"},
    "appender": {"appender", "logger"},
    "cleaner": {"cleaner", "user"},
    "itself": {"narcissus"},
}
# Threads that block a member and that no event shows: readers of a lock.
READERS = {"readers": {"writer": "reader", "helper": "reader"}}
# Programs whose other threads go on.
PARTLY = {
    name: HUNG[name]
    for name in ("pool", "owner", "upgrade", "permits", "single", "leak", "itself")
} | {
    "pooled": {"borrower-0", "borrower-1"},
    "returned": {"clerk-0", "clerk-1"},
    "meetings": {"stays-0", "stays-1"},
    "stream": {"reader"},
    "handedOn": {"clerk-0", "clerk-1"},
}
# If other threads go on, these may be waiting for them: the first line names them.
OWED = {
    "nested": "notifier has waited",
    "cleaner": "cleaner has waited",
    "readers": "(writer and helper|helper and writer) have waited",
    "stamped": "taker has waited",
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
    "scheduled",
    "later",
    "looks",
    "selects",
    "packets",
    "process",
    "exits",
    "collected",
    "cached",
    "forkJoin",
    "delayed",
    "timesOut",
    "permitsLater",
    "joins",
    "inStep",
    "turns",
    "watcher",
    "futures",
    "permitHeld",
    "permitsWorked",
    "producersEnd",
    "stages",
    "triesOften",
)
FULL = "TM_TEST_FULL" in os.environ
# Programs of every check: one for each kind of edge and of idleness.
SOME_HUNG = (
    *("pool", "owner", "upgrade", "permits", "orders", "join", "nested", "reply"),
    "readers",
)
SOME_HEALTHY = (
    "idle",
    "timer",
    "server",
    "nap",
    "beat",
    "computes",
    "daemons",
    "input",
)
SOME = tuple(HUNG) + HEALTHY if FULL else SOME_HUNG + SOME_HEALTHY
# Programs with a thread that waits to be woken from outside as well.
WATCHED = SOME if FULL else (*SOME, "process", "exits", "collected")
# Recordings and dumps are made of fewer programs.
RECORDED = SOME if FULL else ("pool", "owner", "nested", "join", "idle", "daemons")
LOOKED_AT = SOME if FULL else ("pool", "owner", "idle")
# Threads of the flight recorder are in the program's thread group, and go on.
RECORDED_TOO = ("-XX:StartFlightRecording", "-Xlog:jfr*=off")
PATIENCE_S = 0.5
AT_ONCE = 8
Running = dict[str, subprocess.Popen[str]]


def start_all(
    java: Java, names: Iterable[str], command: Callable[[str], list[str]]
) -> Running:
    running = {}
    for name in names:
        with open(java.folder / f"{name}.err", "w") as errors:
            running[name] = subprocess.Popen(
                command(name),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=java.folder,
            )
    for name, process in running.items():
        assert process.stdout is not None
        line = process.stdout.readline()
        while line and line != "ready\n":
            line = process.stdout.readline()
        assert line, name
    time.sleep(PATIENCE_S)
    return running


def end_all(running: Running) -> dict[str, int]:
    """Return the time just before the last wait of each program that cannot go on."""
    for process in running.values():
        process.terminate()
    # Terminated before its input ends, which would be another event.
    for process in running.values():
        process.wait(TIMEOUT_S)
    said = {name: it.communicate(timeout=TIMEOUT_S)[0] for name, it in running.items()}
    return {name: int(text.split()[1]) for name, text in said.items() if "last" in text}


def plain(java: Java, *flags: str) -> Callable[[str], list[str]]:
    return lambda name: [
        java.jdk.tool("java"),
        *flags,
        "-cp",
        str(java.classes),
        "Hangs",
        name,
    ]


def check(
    model: threadmodel.Model, name: str, *, is_certain: bool
) -> dict[str, object]:
    """Check that a verdict has the members that the program knows, or none."""
    (row,) = model.verdict()
    members = {str(member["thread"]) for member in model.verdict_members()}
    if name in HUNG:
        assert row["kind"] in ("stuck", "deadlocked"), (name, row["title"], row["text"])
        assert members == HUNG[name], name
        by = {row["thread"]: row["by"] for row in model.verdict_members()}
        if is_certain:
            assert READERS.get(name, {}).items() <= by.items()
        assert not (is_certain and row["suspected"]), (name, row["title"])
    else:
        assert row["kind"] not in ("stuck", "deadlocked", "partly_stuck", "starved"), (
            name,
            row["title"],
            row["text"],
        )
        assert members == set(), name
        # No place is named at which all threads have waited for long.
        assert row["since_ns"] is None, (name, row["title"])
    return row


def in_turn(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Divide names into groups small enough that each program soon gets a processor."""
    return [names[i : i + AT_ONCE] for i in range(0, len(names), AT_ONCE)]
