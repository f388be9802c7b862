# SPDX-License-Identifier: Apache-2.0
"""Reading a large file in a thread of its own while the model ingests its events.

The C library starts no thread, and one thread at a time uses a model. But a file and
the model that it is read into are two objects, which two threads may use.
"""

import os
import threading
from collections.abc import Callable
from typing import Any, Final

from threadmodel import errors
from threadmodel._library import check, error, ffi, lib
from threadmodel.sink import Sink

# For a smaller file a thread is not worth its cost.
LEAST_BYTES: Final = 16 << 20
# Events in the queue. A chunk of a JFR recording has up to a million, and is decoded
# completely before its first event arrives: meanwhile the model works on the queue.
ROOM: Final = 1 << 20


class _Reader(threading.Thread):
    """Reads all of a source into a relay."""

    def __init__(self, source: Any, relay: Any) -> None:
        super().__init__(name="threadmodel-reader", daemon=True)
        self.position_bytes = 0
        self.code: int = lib.TM_MORE
        self.failure: errors.ThreadmodelError | None = None
        self._source = source
        self._relay = relay

    def run(self) -> None:
        sink = lib.threadmodel_relay_sink(self._relay)
        try:
            while self.code == lib.TM_MORE:
                self.code = lib.tm_source_read(self._source, sink)
                self.position_bytes = lib.tm_source_position_bytes(self._source)
            if self.code < 0:
                # Only the thread of a failure has its text.
                self.failure = error(self.code)
        finally:
            lib.threadmodel_relay_close(self._relay)


def is_worth_it(length_bytes: int) -> bool:
    """Whether a file of this length is read sooner by two threads."""
    return length_bytes >= LEAST_BYTES and len(os.sched_getaffinity(0)) > 1


def read(source: Any, sink: Sink, progress: Callable[[int], object]) -> str | None:
    """Read all of a source into a sink; what is missing of it, or None.

    Args:
        source: that nobody else uses meanwhile
        sink: locked while it takes a part, and free in between
        progress: called after each part, with how many bytes were read so far

    Raises:
        ThreadmodelError: the source failed, or the sink did
    """
    relay = lib.threadmodel_relay_new(ROOM)
    if relay == ffi.NULL:
        raise errors.OutOfMemoryError(f"no memory for {ROOM} events")
    relay = ffi.gc(relay, lib.threadmodel_relay_free)
    reader = _Reader(source, relay)
    reader.start()
    code = lib.TM_MORE
    try:
        while code == lib.TM_MORE:
            with sink._lock:
                code = lib.threadmodel_relay_read(relay, sink._sink())
            check(code)
            progress(reader.position_bytes)
    finally:
        lib.threadmodel_relay_stop(relay)
        reader.join()
    if reader.code == lib.TM_EDAMAGED:
        return str(reader.failure)
    if reader.failure is not None:
        raise reader.failure
    return None
