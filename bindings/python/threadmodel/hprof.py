# SPDX-License-Identifier: Apache-2.0
"""Writing HPROF's binary format."""

import os
from typing import Any

from threadmodel._library import check, ffi, lib, options, path_bytes
from threadmodel.writer import FileWriter


class HprofWriter(FileWriter):
    """A sink that fills a file of HPROF's binary format; one of that name is replaced.

    It holds threads, the stacks at which something was seen, and CPU samples. HPROF's
    text, which is of sums, is what ``model.export(path, "hprof")`` writes.

    Args:
        path: of the file
        by_thread: whether the same stack is written once for each thread, so that
            samples name their threads

    Raises:
        InputOutputError: the file cannot be made (an OSError)
    """

    def __init__(self, path: str | os.PathLike[str], *, by_thread: bool = True) -> None:
        """Make the file."""
        out = ffi.new("tm_hprof_writer **")
        choices = options("tm_hprof_writer_options", by_thread=int(by_thread))
        check(lib.tm_hprof_writer_open(out, path_bytes(path), choices))
        super().__init__(out[0], lib.tm_hprof_writer_close)

    def _sink(self) -> Any:
        return lib.tm_hprof_writer_sink(self._open())
