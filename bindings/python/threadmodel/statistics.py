# SPDX-License-Identifier: Apache-2.0
"""Questions that sum up how threads were held up."""

from collections.abc import Iterable
from typing import Final

from threadmodel import errors
from threadmodel._library import lib, options
from threadmodel.exports import STATES
from threadmodel.questions import Questions, bits, set_libraries
from threadmodel.selection import Window
from threadmodel.table import Table

_KEYS: Final = {
    "class": lib.TM_BY_CLASS,
    "caller": lib.TM_BY_CALLER,
    "object": lib.TM_BY_OBJECT,
    "thread": lib.TM_BY_THREAD,
    "group": lib.TM_BY_GROUP,
    "stack": lib.TM_BY_STACK,
    "method": lib.TM_BY_METHOD,
    "line": lib.TM_BY_LINE,
}


class StatisticsQuestions(Questions):
    """What a model can be asked about hold-ups in sums; see Model for the selection."""

    def monitors(
        self,
        *,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """Sum up how threads were held up, by class of the object; see statistics."""
        return self.statistics(
            ("class",), threads=threads, classes=classes, window=window
        )

    def callers(
        self,
        *,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """Sum up the same by class and caller method; see statistics."""
        return self.statistics(
            ("class", "caller"), threads=threads, classes=classes, window=window
        )

    def objects(
        self,
        *,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """Sum up the same by single object; see statistics."""
        return self.statistics(
            ("object",), threads=threads, classes=classes, window=window
        )

    def statistics(
        self,
        by: Iterable[str] = ("class",),
        *,
        libraries: Iterable[str] | None = None,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """Sum up how often and how long threads were held up, longest blocked first.

        Columns: those of the keys, objects, threads (distinct numbers of them); for
        each of blocked, waiting, reentering, joining, parked: ``_count``,
        ``_total_ns``, ``_min_ns``, ``_max_ns``, ``_mean_ns``, ``_p50_ns``, ``_p90_ns``,
        ``_p99_ns`` (null where the count is 0), ``_share`` (of the run's or window's
        length). Percentiles are within 3 % of the true value.

        Args:
            by: any of ``class``, ``caller`` (columns method, source, line, idle),
                ``object``, ``thread``, ``group``, ``stack``, ``method`` (method, idle)
                and ``line`` (source, line); idle says that the caller is where a thread
                waits for work
            libraries: prefixes of class names (``java.``) whose frames are passed over
                when the caller is looked for; None: those of the JDK
            threads: see the class
            classes: see the class
            window: see the class
        """
        selection = self._select(threads, classes, window)
        choices = options(
            "tm_statistics_options",
            keys=bits(by, _KEYS, "key"),
            selection=selection.struct,
        )
        kept = set_libraries(choices, libraries)
        table = self._ask(lib.tm_statistics_monitors, choices)
        del kept
        return table

    def total(
        self,
        *,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """Sum up all that is selected in one row, or none where nothing was held up.

        Columns: those of :meth:`statistics` from objects on; each object and each
        thread counts once.
        """
        selection = self._select(threads, classes, window)
        choices = options("tm_statistics_options", selection=selection.struct)
        return self._ask(lib.tm_statistics_total, choices)

    def histogram(
        self,
        state: str = "blocked",
        by: Iterable[str] = (),
        *,
        libraries: Iterable[str] | None = None,
        threads: Iterable[int | str] | None = None,
        classes: Iterable[str] | None = None,
        window: Window | None = None,
    ) -> Table:
        """Count hold-ups of a state by how long they lasted.

        Columns: those of the keys, low_ns, high_ns (not included), count; a row for
        each bucket that is not empty.

        Args:
            state: ``blocked``, ``waiting``, ``reentering``, ``joining`` or ``parked``
            by: as in :meth:`statistics`; none: all in one
            libraries: see :meth:`statistics`
            threads: see the class
            classes: see the class
            window: see the class
        """
        if state not in STATES:
            raise errors.InvalidArgumentError(
                f"no such state: {state!r:.100}; there are {', '.join(STATES)}"
            )
        selection = self._select(threads, classes, window)
        choices = options(
            "tm_statistics_options",
            keys=bits(by, _KEYS, "key"),
            selection=selection.struct,
        )
        kept = set_libraries(choices, libraries)
        table = self._ask(lib.tm_statistics_histogram, choices, STATES[state])
        del kept
        return table
