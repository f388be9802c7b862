# SPDX-License-Identifier: Apache-2.0
"""Situations of native processes, and what a dump of each has to show."""

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recording import program

import threadmodel
from threadmodel import native

SECONDS = 20
HANGS = Path(program("hangs"))
# A sleep that was interrupted by a stop for its stack goes on as the second call.
SLEEPS = "in (clock_nanosleep|restart_syscall)"


#: What each thread is shown to do, as regular expressions, and how many deadlocks.
Truth = tuple[dict[str, str], int]


def ring(count: int, kind: str = "", within: bool = True) -> Truth:
    """Each thread of a ring is blocked by the next one."""
    found = {}
    for i in range(count):
        after = (i + 1) % count
        offset = rf"\+0x{40 * after:x}" if after else ""
        found[f"ring{i}"] = (
            rf"blocked by mutex mutexes{offset if within else '.*'}"
            rf"{re.escape(kind)}, owned by \"ring{after}\" \d+"
        )
    return found, 1


def queue(count: int, kind: str = "") -> Truth:
    owned = rf"blocked by mutex mutexes{re.escape(kind)}, owned by \"queue0\" \d+"
    found = {f"queue{i}": owned for i in range(1, count)}
    return {"queue0": SLEEPS, **found}, 0


MUTEXES = {
    "recursive": " (recursive)",
    "errorcheck": " (errorcheck)",
    "adaptive": " (adaptive)",
    "robust": " (robust)",
    "inherit": " (priority inheritance)",
    "shared": " (shared by processes)",
}
CASES: dict[tuple[str, ...], Truth] = {
    **{("ring", "normal", str(n)): ring(n) for n in (2, 3, 4, 5, 8, 16, 33)},
    **{
        ("ring", kind, count): ring(int(count), text)
        for kind, text in MUTEXES.items()
        for count in ("2", "5")
        if kind != "inherit"
    },
    **{("queue", kind, "3"): queue(3, text) for kind, text in MUTEXES.items()},
    ("queue", "normal", "2"): queue(2),
    ("queue", "normal", "100"): queue(100),
    ("chain", "normal", "4"): (
        {
            "chain0": r"blocked by mutex mutexes\+0x28, owned by \"chain1\" \d+",
            "chain2": r"blocked by mutex mutexes\+0x78, owned by \"chain3\" \d+",
            "chain3": SLEEPS,
        },
        0,
    ),
    ("timed", "normal", "2"): (
        {"timed1": r"blocked by mutex mutexes, owned by \"timed0\" \d+, with a limit"},
        0,
    ),
    ("timed", "recursive", "2"): (
        {"timed1": r"blocked by mutex mutexes .*, owned by \"timed0\".* limit"},
        0,
    ),
    ("twice", "normal", "1"): (
        {"twice": "blocked by mutex mutexes, which it owns itself"},
        1,
    ),
    ("twice", "adaptive", "1"): (
        {"twice": r"blocked by mutex mutexes \(adaptive\), which it owns itself"},
        1,
    ),
    ("joins", "normal", "2"): (
        {
            "join0": r"joins \"join1\" \d+",
            "join1": r"blocked by mutex single, owned by \"join0\" \d+",
        },
        1,
    ),
    ("joins", "normal", "3"): (
        {
            "join0": r"joins \"join1\" \d+",
            "join1": r"joins \"join2\" \d+",
            "join2": r"blocked by mutex single, owned by \"join0\" \d+",
        },
        1,
    ),
    ("joins", "normal", "5"): (
        {
            "join0": r"joins \"join1\" \d+",
            "join3": r"joins \"join4\" \d+",
            "join4": r"blocked by mutex single, owned by \"join0\" \d+",
        },
        1,
    ),
    ("writers", "normal", "2"): (
        {
            "writer0": r"blocked, to write, by rwlock table, owned by \"writer1\" \d+",
            "writer1": r"blocked, to write, by rwlock other_table, owned by .writer0",
        },
        1,
    ),
    ("readers-wait", "normal", "4"): (
        {
            "writer0": SLEEPS,
            "reader3": r"blocked, to read, by rwlock table, owned by \"writer0\" \d+",
        },
        0,
    ),
    ("writers-wait", "normal", "3"): (
        {
            "writer1": "blocked, to write, by rwlock table, 1 reader, which glibc",
            "writer2": "blocked, to write, by rwlock table, 1 reader, which glibc",
        },
        0,
    ),
    ("condition", "normal", "1"): (
        {"waiter0": "waits for condition condition, 1 waiter$"},
        0,
    ),
    ("condition", "normal", "2"): (
        {"waiter1": "waits for condition condition, 2 waiters$"},
        0,
    ),
    ("condition", "normal", "7"): (
        {"waiter6": "waits for condition condition, 7 waiters$"},
        0,
    ),
    ("timed-condition", "normal", "2"): (
        {"waiter1": "waits for condition condition, 2 waiters, with a limit"},
        0,
    ),
    ("woken", "normal", "1"): (
        {"woken0": r"blocked by mutex single, owned by \"native_hangs\" \d+"},
        0,
    ),
    ("semaphore", "normal", "1"): (
        {"taker0": "waits for semaphore permits, 1 waiter"},
        0,
    ),
    ("semaphore", "normal", "3"): (
        {"taker2": "waits for semaphore permits, 3 waiters, with a limit"},
        0,
    ),
    ("barrier", "normal", "2"): (
        {"early1": "waits for barrier unreached, 2 of 3 came"},
        0,
    ),
    ("barrier", "normal", "1"): (
        {"early0": "waits for barrier unreached, 1 of 2 came"},
        0,
    ),
    ("barrier", "normal", "9"): (
        {"early8": "waits for barrier unreached, 9 of 10 came"},
        0,
    ),
    ("once", "normal", "2"): (
        {
            "once0": r"blocked by mutex single, owned by \"once1\" \d+",
            "once1": r"waits for once routine, which is run by \"once0\" \d+",
        },
        1,
    ),
    ("stream", "normal", "2"): (
        {"stream1": r"blocked by stream lock .*, owned by \"stream0\" \d+"},
        0,
    ),
    ("dead-owner", "normal", "2"): (
        {"heir1": r"blocked by mutex mutexes, owned by thread \d+, which has ended"},
        0,
    ),
    ("sleep", "normal", "3"): ({"sleeper2": SLEEPS}, 0),
}


