# SPDX-License-Identifier: Apache-2.0
"""The JVM's own recorder beside our agent: every lock event, however short.

A recording of a busy server prints as hundreds of megabytes, so it is read event by
event and only what a comparison needs is kept.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jdks import Jdk

BLOCKING_STATES = {
    "JavaMonitorEnter": "blocked",
    "JavaMonitorWait": "waiting",
    "ThreadPark": "parked",
    "ThreadSleep": "sleeping",
}
# Says when the recording began; and what comes when it is about to end.
BEGIN = "ActiveRecording"
END = "JVMInformation"
NAMES = (*BLOCKING_STATES, BEGIN, END)
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
{}
</configuration>
"""
EVENT = """<event name="jdk.{}"><setting name="enabled">true</setting>
<setting name="threshold">0 ns</setting><setting name="stackTrace">false</setting>
<setting name="period">{}</setting></event>"""
DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?")
INSTANT = re.compile(r"(\d+-\d+-\d+T\d+:\d+:\d+)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)")
PRIMITIVES = {"I": "int", "J": "long", "B": "byte", "C": "char"}


@dataclass(frozen=True)
class BlockingInterval:
    """One time that a thread was blocked; `start_ns` is since 1970."""

    state: str
    thread_id: int
    class_name: str
    start_ns: int
    duration_ns: int


@dataclass(frozen=True)
class Flight:
    """What a recording holds; `from_ns` and `to_ns` are since 1970."""

    blocking_intervals: list[BlockingInterval]
    from_ns: int
    to_ns: int


def flag(folder: Path) -> tuple[str, Path]:
    """The option of a JVM that has it record into a folder, and the file."""
    settings = folder / "all.jfc"
    kinds = [EVENT.format(n, "endChunk" if n == END else "beginChunk") for n in NAMES]
    settings.write_text(SETTINGS.format("\n".join(kinds)))
    file = folder / "run.jfr"
    return f"-XX:StartFlightRecording=filename={file},settings={settings}", file


def nanoseconds(whole: int, fraction: str | None) -> int:
    return whole * 10**9 + int((fraction or "").ljust(9, "0"))


def duration_ns(text: str) -> int:
    matched = DURATION.fullmatch(text)
    assert matched, text
    hours, minutes, seconds, fraction = matched.groups()
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return nanoseconds(whole, fraction)


def instant_ns(text: str) -> int:
    matched = INSTANT.fullmatch(text)
    assert matched, text
    second, fraction, zone = matched.groups()
    moment = datetime.fromisoformat(second + zone.replace("Z", "+00:00"))
    return nanoseconds(int(moment.astimezone(UTC).timestamp()), fraction)


def class_name(value: dict[str, Any] | None) -> str:
    """The name of a class as Java programs have it: int[] for "[I"."""
    if value is None:
        return ""
    name = value["name"].replace("/", ".")
    element = name.lstrip("[")
    brackets = "[]" * (len(name) - len(element))
    if brackets:
        element = PRIMITIVES.get(element, element.removeprefix("L").removesuffix(";"))
    return element + brackets


def events(jdk: Jdk, file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each event's name and values, as `jfr print --json` lays them out: an event is
    what stands between two lines that begin with four spaces and a brace."""
    wanted = ",".join(f"jdk.{name}" for name in NAMES)
    command = [jdk.tool("jfr"), "print", "--json", "--events", wanted, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines: list[str] = []
        for line in process.stdout:
            if line.startswith(("    }, {", "    }]")):
                event = json.loads("{" + "".join(lines) + "}")
                yield event["type"].removeprefix("jdk."), event["values"]
                lines = []
            elif line.startswith('    "events": ['):
                lines = []
            else:
                lines.append(line)
    assert process.returncode == 0, f"{command} ended with {process.returncode}"


def read(jdk: Jdk, file: Path) -> Flight:
    blocking_intervals = []
    began, ended = [], []
    for name, values in events(jdk, file):
        if name == BEGIN:
            began.append(instant_ns(values["recordingStart"]))
        if name == END:
            ended.append(instant_ns(values["startTime"]))
        if name not in BLOCKING_STATES or values["eventThread"] is None:
            continue
        blocking_intervals.append(
            BlockingInterval(
                BLOCKING_STATES[name],
                values["eventThread"]["javaThreadId"],
                class_name(values.get("monitorClass") or values.get("parkedClass")),
                instant_ns(values["startTime"]),
                duration_ns(values["duration"]),
            )
        )
    return Flight(blocking_intervals, min(began), max(ended))
