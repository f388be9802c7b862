# SPDX-License-Identifier: Apache-2.0
"""Recordings of the JDK Flight Recorder, read by us and by the JDK's own `jfr print`,
both as the same facts to be compared."""

import os
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import threadmodel
from conftest import TIMEOUT_S, Java
from jdk_facts import ENDS, NAMES, SYNCHRONIZER, Fact, by_key
from jdks import ROOT
from threadmodel import EventKind

EMIT = Path(os.environ.get("TM_TEST_EMIT", ROOT / "build/tests/jvm/emit_file"))
TIMED_OUT, BY_INTERRUPT, PEER_REPORTED = 1, 2, 4
VIRTUAL = 1
# Events about the recording itself.
ABOUT = ("ActiveSetting", "JVMInformation")
CONTEXT = (EventKind.GC_PAUSE, EventKind.INFLATED)
SETTING = '<setting name="{}">{}</setting>'


def settings(
    folder: Path,
    threshold: str = "0 ns",
    names: Iterable[str] = NAMES,
    stacks: bool = True,
) -> Path:
    """A file of settings that turns these events on, and those about the recording."""
    events = []
    for name in (*names, *ABOUT):
        chosen = {
            "enabled": "true",
            "threshold": "0 ns" if name in ABOUT else threshold,
            "stackTrace": "true" if stacks else "false",
        }
        if name == "ExecutionSample":
            chosen["period"] = "20 ms"
        if name == "ThreadDump":
            chosen["period"] = "everyChunk"
        lines = "".join(SETTING.format(*item) for item in chosen.items())
        events.append(f'<event name="jdk.{name}">{lines}</event>')
    file = folder / f"settings-{threshold.replace(' ', '')}.jfc"
    file.write_text(
        '<?xml version="1.0" encoding="UTF-8"?><configuration version="2.0">'
        + "".join(events)
        + "</configuration>"
    )
    return file


def command(
    java: Java, file: Path, chosen: Path, options: str, *program: object
) -> list[str]:
    return [
        java.jdk.tool("java"),
        f"-XX:StartFlightRecording=filename={file},settings={chosen}",
        *([f"-XX:FlightRecorderOptions={options}"] if options else []),
        "-cp",
        str(java.classes),
        *map(str, program),
    ]


def record(
    java: Java,
    *program: object,
    threshold: str = "0 ns",
    names: Iterable[str] = NAMES,
    stacks: bool = True,
    options: str = "",
    name: str = "run",
) -> Path:
    """Run a program to its end and return its recording."""
    file = java.folder / f"{name}.jfr"
    chosen = settings(java.folder, threshold, names, stacks)
    done = java.run(command(java, file, chosen, options, *program))
    assert done.returncode == 0, done.stderr
    return file


@dataclass
class Emitted:
    """All that a file emits."""

    end: str
    text: str
    facts: list[Fact] = field(default_factory=list)
    context: list[tuple[EventKind, int, int, int]] = field(default_factory=list)
    classes: Counter[str | None] = field(default_factory=Counter)
    threads: dict[int, tuple[str, str, int]] = field(default_factory=dict)
    caveats: list[str] = field(default_factory=list)
    flags: Counter[int] = field(default_factory=Counter)
    events: list[list[int]] = field(default_factory=list)
    objects: dict[int, list[str]] = field(default_factory=dict)


def emit(file: Path) -> Emitted:
    """Read a file with the library."""
    done = subprocess.run(
        [EMIT, file], capture_output=True, text=True, check=True, timeout=TIMEOUT_S
    )
    lines = done.stdout.splitlines()
    _, end, *text = lines.pop().split(" ", 2)
    emitted = Emitted(end, text[0] if text else "")
    classes, methods, stacks = {}, {}, {"0": ()}
    frames: list[tuple[str, int]] = []
    for line in lines:
        what, _, rest = line.strip().partition(" ")
        if what == "class":
            number, _, names = rest.partition(" ")
            classes[number] = names.rpartition("|")[0]
        elif what == "method":
            number, class_, names = rest.split(" ", 2)
            methods[number] = f"{classes[class_]}.{names.partition('|')[0]}"
        elif what == "stack":
            frames = []
            number = rest.split(" ")[0]
            stacks[number] = frames
        elif what == "frame":
            method, _, source_line = rest.split(" ")
            frames.append((methods[method], int(source_line)))
        elif what == "thread":
            number, _, _, names = rest.split(" ", 3)
            names, _, bits = names.rsplit(" ", 2)
            name, _, group = names.rpartition("|")
            emitted.threads[int(number)] = (name, group, int(bits))
        elif what == "object":
            number, class_, *others = rest.split(" ")
            emitted.objects[int(number)] = [classes.get(class_), *others]
        elif what == "caveat":
            emitted.caveats.append(rest)
        elif what == "event":
            emitted.events.append([int(number) for number in rest.split(" ")])
    pair(emitted, stacks)
    return emitted


