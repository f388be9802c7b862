# SPDX-License-Identifier: Apache-2.0
"""The threads of programs/Moment.java at rest: their true states, and dumps."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import threadmodel
from conftest import TIMEOUT_S, VIRTUAL_SINCE, Java

LOCKS = "java.util.concurrent.locks.ReentrantLock$"
# State, class of the object that the thread is blocked for, and its owner.
PLATFORM = {
    "wants second": ("deadlocked", "Moment$Second", "wants first"),
    "wants first": ("deadlocked", "Moment$First", "wants second"),
    "wants plain": ("deadlocked", f"{LOCKS}NonfairSync", "wants fair"),
    "wants fair": ("deadlocked", f"{LOCKS}FairSync", "wants plain"),
    "wants lock": ("deadlocked", f"{LOCKS}NonfairSync", "wants monitor"),
    "wants monitor": ("deadlocked", "java.lang.Object", "wants lock"),
    'a "holder", twice': ("sleeping", None, None),
    "blocked": ("blocked", "Moment$Shared", 'a "holder", twice'),
    "waiter": ("waiting", "Moment$Mailbox", None),
    "timed waiter": ("waiting", "Moment$Mailbox", None),
    "reenters": ("reentering", "Moment$Mailbox", "notifier"),
    "notifier": ("sleeping", None, None),
    "sleeper": ("sleeping", None, None),
    "joiner": ("joining", "java.lang.Thread", None),
    "parked": ("parked", "Moment$Shared", None),
    "parked for nothing": ("parked", None, None),
    "parked a while": ("parked", "Moment$Shared", None),
    "runs": ("running", None, None),
}
VIRTUAL = {
    "virtual wants fourth": (
        "deadlocked",
        "VirtualMoment$Fourth",
        "virtual wants third",
    ),
    "virtual wants third": (
        "deadlocked",
        "VirtualMoment$Third",
        "virtual wants fourth",
    ),
    "virtual waiter": ("waiting", "VirtualMoment$Third", None),
    "virtual sleeper": ("sleeping", None, None),
    "virtual parked": ("parked", "VirtualMoment$Third", None),
    "virtual holder": ("sleeping", None, None),
    "virtual queued": ("parked", f"{LOCKS}NonfairSync", None),
    "virtual runs": ("running", None, None),
}
OF_MONITORS = {"wants first", "wants second"}
OF_LOCKS = {"wants plain", "wants fair"}
OF_BOTH = {"wants lock", "wants monitor"}
OF_VIRTUAL = {"virtual wants third", "virtual wants fourth"}
State = tuple[str, str | None, str | None]


@dataclass
class Moment:
    """A JVM in which nothing moves."""

    java: Java
    pid: int

    def jcmd(self, *command: str) -> str:
        return subprocess.run(
            [self.java.jdk.tool("jcmd"), str(self.pid), *command],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=True,
        ).stdout

    def print(self, file: Path, *options: str) -> Path:
        file.write_text(self.jcmd("Thread.print", *options))
        return file

    def dump(self, command: str, file: Path, *options: str) -> Path:
        """Let the JVM write a file."""
        self.jcmd(command, *options, str(file))
        return file


@contextmanager
def moment(java: Java, *, virtual: bool = False) -> Iterator[Moment]:
    command = [java.jdk.tool("java"), "-cp", str(java.classes), "Moment"]
    if virtual:
        assert java.jdk.release >= VIRTUAL_SINCE
        command.append("VirtualMoment")
        # Up to JDK 23 virtual threads that wait in synchronized blocks are pinned.
        command[1:1] = ["-Djdk.virtualThreadScheduler.parallelism=16"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield Moment(java, process.pid)
        finally:
            process.kill()


def states(model: threadmodel.Model) -> dict[str, State]:
    """By name: state, class of the object that it is blocked for, known owner."""
    last: dict[str, dict[str, Any]] = {}
    for row in model.timeline():
        if row["thread"] is not None:
            last[row["thread"]] = row
    return {
        name: (row["state"], row["class"], row["peer"]) for name, row in last.items()
    }


def deadlocks(model: threadmodel.Model) -> dict[frozenset[str], str]:
    """Members of each, and the weakest provenance of its owners."""
    members: dict[int, list[dict[str, Any]]] = {}
    for row in model.deadlocks():
        members.setdefault(row["deadlock"], []).append(row)
    return {
        frozenset(row["thread"] for row in rows): min(
            (row["provenance"] for row in rows), key=("inferred", "reported").index
        )
        for rows in members.values()
    }
