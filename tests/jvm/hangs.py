# SPDX-License-Identifier: Apache-2.0
"""The programs of Hangs.java, which of them cannot go on, and runs of several at once.

A few are run each time, all with --full.
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
# The thread that keeps a member out, where no event shows it: readers of a lock.
READERS = {"readers": {"writer": "reader", "helper": "reader"}}
# Beside others that go on.
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
# Beside others that go on, they may be waiting for these: the first line names them.
OWED = {
    "nested": "notifier waits",
    "cleaner": "cleaner waits",
    "readers": "(writer and helper|helper and writer) wait",
    "stamped": "taker waits",
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
# Each time: of each kind of edge and of idleness one.
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
# Of these a thread waits that is woken from outside of the program.
WATCHED = SOME if FULL else (*SOME, "process", "exits", "collected")
# The same questions asked of recordings and of dumps are for fewer programs.
RECORDED = SOME if FULL else ("pool", "owner", "nested", "join", "idle", "daemons")
LOOKED_AT = SOME if FULL else ("pool", "owner", "idle")
# The threads of the flight recorder are in the program's group, and go on.
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
    """Return when the last thread of each that cannot go on was about to wait."""
    for process in running.values():
        process.terminate()
    # The end of its input would be an event of its own.
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
    """A verdict has the members that the program knows, and a healthy one none."""
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
        # Nor is a place named at which all have waited for long.
        assert row["since_ns"] is None, (name, row["title"])
    return row


def in_turn(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    """So many at once that each gets a processor soon after it noted the time."""
    return [names[i : i + AT_ONCE] for i in range(0, len(names), AT_ONCE)]
