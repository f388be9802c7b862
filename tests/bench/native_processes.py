# SPDX-License-Identifier: Apache-2.0
"""Processes of servers: started, connected to, and what they have cost so far."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def connect(port: int) -> socket.socket:
    for _ in range(200):
        with contextlib.suppress(OSError):
            made = socket.create_connection(("127.0.0.1", port))
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return made
        time.sleep(0.05)
    raise SystemExit(f"nobody listens at port {port}")


def receive(client: socket.socket, count: int) -> None:
    while count > 0:
        got = len(client.recv(1 << 20))
        if got == 0:
            raise SystemExit("the server has closed a connection")
        count -= got


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    found = [int(child) for child in text.split()]
    return found + [below for child in found for below in children(child)]


def processor_s(pid: int) -> float:
    """Of a process and all its threads, so far; the kernel counts nanoseconds."""
    total_ns = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):
            total_ns += int((task / "schedstat").read_text().split()[0])
    return total_ns / 1e9


def switches(pid: int) -> int:
    """How often a thread of a process had to wait, so far."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found = re.search(
                r"\nvoluntary_ctxt\S+\s+(\d+)", (task / "status").read_text()
            )
            total += int(found[1]) if found else 0
    return total


def user_s(pid: int) -> float:
    """Of a process and all its threads in user mode, so far, in ticks of the clock."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def named(pids: list[int], program: str) -> list[int]:
    """Those that run the program, not what starts or records it."""
    return [
        pid
        for pid in pids
        if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == program
        or (program == "redis-server" and "redis" in os.readlink(f"/proc/{pid}/exe"))
    ]


@contextlib.contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    it = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield it
    finally:
        it.send_signal(signal.SIGTERM)
        it.wait(60)
