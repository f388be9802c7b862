# SPDX-License-Identifier: Apache-2.0
"""Sinks that fill a file: a trace, or a log in the text format of another tool."""

import os
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from threadmodel import errors
from threadmodel._enums import WriterFormat as WriterFormat
from threadmodel._library import (
    MAX_INT32,
    MAX_INT64,
    MAX_UINT32,
    MAX_UINT64,
    c_string,
    check,
    ffi,
    lib,
    options,
    path_bytes,
    whole,
)
from threadmodel.event import EventKind
from threadmodel.sink import Sink


class FileWriter(Sink):
    """A sink that fills a file.

    Best used in a ``with`` statement. A writer that is merely dropped is closed, too,
    but errors are then ignored.
    """

    def __init__(self, writer: Any, close: Callable[[Any], int]) -> None:
        """Own a C writer, which `close` frees."""
        super().__init__()
        self._close = close
        self._writer: Any = ffi.gc(writer, close)

    def _open(self) -> Any:
        if self._writer is None:
            raise errors.InvalidArgumentError("the file is closed")
        return self._writer

    def close(self) -> None:
        """Write the rest and the end. Another call does nothing.

        Raises:
            InputOutputError: this or an earlier write failed
        """
        with self._lock:
            writer, self._writer = self._writer, None
            if writer is not None:
                ffi.gc(writer, None)  # closed here, not by the destructor
                check(self._close(writer))

    def __enter__(self) -> Self:
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


class Writer(FileWriter):
    """A sink that fills a file; one of that name is replaced.

    Best used in a ``with`` statement. A writer that is merely dropped is closed, too,
    but errors are then ignored.

    A contention log's metadata go beside it, into files that end in ``.classtable``
    and ``.method``.

    Args:
        path: of the file
        format: a trace, .tmt, unless another is named
        level: of a trace: zstd's compression level; 0: its default
        block_events: of a trace: events a block at most; 0: the default
        dialect: of a contention log: changes to the fields of its lines
        time_unit_ns: of TPTP XML; 0: seconds

    Raises:
        InputOutputError: a file cannot be made (an OSError)
        InvalidArgumentError: the dialect is invalid (a ValueError)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        format: WriterFormat = WriterFormat.TRACE,
        *,
        level: int = 0,
        block_events: int = 0,
        dialect: str | None = None,
        time_unit_ns: int = 0,
    ) -> None:
        """Make the file."""
        out = ffi.new("tm_writer **")
        choices = options(
            "tm_writer_options",
            format=whole(format, "format", MAX_INT32),
            level=whole(level, "level", 22, -100),
            block_events=whole(block_events, "block_events", MAX_UINT32),
            dialect=ffi.NULL if dialect is None else c_string(dialect, "dialect"),
            time_unit_ns=whole(time_unit_ns, "time_unit_ns", MAX_INT64),
        )
        check(lib.tm_writer_open(out, path_bytes(path), choices))
        super().__init__(out[0], lib.tm_writer_close)

    def _sink(self) -> Any:
        return lib.tm_writer_sink(self._open())

    @property
    def bytes_written(self) -> int:
        """Bytes of the file so far, without those that are still buffered."""
        with self._lock:
            return whole(lib.tm_writer_written_bytes(self._open()), "bytes", MAX_UINT64)

    def flush(self) -> None:
        """Pass all data so far to the operating system, so that readers see it.

        Raises:
            InputOutputError: the write failed
        """
        with self._lock:
            check(lib.tm_writer_flush(self._open()))

    def dropped(self) -> dict[str, int]:
        """Count the events that the format cannot hold, by the name of their kind."""
        with self._lock:
            writer = self._open()
            counts = {
                kind.name.lower(): whole(
                    lib.tm_writer_dropped_count(writer, int(kind)), "events", MAX_UINT64
                )
                for kind in EventKind
            }
        return {name: count for name, count in counts.items() if count}
