# SPDX-License-Identifier: Apache-2.0
"""Writing .tmt traces."""

import os
from typing import Any

from threadmodel._library import check, ffi, lib, options, path_bytes
from threadmodel.selection import MAX_UINT64, whole
from threadmodel.sink import MAX_UINT32
from threadmodel.writer import FileWriter


class TraceWriter(FileWriter):
    """A sink that fills a .tmt file; a file of that name is replaced.

    Best used in a ``with`` statement. One that is merely dropped is closed, too, but an
    error of that goes unheard.

    Args:
        path: of the file
        level: zstd's compression level; 0: its default
        block_events: events a block at most; 0: the default

    Raises:
        InputOutputError: the file cannot be made (an OSError)
    """

    def __init__(
        self, path: str | os.PathLike[str], *, level: int = 0, block_events: int = 0
    ) -> None:
        """Make the file."""
        out = ffi.new("tm_trace_writer **")
        choices = options(
            "tm_trace_writer_options",
            level=whole(level, "level", 22, -100),
            block_events=whole(block_events, "block_events", MAX_UINT32),
        )
        check(lib.tm_trace_writer_open(out, path_bytes(path), choices))
        super().__init__(out[0], lib.tm_trace_writer_close)

    def _sink(self) -> Any:
        return lib.tm_trace_writer_sink(self._open())

    @property
    def bytes_written(self) -> int:
        """Bytes of the file so far, without the block in work."""
        with self._lock:
            return whole(lib.tm_trace_writer_bytes(self._open()), "bytes", MAX_UINT64)

    def flush(self) -> None:
        """Hand the block in work to the operating system, so that readers see it.

        Raises:
            InputOutputError: the write failed
        """
        with self._lock:
            check(lib.tm_trace_writer_flush(self._open()))
