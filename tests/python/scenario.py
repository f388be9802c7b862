# SPDX-License-Identifier: Apache-2.0
"""Reads the scenario files of tests/scenarios; FORMAT.md there describes them."""

import shlex
from dataclasses import dataclass, field
from pathlib import Path

from threadmodel import (
    Event,
    EventFlag,
    EventKind,
    Frame,
    Model,
    ObjectKind,
    Policy,
    Run,
)

STATES = [
    "unknown",
    "new",
    "running",
    "blocked",
    "waiting",
    "reentering",
    "joining",
    "sleeping",
    "parked",
    "deadlocked",
    "dead",
    "runnable",
    "io",
    "native",
]
FLAGS = {
    "timed_out": EventFlag.TIMED_OUT,
    "by_interrupt": EventFlag.BY_INTERRUPT,
    "reported": EventFlag.PEER_REPORTED,
    "inferred": EventFlag.PEER_INFERRED,
    "confirmed": EventFlag.CONFIRMED,
    "sampled": EventFlag.SAMPLED,
    "paused": EventFlag.PAUSED,
    "initialisation": EventFlag.INITIALISATION,
    "shared": EventFlag.SHARED,
    "not_owned": EventFlag.NOT_OWNED,
    "owner_read": EventFlag.OWNER_READ,
    "timed": EventFlag.TIMED,
    "idle": EventFlag.IDLE,
    "voluntary": EventFlag.VOLUNTARY,
}
KINDS = {kind.name.lower(): kind for kind in EventKind}
PAIRS = [
    {EventKind.CONTENDED_ENTER, EventKind.CONTENDED_ENTERED},
    {EventKind.WAIT, EventKind.WAITED},
    {EventKind.NOTIFY, EventKind.NOTIFY_ALL},
    {EventKind.SLEEP, EventKind.SLEPT},
    {EventKind.JOIN, EventKind.JOINED},
    {EventKind.PARK, EventKind.UNPARKED},
    {EventKind.ACQUIRED, EventKind.RELEASED},
    {EventKind.AWAIT, EventKind.AWAITED},
    {EventKind.RUNNABLE, EventKind.ON_CPU},
]


@dataclass
class Expectation:
    """One table that the library must give."""

    line: int
    table: str
    threads: list[str] = field(default_factory=list)
    where: dict[str, str] = field(default_factory=dict)
    until_ns: int | None = None
    to: str | None = None
    method: str | None = None
    waited_for: bool = False
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)


@dataclass
class Scenario:
    """The content of a file."""

    path: Path
    run: dict[str, str] = field(default_factory=dict)
    definitions: list[list[str]] = field(default_factory=list)
    events: list[list[str]] = field(default_factory=list)
    expected: list[Expectation] = field(default_factory=list)
    threads: dict[str, int] = field(default_factory=dict)
    objects: dict[str, int] = field(default_factory=dict)
    stacks: dict[str, int] = field(default_factory=dict)


def read(path: Path) -> Scenario:
    """Read a scenario file."""
    scenario = Scenario(path)
    section = ""
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        opens = line[:1] not in (" ", "\t")
        if not line.strip() or line.startswith("#"):
            continue
        if section == "drawing:" and not opens:
            continue
        words = _words(line)
        if not words or words[0].startswith("#"):
            continue
        if opens:
            section = words[0]
            if section == "run:":
                scenario.run = dict(word.split("=", 1) for word in words[1:])
            elif section == "expect":
                scenario.expected.append(_expectation(number, words))
        elif section == "define:":
            scenario.definitions.append(words)
            known = {"thread": scenario.threads, "object": scenario.objects}
            names = known.get(words[0])
            if names is not None:
                _, options = _options(words)
                names[words[1]] = int(options.get("id", str(len(names) + 1)), 0)
            elif words[0] == "stack":
                scenario.stacks[words[1]] = len(scenario.stacks) + 1
        elif section == "events:":
            scenario.events.append(words)
        elif section == "expect":
            expected = scenario.expected[-1]
            if not expected.columns:
                expected.columns = words
            else:
                assert len(words) == len(expected.columns), f"{path}:{number}"
                expected.rows.append(words)
    assert scenario.expected, f"{path} expects nothing"
    return scenario


