# SPDX-License-Identifier: Apache-2.0
"""Writing the text formats of other tools."""

import enum
import os
from typing import Any

from threadmodel._library import check, ffi, lib, options, path_bytes
from threadmodel.event import EventKind
from threadmodel.selection import MAX_INT64, MAX_UINT64, c_string, whole
from threadmodel.writer import FileWriter


class LogFormat(enum.IntEnum):
    """Formats of logs; docs/formats.md describes them."""

    CONTENTION = lib.TM_LOG_CONTENTION
    TPTP = lib.TM_LOG_TPTP


class LogWriter(FileWriter):
    """A sink that fills a log; files of its names are replaced.

    A contention log's metadata go beside it, into files that end in ``.classtable``
    and ``.method``.

    Args:
        path: of the log
        format: contention log or TPTP XML
        dialect: changes to the fields of a contention log's lines
        time_unit_ns: of TPTP XML; 0: seconds

    Raises:
        InputOutputError: a file cannot be made (an OSError)
        InvalidArgumentError: the dialect is none (a ValueError)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        format: LogFormat,
        *,
        dialect: str | None = None,
        time_unit_ns: int = 0,
    ) -> None:
        """Make the files."""
        out = ffi.new("tm_log_writer **")
        kept = ffi.NULL if dialect is None else c_string(dialect, "dialect")
        choices = options(
            "tm_log_writer_options",
            dialect=kept,
            time_unit_ns=whole(time_unit_ns, "time_unit_ns", MAX_INT64),
        )
        check(lib.tm_log_writer_open(out, path_bytes(path), int(format), choices))
        super().__init__(out[0], lib.tm_log_writer_close)

    def _sink(self) -> Any:
        return lib.tm_log_writer_sink(self._open())

    def dropped(self) -> dict[str, int]:
        """Count the events that the format cannot hold, by the name of their kind."""
        with self._lock:
            writer = self._open()
            counts = {
                kind.name.lower(): whole(
                    lib.tm_log_writer_dropped(writer, int(kind)), "events", MAX_UINT64
                )
                for kind in EventKind
            }
        return {name: count for name, count in counts.items() if count}