def pair(emitted: Emitted, stacks: dict[str, Any]) -> None:
    """Combine start and end of each blocking interval of a thread into one fact."""
    open_: dict[int, Fact] = {}
    for time, thread, object_, peer, value, stack, number, bits in emitted.events:
        kind = EventKind(number)
        # An event of the last thread dump, which `jfr print` is not asked for.
        if kind == EventKind.SNAPSHOT:
            continue
        if kind in CONTEXT:
            emitted.context.append((kind, thread, time, value))
            emitted.classes[emitted.objects[object_][0] if object_ else None] += 1
            continue
        if kind in ENDS.values():
            fact = open_.pop(thread)
            assert ENDS[fact.kind] == kind
            fact.end_ns = time
            fact.peer = peer or None
            assert bool(bits & PEER_REPORTED) == bool(peer)
            if kind == EventKind.WAITED:
                fact.timed_out = bool(bits & TIMED_OUT)
            emitted.flags[bits] += 1
            continue
        fact = Fact(kind, thread, time, frames=tuple(stacks[str(stack)]))
        if object_:
            fact.class_name, joined, _, flags = emitted.objects[object_]
            if int(joined) == 0 and not int(flags) & SYNCHRONIZER:
                fact.address = object_
        if kind in ENDS:
            fact.timeout_ns = value
            assert thread not in open_
            open_[thread] = fact
        elif kind == EventKind.THREAD_START:
            fact.peer = peer or None
        if kind == EventKind.NOTIFY_ALL:
            fact.kind = EventKind.NOTIFY
        emitted.facts.append(fact)
    assert not open_


def plain(emitted: Emitted) -> Counter[tuple[int, ...]]:
    """Events without stacks: a cut may remove stacks or change their numbers. Events of
    threads whose definitions were cut off are left out."""
    found: Counter[tuple[int, ...]] = Counter()
    for time, thread, object_, peer, value, _, kind, bits in emitted.events:
        if all(one == 0 or one in emitted.threads for one in (thread, peer)):
            found[time, thread, object_, peer, value, kind, bits] += 1
    return found


def kinds_of(model: Any) -> set[EventKind]:
    """The kinds of events that the recording reports, by its settings."""
    return {EventKind(kind) for kind in model.run.kinds}


def environment() -> dict[str, str]:
    package = str(Path(threadmodel.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": package}


def compare(ours: Iterable[Fact], theirs: Iterable[Fact]) -> int:
    """Assert that both have the same events. @return the number of events."""
    mine, truth = by_key(ours), by_key(theirs)
    assert Counter({key: len(facts) for key, facts in mine.items()}) == Counter(
        {key: len(facts) for key, facts in truth.items()}
    )
    count = 0
    for key, facts in truth.items():
        for fact, own in zip(facts, mine[key], strict=True):
            count += 1
            if fact.end_ns is not None:
                assert own.end_ns is not None
                # A duration and its start are rounded down to ns separately.
                assert abs(own.end_ns - fact.end_ns) <= 1
                own.end_ns = fact.end_ns
            is_join = fact.kind == EventKind.WAIT and own.address is None
            if is_join:
                assert any(name == "java.lang.Thread.join" for name, _ in fact.frames)
                own.address = fact.address
            if fact.peer is None and own.peer == -1:
                own.peer = None  # the recording names it and does not describe it
            if fact.timeout_ns is None and fact.kind in ENDS:
                assert own.timeout_ns is not None
                assert own.timeout_ns > 0
                own.timeout_ns = None
            assert own == fact, f"we say {own}, the JDK {fact}"
    return count
