# SPDX-License-Identifier: Apache-2.0
"""A collector of many agents: a thread for each one receives and writes.

    agent ──▶ socket ──▶ thread ──▶ raw file ──▶ spool's thread ──▶ folder or store

A thread reads from its socket only when all data that it has read is written. So a full
disk, or an exceeded rate, makes the agent wait, which counts the events that it drops.
"""

import contextlib
import errno
import os
import re
import secrets
import socket
import ssl
import struct
import threading
import time
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, Final, NamedTuple, TypeVar

from threadmodel.cli.messages import say
from threadmodel.cli.peers import (
    BLOCK_HEADER_BYTES,
    BLOCK_MAGIC,
    CHUNK_BYTES,
    FILE_HEADER_BYTES,
    MOST_PACKED_BYTES,
    Peer,
    Peers,
    is_checked,
)
from threadmodel.cli.segments import DATA, Segment, Spool

FULL: Final = (errno.ENOSPC, errno.EDQUOT)
# Time to read the rest of the sockets' buffers when the collector ends.
DRAIN_S: Final = 3.0
END: Final = 3
_MAGIC: Final = BLOCK_MAGIC[:3]
T = TypeVar("T")


class Rules(NamedTuple):
    """When a new file begins, and limits for agents.

    Attributes:
        file_bytes: a new file begins before a file exceeds this
        file_seconds: files begin at whole multiples of it, by the clock
        agents: at once
        agents_of_host: at once from one host
        bytes_per_s: of an agent; 0: any
    """

    file_bytes: int = 256 << 20
    file_seconds: int = 3600
    agents: int = 256
    agents_of_host: int = 64
    bytes_per_s: int = 0


class DamagedStreamError(Exception):
    """The bytes that an agent sends are no longer a valid trace."""


class Recording:
    """The stream of one agent, as raw files that end between two blocks."""

    def __init__(
        self, spool: Spool, host: str, pid: int, rules: Rules, stop: threading.Event
    ) -> None:
        """Begin with the file header; nothing is written yet."""
        self._spool = spool
        self._host = host
        self._stem = f"{pid}-{secrets.token_hex(4)}"
        self._rules = rules
        self._stop = stop
        self._buffer = bytearray()
        self._header = b""
        self._file: BinaryIO | None = None
        self._index = 0
        self._hour = ""
        self._slot = 0
        self._written = 0
        self._events_before = 0
        self._has_ended = False

    def take(self, data: bytes | bytearray) -> None:
        """Take received bytes, and write the blocks that are complete.

        Raises:
            DamagedStreamError: they are not a valid trace
        """
        self._buffer += data
        if not self._header:
            if len(self._buffer) < FILE_HEADER_BYTES:
                return
            self._header = bytes(self._buffer[:FILE_HEADER_BYTES])
            del self._buffer[:FILE_HEADER_BYTES]
        while not self._has_ended and len(self._buffer) >= BLOCK_HEADER_BYTES:
            header = self._buffer[:BLOCK_HEADER_BYTES]
            packed = int.from_bytes(header[4:8], "little")
            if (
                not is_checked(header)
                or not header.startswith(_MAGIC)
                or packed > MOST_PACKED_BYTES
            ):
                raise DamagedStreamError
            whole = BLOCK_HEADER_BYTES + packed
            if len(self._buffer) < whole:
                return
            block = bytearray(self._buffer[:whole])
            del self._buffer[:whole]
            self._take_block(block)
        if self._has_ended and len(self._buffer) > FILE_HEADER_BYTES:
            # After the end only a trailer may follow, as long as a file header.
            raise DamagedStreamError

    def close(self) -> None:
        """End the last file, with an incomplete block at its end."""
        if self._file is None:
            return
        if self._index == 0:
            self._write(self._buffer)
        self._end_file(is_last=True)

    def _take_block(self, block: bytearray) -> None:
        kind = block[3]
        self._has_ended = kind == END
        now = time.time()
        if self._file is None:
            self._begin_file(now, block)
        elif kind == DATA and self._is_due(now, len(block)):
            self._end_file(is_last=False)
            self._index += 1
            self._begin_file(now, block)
        if self._index:
            if kind != DATA:
                # It has offsets in the file as it was sent.
                return
            before = int.from_bytes(block[16:20], "little") - self._events_before
            block[16:20] = struct.pack("<I", before & 0xFFFFFFFF)
            block[36:40] = struct.pack("<I", zlib.crc32(block[:36]))
        self._write(block)

    def _is_due(self, now: float, more: int) -> bool:
        return (
            self._written + more > self._rules.file_bytes
            or int(now) // self._rules.file_seconds != self._slot
        )

    def _begin_file(self, now: float, block: bytearray) -> None:
        self._slot = int(now) // self._rules.file_seconds
        self._hour = time.strftime("%Y%m%dT%H", time.gmtime(now))
        self._written = 0
        self._events_before = int.from_bytes(block[16:20], "little")
        self._file = self._wait_for_room(self._create)
        self._write(self._header)

    def _create(self) -> BinaryIO:
        return self._spool.create(self._host, self._stem, self._index, self._hour)

    def _end_file(self, *, is_last: bool) -> None:
        if self._file is None:
            return
        with contextlib.suppress(OSError):
            os.fsync(self._file.fileno())
        self._file.close()
        self._file = None
        path = self._spool.path(self._host, self._stem, self._index, self._hour)
        self._spool.put(Segment(path, is_last))

    def _write(self, data: bytes | bytearray) -> None:
        view = memoryview(data)
        self._written += len(view)
        while view:
            assert self._file is not None
            file, rest = self._file, view
            view = view[self._wait_for_room(lambda: file.write(rest)) :]  # noqa: B023

    def _wait_for_room(self, act: Callable[[], T]) -> T:
        """Do something that needs disk space, and retry it until there is some."""
        is_reported = False
        while True:
            try:
                return act()
            except OSError as failure:
                if failure.errno not in FULL or self._stop.is_set():
                    raise
                if not is_reported:
                    say(f"no room in the spool: {self._host} waits")
                is_reported = True
            self._stop.wait(1.0)


