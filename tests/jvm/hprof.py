# SPDX-License-Identifier: Apache-2.0
"""Readers of HPROF's two formats, written from its manual, without our code."""

import re
import struct
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Frame:
    method: str
    signature: str
    source: str | None
    class_name: str | None
    line: int


@dataclass
class Binary:
    """The content of a file in the binary format; heap records are refused."""

    id_bytes: int = 0
    start_ms: int = 0
    tags: list[int] = field(default_factory=list)
    strings: dict[int, str] = field(default_factory=dict)
    classes: dict[int, str] = field(default_factory=dict)
    frames: dict[int, Frame] = field(default_factory=dict)
    traces: dict[int, list[Frame]] = field(default_factory=dict)
    trace_threads: dict[int, int] = field(default_factory=dict)
    threads: dict[int, tuple[str, str]] = field(default_factory=dict)
    ended: list[int] = field(default_factory=list)
    samples: dict[int, int] = field(default_factory=dict)
    sample_total: int = 0
    depth: int = 0
    times_us: list[int] = field(default_factory=list)


class Cursor:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        taken = self.data[self.at : self.at + count]
        assert len(taken) == count, f"{count} bytes wanted at {self.at}"
        self.at += count
        return taken

    def u(self, count: int) -> int:
        return int.from_bytes(self.take(count), "big")

    @property
    def is_done(self) -> bool:
        return self.at == len(self.data)


def read_binary(path: Path) -> Binary:
    cursor = Cursor(path.read_bytes())
    name = b"JAVA PROFILE 1.0.2\0"
    assert cursor.take(len(name)) == name
    read = Binary(id_bytes=cursor.u(4))
    read.start_ms = cursor.u(4) << 32 | cursor.u(4)
    while not cursor.is_done:
        tag, time_us, length = cursor.u(1), cursor.u(4), cursor.u(4)
        body = Cursor(cursor.take(length))
        read.tags.append(tag)
        read.times_us.append(time_us)
        read_record(read, tag, body)
        assert body.is_done, f"{length - body.at} bytes left of a record {tag:#x}"
    return read


def read_record(read: Binary, tag: int, body: Cursor) -> None:
    def id_() -> int:
        return body.u(read.id_bytes)

    def string(key: int) -> str | None:
        return None if key == 0 else read.strings[key]

    if tag == 0x01:
        key = id_()
        assert key not in read.strings
        read.strings[key] = body.take(len(body.data) - body.at).decode()
    elif tag == 0x02:
        serial = body.u(4)
        assert serial > 0
        assert serial not in read.classes
        id_()
        assert body.u(4) in read.traces
        read.classes[serial] = read.strings[id_()]
    elif tag == 0x04:
        key = id_()
        method, signature, source = string(id_()), string(id_()), string(id_())
        class_name = read.classes.get(body.u(4))
        (line,) = struct.unpack(">i", body.take(4))
        read.frames[key] = Frame(
            method or "", signature or "", source, class_name, line
        )
    elif tag == 0x05:
        serial = body.u(4)
        assert serial not in read.traces
        read.trace_threads[serial] = body.u(4)
        read.traces[serial] = [read.frames[id_()] for _ in range(body.u(4))]
    elif tag == 0x0A:
        serial = body.u(4)
        assert serial not in read.threads
        id_()
        assert body.u(4) in read.traces
        name, group = string(id_()), string(id_())
        id_()
        read.threads[serial] = (name or "", group or "")
    elif tag == 0x0B:
        serial = body.u(4)
        assert serial in read.threads
        read.ended.append(serial)
    elif tag == 0x0D:
        read.sample_total = body.u(4)
        for _ in range(body.u(4)):
            count, serial = body.u(4), body.u(4)
            assert serial in read.traces
            read.samples[serial] = count
    elif tag == 0x0E:
        body.u(4)
        read.depth = body.u(2)
    else:
        raise AssertionError(f"record {tag:#x}")


@dataclass
class Row:
    rank: int
    self_percent: float
    accumulated_percent: float
    count: int
    trace: int
    name: str


@dataclass
class Text:
    """The content of a file in the text format."""

    threads: dict[int, tuple[str, str]] = field(default_factory=dict)
    ended: list[int] = field(default_factory=list)
    traces: dict[int, list[str]] = field(default_factory=dict)
    trace_threads: dict[int, int] = field(default_factory=dict)
    monitor_total_ms: int = -1
    monitors: list[Row] = field(default_factory=list)
    samples: list[Row] = field(default_factory=list)


THREAD = re.compile(
    r'THREAD START \(obj=[0-9a-f]+, id = (\d+), name="(.*)", group="(.*)"\)'
)
TRACE = re.compile(r"TRACE (\d+):(?: \(thread=(\d+)\))?")
ROW = re.compile(r" *(\d+) +([\d.]+)% +([\d.]+)% +(\d+) +(\d+) (.*)")


def read_text(path: Path) -> Text:
    read = Text()
    head, _, body = path.read_text().partition("\n--------\n")
    assert head.startswith("JAVA PROFILE 1.0.1, created ")
    frames: list[str] = []
    rows: list[Row] | None = None
    for line in body.splitlines():
        if found := THREAD.fullmatch(line):
            read.threads[int(found[1])] = (found[2], found[3])
        elif line.startswith("THREAD END (id = "):
            read.ended.append(int(line[17:-1]))
        elif found := TRACE.fullmatch(line):
            frames = read.traces[int(found[1])] = []
            if found[2]:
                read.trace_threads[int(found[1])] = int(found[2])
        elif line.startswith("\t"):
            frames.append(line[1:])
        elif found := re.match(r"MONITOR TIME BEGIN \(total = (\d+) ms\) ", line):
            read.monitor_total_ms = int(found[1])
            rows = read.monitors
        elif line.startswith("CPU SAMPLES BEGIN (total = "):
            rows = read.samples
        elif found := ROW.fullmatch(line):
            assert rows is not None
            rank, own, accumulated, count, trace, name = found.groups()
            rows.append(
                Row(
                    int(rank),
                    float(own),
                    float(accumulated),
                    int(count),
                    int(trace),
                    name,
                )
            )
        elif line in ("MONITOR TIME END", "CPU SAMPLES END"):
            rows = None
        else:
            assert line == "" or line.startswith("rank "), line
    assert rows is None
    return read
