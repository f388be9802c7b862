# SPDX-License-Identifier: Apache-2.0
"""Which part of a run a question is about."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from threadmodel import errors
from threadmodel._library import (
    MAX_INT64,
    MAX_UINT64,
    c_string,
    c_strings,
    ffi,
    options,
    whole,
)

Window = tuple[int | None, int | None]


def _names(given: Iterable[str] | str | None, what: str) -> tuple[str, ...] | None:
    if given is None:
        return None
    names = (given,) if isinstance(given, str) else tuple(given)
    for name in names:
        c_string(name, what)
    return names


@dataclass(frozen=True, slots=True, init=False)
class Selection:
    """The part of a run that a question is about; what is None is not narrowed.

        Selection(threads="main", window=(0, 5_000_000))

    It belongs to no run: one may be put to several.

    Attributes:
        threads: ids of threads (column ``thread_id``), or names, which stand for all
            threads that have them
        classes: names of the classes of the objects that threads waited for
        window: a pair of times in ns since the run began, the second not included;
            None in either place leaves that side open
        columns: names of the columns that are wanted of a list, such as a timeline: the
            others are null in every row, and take next to no time or memory
    """

    threads: tuple[int | str, ...] | None
    classes: tuple[str, ...] | None
    window: Window | None
    columns: tuple[str, ...] | None

    def __init__(
        self,
        threads: Iterable[int | str] | int | str | None = None,
        classes: Iterable[str] | str | None = None,
        window: Window | None = None,
        columns: Iterable[str] | str | None = None,
    ) -> None:
        """Check and copy the choices; one thread or class need not be in a list.

        Raises:
            InvalidArgumentError: a value that cannot be, such as an empty window
        """
        if threads is not None:
            if isinstance(threads, (int, str)):
                threads = (threads,)
            threads = tuple(threads)
            for thread in threads:
                if not isinstance(thread, str):
                    whole(thread, "thread id", MAX_UINT64)
        object.__setattr__(self, "threads", threads)
        object.__setattr__(self, "classes", _names(classes, "class name"))
        object.__setattr__(self, "columns", _names(columns, "column"))
        object.__setattr__(self, "window", None if window is None else _checked(window))

    @property
    def start_ns(self) -> int:
        """Where the window begins."""
        return (self.window and self.window[0]) or 0

    @property
    def end_ns(self) -> int | None:
        """Where the window ends; None: it is open there."""
        return self.window[1] if self.window else None


ALL: Final = Selection()


def _checked(window: Window) -> Window:
    try:
        start, end = window
    except (TypeError, ValueError):
        raise errors.InvalidArgumentError(
            f"window is not a pair of times: {window!r:.100}"
        ) from None
    if start is not None:
        whole(start, "window start", MAX_INT64)
    if end is not None:
        whole(end, "window end", MAX_INT64)
        if end <= (start or 0):
            raise errors.InvalidArgumentError(
                f"window ends at {end} ns, not after its start at {start or 0} ns"
            )
    return (start, end)


def to_struct(selection: Selection, ids: list[int] | None) -> Any:
    """Return a ``tm_selection *`` of these threads instead of the named ones."""
    fields: dict[str, Any] = {
        "from_ns": selection.start_ns,
        "to_ns": selection.end_ns or 0,
    }
    if ids is not None:
        fields["threads"] = ffi.new("uint64_t[]", ids or [0])
        fields["thread_count"] = len(ids)
    if selection.classes is not None:
        fields["classes"] = c_strings(selection.classes, "class name")
        fields["class_count"] = len(selection.classes)
    if selection.columns is not None:
        fields["columns"] = c_strings(selection.columns, "column")
        fields["column_count"] = len(selection.columns)
    return options("tm_selection", **fields)
