# SPDX-License-Identifier: Apache-2.0
"""Targets of a live view: a JVM that is attached to, a native process that is looked
at, and an agent that connects to a listener."""

import contextlib
import os
import socket
import threading
from typing import IO, Final, Protocol

from threadmodel import attach as attaching
from threadmodel import native
from threadmodel.cli.peers import CHUNK_BYTES, Peer
from threadmodel.errors import AttachError
from threadmodel.model import Model
from threadmodel.source import Live
from threadmodel.source import open as open_source

TRACE: Final = "top.tmt"


class Target(Protocol):
    """A process that is shown live."""

    @property
    def has_rates(self) -> bool:
        """Whether its model has durations."""

    def update(self) -> Model | None:
        """Read what is new; None: nothing was written yet."""

    def is_going_on(self) -> bool:
        """Whether more may come."""

    def is_full(self) -> bool:
        """Whether the trace has reached its limit."""

    def stop(self) -> None:
        """Leave the process as it was."""


class Recorded:
    """A JVM, recorded by attaching, and the model of what was recorded so far."""

    has_rates: Final = True

    def __init__(self, pid: int, folder: str, memory_mib: int, disk_mib: int) -> None:
        """Attach; the trace grows in the folder, up to a limit."""
        self._recording: Final = attaching.record(pid, os.path.join(folder, TRACE))
        self._path: Final = self._recording.path_here()
        self._memory_bytes: Final = memory_mib << 20
        self._disk_bytes: Final = disk_mib << 20
        self._live: Live | None = None

    def update(self) -> Model | None:
        """Read what is new; None: nothing was written yet."""
        if self._live is None:
            try:
                self._live = Live(self._path, memory_limit_bytes=self._memory_bytes)
            except (OSError, ValueError):
                return None
        return self._live.update()

    def is_going_on(self) -> bool:
        """Whether the process runs, and is recorded."""
        return self._recording.is_going_on() and not self.is_full()

    def is_full(self) -> bool:
        """Whether the trace has reached its limit."""
        # That of a JVM in a container is gone with it.
        with contextlib.suppress(OSError):
            return os.path.getsize(self._path) > self._disk_bytes
        return False

    def stop(self) -> None:
        """Leave the process as it was."""
        self._recording.stop()


class Looked:
    """A native process, whose threads are looked at now and then."""

    has_rates: Final = False

    def __init__(self, pid: int, folder: str) -> None:
        """Look nowhere yet."""
        self._pid: Final = pid
        self._path: Final = os.path.join(folder, TRACE)
        self._runs = True

    def update(self) -> Model | None:
        """Look twice: a thread that moved in between is not stuck."""
        try:
            native.dump(self._pid, self._path, times=2, every_s=0.1, stacks="go-on")
        except AttachError:
            self._runs = runs(self._pid)
            if self._runs:
                raise
            return None
        return open_source(self._path)

    def is_going_on(self) -> bool:
        """Whether the process runs."""
        return self._runs

    def is_full(self) -> bool:
        """Never: each look replaces the one before."""
        return False

    def stop(self) -> None:
        """Nothing is left to undo."""


class Heard:
    """An agent that has connected, whose trace a thread writes to a file."""

    has_rates: Final = True

    def __init__(
        self, peer: Peer, file: IO[bytes], memory_mib: int, disk_mib: int
    ) -> None:
        """Begin with what it has sent so far."""
        self._connection: Final = peer.connection
        self._file: Final = file
        self._disk_bytes: Final = disk_mib << 20
        self._is_full = False
        self._write(bytes(peer.said))
        self.live: Final = Live(file.name, memory_limit_bytes=memory_mib << 20)
        self._failure: OSError | None = None
        self._thread: Final = threading.Thread(target=self._receive, daemon=True)
        self._thread.start()

    def update(self) -> Model:
        """Read what is new."""
        return self.live.update()

    def wait(self, seconds: float) -> bool:
        """Wait for the end of what is sent; False: there it is."""
        self._thread.join(seconds)
        return self.is_going_on()

    def is_going_on(self) -> bool:
        """Whether the agent may send more."""
        return self._thread.is_alive()

    def is_full(self) -> bool:
        """Whether the trace has reached its limit."""
        return self._is_full

    def stop(self) -> None:
        """Hear no more; the program runs on.

        Raises:
            OSError: the trace could not be written
        """
        # To close it alone would not end a receive.
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._connection.close()
        if self._failure is not None:
            raise self._failure

    def _receive(self) -> None:
        while not self._is_full:
            try:
                data = self._connection.recv(CHUNK_BYTES)
            except OSError:
                return
            if not data:
                return
            try:
                self._write(data)
            except OSError as failure:
                self._failure = failure
                return

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._file.write(view) :]
        if self._disk_bytes:
            size = os.fstat(self._file.fileno()).st_size
            self._is_full = size > self._disk_bytes


def runs(pid: int) -> bool:
    """Whether there is such a process."""
    return os.path.exists(f"/proc/{pid}/stat")
