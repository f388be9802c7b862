# SPDX-License-Identifier: Apache-2.0
"""Which part of a run a question is about."""

from collections.abc import Iterable
from typing import Any

from threadmodel import errors
from threadmodel._library import ffi, options

Window = tuple[int | None, int | None]

MAX_UINT64 = 2**64 - 1
MAX_INT64 = 2**63 - 1


def c_string(value: str, what: str) -> Any:
    """Make a C string that lives as long as what is returned.

    Raises:
        InvalidArgumentError: no text, or one that holds a zero character
    """
    if not isinstance(value, str) or "\0" in value:
        raise errors.InvalidArgumentError(f"{what} is no text: {value!r:.100}")
    return ffi.new("char[]", value.encode("utf-8", "replace"))


def whole(value: int, what: str, highest: int, lowest: int = 0) -> int:
    """Check that a number fits the C field that it is for.

    Raises:
        InvalidArgumentError: it does not, or is none
    """
    try:
        number = value.__index__()
    except AttributeError:
        raise errors.InvalidArgumentError(
            f"{what} is no whole number: {value!r:.100}"
        ) from None
    if not lowest <= number <= highest:
        raise errors.InvalidArgumentError(f"{what} is out of range: {number}")
    return number


class Selection:
    """A ``tm_selection`` and the memory that it points at.

    Args:
        threads: ids of threads; None: all
        classes: names of classes of the objects waited for; None: all
        window: from and to in ns since the run began, ``to`` not included; None in
            either place is the run's end on that side

    Raises:
        InvalidArgumentError: a value of the wrong type or range
    """

    def __init__(
        self,
        threads: Iterable[int] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> None:
        """Check and copy the choices."""
        self.struct = options("tm_selection")
        self._kept: list[Any] = []
        if threads is not None:
            ids = [whole(t, "thread id", MAX_UINT64) for t in threads]
            self._put("threads", "thread_count", ffi.new("uint64_t[]", ids or [0]))
            self.struct.thread_count = len(ids)
        if classes is not None:
            if isinstance(classes, str):
                classes = [classes]
            names = [c_string(c, "class name") for c in classes]
            self._kept += names
            self._put("classes", "class_count", ffi.new("char *[]", names or 1))
            self.struct.class_count = len(names)
        if window is not None:
            self._set_window(window)

    def _put(self, field: str, count: str, array: Any) -> None:
        self._kept.append(array)
        setattr(self.struct, field, array)
        setattr(self.struct, count, len(array))

    def _set_window(self, window: Window) -> None:
        try:
            start, end = window
        except (TypeError, ValueError):
            raise errors.InvalidArgumentError(
                f"window is no pair of times: {window!r:.100}"
            ) from None
        if start is not None:
            self.struct.from_ns = whole(start, "window start", MAX_INT64)
        if end is not None:
            self.struct.to_ns = whole(end, "window end", MAX_INT64)
            if end <= (start or 0):
                raise errors.InvalidArgumentError(
                    f"window ends at {end} ns, not after its start at {start or 0} ns"
                )
