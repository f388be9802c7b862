# SPDX-License-Identifier: Apache-2.0
"""Dumps of the size that hurts, made up, and how fast they are read.

usage: dumps.py BENCH_JFR [THREADS]

A JSON dump of so many virtual threads (1,000,000), most of them parked for locks of
their own, some hundred different stacks; and a heap dump of this machine's newest JDK,
its largest segment repeated to 2 GB. Both are read from the page cache.
"""

import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/jvm"))

from jdks import JDKS, Jdk  # noqa: E402

HEAP_BYTES = 2_000_000_000
STACKS = 500
PROGRAMS = ROOT / "tests/jvm/programs"
LOCK = "java.util.concurrent.locks.ReentrantLock$NonfairSync"
PARKED = [
    "java.lang.VirtualThread.park(VirtualThread.java:742)",
    "java.lang.System$1.parkVirtualThread(System.java:2285)",
    "java.util.concurrent.locks.LockSupport.park(LockSupport.java:221)",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire("
    "AbstractQueuedSynchronizer.java:790)",
    "java.util.concurrent.locks.ReentrantLock$Sync.lock(ReentrantLock.java:154)",
    "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:323)",
]
HEAD = """{
  "threadDump": {
    "processId": "1",
    "time": "2026-01-01T00:00:00.000000000Z",
    "runtimeVersion": "25+36",
    "threadContainers": [
      {
        "container": "<root>",
        "parent": null,
        "owner": null,
        "threads": [
"""
THREAD = """          {
            "tid": "%d",
            "time": "2026-01-01T00:00:00.%09dZ",
            "virtual": true,
            "name": "request-%d",
            "state": "WAITING",
            "parkBlocker": {
              "object": "%s@%x"
            },
            "stack": [
%s
            ]
          }"""


def write_json(path: Path, threads: int) -> None:
    """Lay out a dump as JDK 25 does."""
    draw = random.Random(20)
    stacks = []
    for _ in range(STACKS):
        frames = [f"java.base\\/{frame}" for frame in PARKED]
        for _ in range(draw.randrange(3, 9)):
            service, line = draw.randrange(40), draw.randrange(400)
            frames.append(f"shop.Service{service}.step{line % 20}(Service.java:{line})")
        frames.append("java.base\\/java.lang.VirtualThread.run(VirtualThread.java:460)")
        stacks.append(",\n".join(f'              "{frame}"' for frame in frames))
    with path.open("w", buffering=1 << 20) as file:
        file.write(HEAD)
        for number in range(threads):
            lock = draw.getrandbits(25) if number % 3 else number % STACKS
            values = (number + 30, number, number, LOCK, lock, stacks[number % STACKS])
            file.write(THREAD % values + (",\n" if number + 1 < threads else "\n"))
        file.write(f'        ],\n        "threadCount": "{threads}"\n      }}\n    ]\n')
        file.write("  }\n}\n")


def dump_heap(jdk: Jdk, folder: Path) -> Path:
    """Dump the heap of a small program."""
    subprocess.run(
        [jdk.tool("javac"), "-d", folder, PROGRAMS / "Moment.java"], check=True
    )
    file = folder / "small.hprof"
    with subprocess.Popen(
        [jdk.tool("java"), "-cp", folder, "Moment"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        subprocess.run(
            [jdk.tool("jcmd"), str(program.pid), "GC.heap_dump", file],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        program.kill()
    return file


def inflate(small: bytes, to: BinaryIO) -> None:
    """Write the records of a heap dump, its largest segment again and again."""
    head, segment = struct.Struct(">BII"), b""
    at = small.index(b"\0") + 13
    to.write(small[:at])
    while at < len(small):
        tag, _, length = head.unpack_from(small, at)
        record = small[at : at + head.size + length]
        to.write(record)
        if tag == 0x1C and len(record) > len(segment):
            segment = record
        at += len(record)
    while to.tell() < HEAP_BYTES:
        to.write(segment)


def main() -> int:
    bench = Path(sys.argv[1]).resolve()
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        json = folder / "dump.json"
        write_json(json, threads)
        print(f"JSON dump of {threads:,} threads, {json.stat().st_size / 1e6:.0f} MB")
        subprocess.run([bench, json], check=True)
        json.unlink()
        if not JDKS:
            print("no JDK to dump a heap with")
            return 0
        heap = folder / "heap.hprof"
        with heap.open("wb") as file:
            inflate(dump_heap(JDKS[-1], folder).read_bytes(), file)
        print(f"heap dump, {heap.stat().st_size / 1e6:.0f} MB")
        subprocess.run([bench, heap], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