def fill(scenario: Scenario, until_ns: int | None) -> Model:
    """Make a model of the events up to a time, ingested one by one."""
    run = scenario.run
    events = [_event(scenario, words) for words in scenario.events]
    kinds: set[int] = set()
    for name in run.get("kinds", "").split(","):
        if name == "seen":
            known = set(KINDS.values())
            kinds |= {event.kind for event in events if event.kind in known}
            # A producer that reports one of a pair reports the other as well.
            for pair in PAIRS:
                if kinds & pair:
                    kinds |= pair
        elif name:
            kinds.add(KINDS[name])
    model = Model(policy=_policy(run.get("force", "unknown")))
    model.define_run(
        Run(
            start_ns=int(run.get("start", "0")),
            end_ns=int(run.get("end", "0")),
            kinds=frozenset(kinds),
            policy=_policy(run.get("policy", "unknown")),
        )
    )
    _define(scenario, model)
    for event in events:
        if until_ns is not None and event.time_ns > until_ns:
            break
        model.ingest([event])
    return model


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    lexer.quotes = '"'
    lexer.escape = ""
    return list(lexer)


def _options(words: list[str]) -> tuple[set[str], dict[str, str]]:
    flags = {word for word in words[2:] if "=" not in word}
    return flags, dict(word.split("=", 1) for word in words[2:] if "=" in word)


def _expectation(number: int, words: list[str]) -> Expectation:
    words = [*words[:-1], words[-1].rstrip(":")]
    expected = Expectation(number, words[1])
    mode = ""
    for word in words[2:]:
        if word in ("of", "where", "at", "to", "method"):
            mode = word
        elif word == "waited_for":
            expected.waited_for = True
        elif mode == "to":
            expected.to = word
        elif mode == "method":
            expected.method = word
        elif mode == "of":
            expected.threads.append(word)
        elif mode == "where":
            column, value = word.split("=", 1)
            expected.where[column] = value
        else:
            expected.until_ns = int(word)
    return expected


def _policy(name: str) -> Policy:
    return Policy[name.upper()]


def _define(scenario: Scenario, model: Model) -> None:
    classes: dict[str, int] = {}
    methods: dict[str, int] = {}
    thread_objects: dict[str, int] = {}

    def class_id(name: str, source: str | None = None) -> int:
        number = classes.setdefault(name, len(classes) + 1)
        model.define_class(number, name, source)
        return number

    def frame(text: str) -> Frame:
        name, _, line = text.partition(":")
        owner, _, method = name.rpartition(".")
        number = methods.setdefault(name, len(methods) + 1)
        model.define_method(number, class_id(owner), method)
        return Frame(number, -1, int(line or "0"))

    for words in scenario.definitions:
        flags, options = _options(words)
        if words[0] == "class":
            class_id(words[1], options.get("source"))
        elif words[0] == "stack":
            model.define_stack(
                scenario.stacks[words[1]], [frame(text) for text in words[2:]]
            )
        elif words[0] == "object":
            thread = options.get("thread")
            if thread:
                thread_objects[thread] = scenario.objects[words[1]]
            model.define_object(
                scenario.objects[words[1]],
                class_id(options["class"]),
                hash=int(options["hash"], 0) if "hash" in options else None,
                thread=scenario.threads[thread] if thread else 0,
                maybe_many="maybe_many" in flags,
                synchronizer="synchronizer" in flags,
                name=options.get("name"),
                kind=ObjectKind[options.get("kind", "unknown").upper()],
            )
    for words in scenario.definitions:
        flags, options = _options(words)
        if words[0] == "thread":
            model.define_thread(
                scenario.threads[words[1]],
                options.get("name", words[1]),
                options.get("group"),
                object=thread_objects.get(words[1], 0),
                virtual="virtual" in flags,
                daemon="daemon" in flags,
                agent="agent" in flags,
            )


def _thing(names: dict[str, int], word: str) -> int:
    if word == "-":
        return 0
    return int(word[1:], 0) if word.startswith("#") else names[word]


def _event(scenario: Scenario, words: list[str]) -> Event:
    fields = {"object": 0, "peer": 0, "value": 0, "stack": 0, "flags": 0}
    for word in words[3:]:
        key, _, value = word.partition("=")
        if word in FLAGS:
            fields["flags"] |= FLAGS[word]
        elif key == "peer":
            fields["peer"] = _thing(scenario.threads, value)
        elif key in ("value", "timeout"):
            fields["value"] = int(value, 0)
        elif key == "owner":
            fields["value"] = _thing(scenario.threads, value)
        elif key == "state":
            fields["value"] = STATES.index(value)
        elif key == "stack":
            fields["stack"] = _thing(scenario.stacks, value)
        else:
            fields["object"] = _thing(scenario.objects, word)
    kind = KINDS.get(words[2])
    return Event(
        int(words[0], 0),
        _thing(scenario.threads, words[1]),
        kind if kind is not None else int(words[2]),
        **fields,
    )
