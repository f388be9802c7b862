# SPDX-License-Identifier: Apache-2.0
"""Writing .tmt traces."""

import os
from types import TracebackType
from typing import Any

from threadmodel import errors
from threadmodel._library import check, ffi, lib, options, path_bytes
from threadmodel.selection import MAX_UINT64, whole
from threadmodel.sink import MAX_UINT32, Sink


class TraceWriter(Sink):
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
        super().__init__()
        out = ffi.new("tm_trace_writer **")
        choices = options(
            "tm_trace_writer_options",
            level=whole(level, "level", 22, -100),
            block_events=whole(block_events, "block_events", MAX_UINT32),
        )
        check(lib.tm_trace_writer_open(out, path_bytes(path), choices))
        self._writer: Any = ffi.gc(out[0], lib.tm_trace_writer_close)

    def _sink(self) -> Any:
        return lib.tm_trace_writer_sink(self._open())

    def _open(self) -> Any:
        if self._writer is None:
            raise errors.InvalidArgumentError("the trace is closed")
        return self._writer

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

    def close(self) -> None:
        """Write what is left and the end; to close again does nothing.

        Raises:
            InputOutputError: this or an earlier write failed
        """
        with self._lock:
            writer, self._writer = self._writer, None
            if writer is not None:
                ffi.gc(writer, None)  # closed here, and not once more when it dies
                check(lib.tm_trace_writer_close(writer))

    def __enter__(self) -> "TraceWriter":
        """Return the writer itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()