class Collector:
    """The agents that are connected, counted by host."""

    def __init__(self, spool: Spool, rules: Rules) -> None:
        """Begin without agents."""
        self._spool = spool
        self._rules = rules
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._agents: dict[threading.Thread, tuple[socket.socket, str]] = {}

    def run(self, peers: Peers) -> None:
        """Receive from all peers that prove to be agents, until an interrupt."""
        try:
            while True:
                self.add(peers.next())
        finally:
            peers.close()
            self._end()

    def add(self, peer: Peer) -> bool:
        """Receive from an agent, unless there are too many."""
        host = host_of(peer.connection)
        with self._lock:
            of_host = sum(other == host for _, other in self._agents.values())
            if len(self._agents) >= self._rules.agents:
                too_many = f"{self._rules.agents} agents"
            elif of_host >= self._rules.agents_of_host:
                too_many = f"{of_host} agents of {host}"
            else:
                thread = threading.Thread(target=self._serve, args=(peer, host))
                thread.daemon = True
                self._agents[thread] = (peer.connection, host)
                thread.start()
                return True
        say(f"an agent was sent away: there are {too_many}")
        peer.connection.close()
        return False

    def _serve(self, peer: Peer, host: str) -> None:
        recording = Recording(self._spool, host, peer.run.pid, self._rules, self._stop)
        connection = peer.connection
        try:
            _keep_alive(connection)
            data: bytes | bytearray = peer.said
            begun, received = time.monotonic(), 0
            while data:
                recording.take(data)
                if self._rules.bytes_per_s:
                    received += len(data)
                    due = begun + received / self._rules.bytes_per_s
                    self._stop.wait(max(due - time.monotonic(), 0.0))
                data = connection.recv(CHUNK_BYTES)
        except DamagedStreamError:
            say(
                f"{host}, process {peer.run.pid}, sent data that is not a trace: closed"
            )
        except OSError as failure:
            if not self._stop.is_set():
                say(f"{host}, process {peer.run.pid}: {failure.strerror or failure}")
        finally:
            with contextlib.suppress(OSError):
                recording.close()
            connection.close()
            with self._lock:
                del self._agents[threading.current_thread()]

    def _end(self) -> None:
        self._stop.set()
        with self._lock:
            agents = dict(self._agents)
        for connection, _ in agents.values():
            # Data that was acknowledged to the sender is still read. The socket is shut
            # down below TLS, whose own shutdown would discard the keys.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(connection, socket.SHUT_RD)
        until = time.monotonic() + DRAIN_S
        for thread in agents:
            thread.join(max(until - time.monotonic(), 0.0))
        for thread, (connection, _) in agents.items():
            if thread.is_alive():
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)
                thread.join(DRAIN_S)


def host_of(connection: socket.socket) -> str:
    """Return the name of an agent's folder: from its certificate, else its address."""
    name = ""
    if isinstance(connection, ssl.SSLSocket):
        facts: Any = connection.getpeercert() or {}
        for part in facts.get("subject", ()):
            name = dict(part).get("commonName", name)
    if not name:
        try:
            address = connection.getpeername()
        except OSError:
            address = "gone"
        name = str(address[0]) if isinstance(address, tuple) else "local"
    return folder_name(name)


def folder_name(name: str) -> str:
    """Return a name of other people with only harmless characters."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:64]
    return re.sub(r"^[.-]", "_", safe) or "_"


def _keep_alive(connection: socket.socket) -> None:
    """Detect the loss of a host within minutes."""
    if connection.family == socket.AF_UNIX:
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 20)
