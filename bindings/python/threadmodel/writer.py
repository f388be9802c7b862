# SPDX-License-Identifier: Apache-2.0
"""What all sinks that fill a file have in common: being closed, once and for all."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from threadmodel import errors
from threadmodel._library import check, ffi
from threadmodel.sink import Sink


class FileWriter(Sink):
    """A sink that fills a file.

    Best used in a ``with`` statement. One that is merely dropped is closed, too, but an
    error of that goes unheard.
    """

    def __init__(self, writer: Any, close: Callable[[Any], int]) -> None:
        """Own a C writer; `close` is what frees it."""
        super().__init__()
        self._close = close
        self._writer: Any = ffi.gc(writer, close)

    def _open(self) -> Any:
        if self._writer is None:
            raise errors.InvalidArgumentError("the file is closed")
        return self._writer

    def close(self) -> None:
        """Write what is left and the end; to close again does nothing.

        Raises:
            InputOutputError: this or an earlier write failed
        """
        with self._lock:
            writer, self._writer = self._writer, None
            if writer is not None:
                ffi.gc(writer, None)  # closed here, and not once more when it dies
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
