# SPDX-License-Identifier: Apache-2.0
"""Facts of a recording of the flight recorder, by the JDK's own tool `jfr print`."""

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from conftest import TIMEOUT_S, Java
from threadmodel import EventKind

ENDS = {
    EventKind.CONTENDED_ENTER: EventKind.CONTENDED_ENTERED,
    EventKind.WAIT: EventKind.WAITED,
    EventKind.PARK: EventKind.UNPARKED,
    EventKind.SLEEP: EventKind.SLEPT,
}
NATIVE = 1 << 63
SYNCHRONIZER = 4
NAMES = (
    "JavaMonitorEnter",
    "JavaMonitorWait",
    "JavaMonitorNotify",
    "ThreadPark",
    "ThreadSleep",
    "ThreadStart",
    "ThreadEnd",
    "VirtualThreadStart",
    "VirtualThreadEnd",
    "ExecutionSample",
)
KINDS = {
    "JavaMonitorEnter": EventKind.CONTENDED_ENTER,
    "JavaMonitorWait": EventKind.WAIT,
    "JavaMonitorNotify": EventKind.NOTIFY,
    "ThreadPark": EventKind.PARK,
    "ThreadSleep": EventKind.SLEEP,
    "ThreadStart": EventKind.THREAD_START,
    "ThreadEnd": EventKind.THREAD_END,
    "VirtualThreadStart": EventKind.THREAD_START,
    "VirtualThreadEnd": EventKind.THREAD_END,
    "ExecutionSample": EventKind.CPU_SAMPLE,
}
DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?")


@dataclass
class Fact:
    """An event, as we or the JDK read it; None: the field does not apply."""

    kind: EventKind
    thread: int
    start_ns: int
    end_ns: int | None = None
    class_name: str | None = None
    address: int | None = None
    peer: int | None = None
    timed_out: bool | None = None
    timeout_ns: int | None = None
    frames: tuple[tuple[str, int], ...] = ()

    def key(self) -> tuple[int, int, int]:
        return self.start_ns, self.thread, int(self.kind)


def duration_ns(text: str) -> int:
    matched = DURATION.fullmatch(text)
    assert matched, text
    hours, minutes, seconds, fraction = matched.groups()
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole * 10**9 + int((fraction or "").ljust(9, "0"))


def instant_ns(text: str) -> int:
    """Parse 2026-11-20T14:04:53.370788680Z, as Python keeps only microseconds."""
    matched = re.fullmatch(r"(.*?:\d\d)(?:\.(\d+))?(Z|[+-].*)", text)
    assert matched, text
    seconds, fraction, zone = matched.groups()
    whole = datetime.fromisoformat(seconds + zone.replace("Z", "+00:00"))
    return int(whole.timestamp()) * 10**9 + int((fraction or "").ljust(9, "0"))


def thread_id(thread: dict[str, Any] | None) -> int | None:
    """Our id of a thread; -1 for one that is not a Java thread, which has no key."""
    if thread is None:
        return None
    return thread["javaThreadId"] if thread["javaThreadId"] > 0 else -1


PRIMITIVES = {
    "Z": "boolean",
    "B": "byte",
    "C": "char",
    "S": "short",
    "I": "int",
    "J": "long",
    "F": "float",
    "D": "double",
}


def class_name(name: str) -> str:
    """ "[Ljava.util.Map;" is "java.util.Map[]", as people write it."""
    matched = re.fullmatch(r"(\[*)L?(.*?);?", name.replace("/", "."))
    assert matched, name
    dimensions, name = matched.groups()
    if dimensions:
        name = PRIMITIVES.get(name, name)
    return name + "[]" * len(dimensions)


def timeout_of(values: dict[str, Any], start_ns: int) -> int | None:
    if "time" in values:
        return duration_ns(values["time"])
    text = values["timeout"]
    if text is not None and not text.startswith("PT-"):
        timeout_ns = duration_ns(text)
        if timeout_ns > 0:
            return timeout_ns
    until = values.get("until")
    return None if until and not until.startswith("-") else 0


def fact_of(event: dict[str, Any]) -> Fact:
    name = event["type"].removeprefix("jdk.")
    values = event["values"]
    start_ns = instant_ns(values["startTime"])
    # A thread that the recording does not describe is null here. A sample of one has no
    # other.
    thread = (
        values.get("thread") or values.get("sampledThread") or values.get("eventThread")
    )
    fact = Fact(KINDS[name], thread_id(thread) or -1, start_ns)
    if fact.kind in ENDS:
        fact.end_ns = start_ns + duration_ns(values["duration"])
        fact.timeout_ns = 0
    class_ = values.get("monitorClass") or values.get("parkedClass")
    if class_:
        fact.class_name = class_name(class_["name"])
    if name.startswith("JavaMonitor"):
        fact.address = values["address"]
    for key in ("previousOwner", "notifier", "parentThread"):
        if key in values:
            fact.peer = thread_id(values[key])
    if name == "JavaMonitorWait":
        fact.timed_out = values["timedOut"]
    if name in ("JavaMonitorWait", "ThreadPark", "ThreadSleep"):
        fact.timeout_ns = timeout_of(values, start_ns)
    stack = values.get("stackTrace")
    if stack and not name.endswith("ThreadStart"):
        fact.frames = tuple(
            (
                frame["method"]["type"]["name"].replace("/", ".")
                + "."
                + frame["method"]["name"],
                max(frame["lineNumber"], 0),
            )
            for frame in stack["frames"]
        )
    return fact


def print_by_jdk(java: Java, file: Path, names: Iterable[str] = NAMES) -> list[dict]:
    """The events of a file, by `jfr print` of the JDK."""
    done = subprocess.run(
        [java.jdk.tool("jfr"), "print", "--json", "--stack-depth", "64"]
        + ["--events", ",".join(f"jdk.{name}" for name in names), file],
        capture_output=True,
        text=True,
        check=True,
        timeout=TIMEOUT_S,
    )
    events = json.loads(done.stdout)["recording"]["events"]
    # A start event without a thread marks the begin of the shutdown, and is read so.
    return [
        event
        for event in events
        if event["type"] != "jdk.ThreadStart" or event["values"]["thread"]
    ]


def by_key(facts: Iterable[Fact]) -> dict[tuple[int, int, int], list[Fact]]:
    found = defaultdict(list)
    for fact in facts:
        if fact.thread >= NATIVE:
            fact.thread = -1
        if fact.peer is not None and fact.peer >= NATIVE:
            fact.peer = -1
        found[fact.key()].append(fact)
    return found