# So many situations were asked for; more may be here.
assert len(CASES) >= 50


@contextmanager
def running(*command: str) -> Iterator[int]:
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()
        assert process.stdin
        process.stdin.close()


def states(text: str) -> dict[str, str]:
    """What each thread is shown to do, by its name."""
    return dict(re.findall(r'^"([^"\n]*)" \d+ (.*)$', text, re.MULTILINE))


def judge(pid: int, truth: Truth, trace: Path, stacks: str) -> list[str]:
    """Compare a dump with the truth. An empty list: they agree."""
    text = native.dump(pid, str(trace), stacks=stacks)
    found = states(text)
    wrong = [
        f"{thread}: {found.get(thread)}, not {expected}"
        for thread, expected in truth[0].items()
        if not re.match(expected, found.get(thread, ""))
    ]
    cycles = set(threadmodel.open(str(trace)).deadlocks()["deadlock"])
    if len(cycles) != truth[1]:
        wrong.append(f"{len(cycles)} deadlocks, not {truth[1]}")
    return wrong


def await_truth(pid: int, truth: Truth, trace: Path, stacks: str) -> None:
    """Wait until a dump agrees with the truth."""
    deadline = time.monotonic() + SECONDS
    while wrong := judge(pid, truth, trace, stacks):
        assert time.monotonic() < deadline, wrong
        time.sleep(0.05)
