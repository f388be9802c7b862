# SPDX-License-Identifier: Apache-2.0
"""Questions that sum up how threads were held up; methods of Model."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from threadmodel._library import lib, options
from threadmodel.exports import STATES
from threadmodel.questions import bits, library_fields, number
from threadmodel.selection import ALL, Selection
from threadmodel.table import Table

if TYPE_CHECKING:
    from threadmodel.model import Model

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


def threads(model: "Model", selection: Selection = ALL) -> Table:
    """List the threads, one a row, in the order of first sight.

    Columns: thread_id, name, group, virtual, daemon, state (at the end), start_ns,
    end_ns; for each of blocked, waiting, reentering, joining, sleeping, parked:
    ``_count`` and ``_total_ns``.
    """
    return model._ask(lib.tm_statistics_threads, model._select(selection))


def monitors(model: "Model", selection: Selection = ALL) -> Table:
    """Sum up how threads were held up, by class of the object; see statistics."""
    return statistics(model, ("class",), selection)


def callers(model: "Model", selection: Selection = ALL) -> Table:
    """Sum up the same by class and caller method; see statistics."""
    return statistics(model, ("class", "caller"), selection)


def objects(model: "Model", selection: Selection = ALL) -> Table:
    """Sum up the same by single object; see statistics."""
    return statistics(model, ("object",), selection)


def statistics(
    model: "Model",
    by: Iterable[str] | str = ("class",),
    selection: Selection = ALL,
    *,
    libraries: Iterable[str] | None = None,
) -> Table:
    """Sum up how often and how long threads were held up, longest blocked first.

    Columns: those of the keys, objects, threads (distinct numbers of them); for each of
    blocked, waiting, reentering, joining, parked: ``_count``, ``_total_ns``,
    ``_min_ns``, ``_max_ns``, ``_mean_ns``, ``_p50_ns``, ``_p90_ns``, ``_p99_ns`` (null
    where the count is 0), ``_share`` (of the run's or window's length). Percentiles are
    within 3 % of the true value.

    Args:
        model: asked
        by: any of ``class``, ``caller`` (columns method, source, line, idle),
            ``object``, ``thread``, ``group``, ``stack``, ``method`` (method, idle) and
            ``line`` (source, line); idle says that the caller is where a thread waits
            for work
        selection: of threads, classes of objects, and time
        libraries: prefixes of class names (``java.``) whose frames are passed over when
            the caller is looked for; None: those of the JDK
    """
    choices = _choices(model, by, selection, libraries)
    return model._ask(lib.tm_statistics_monitors, choices)


def total(model: "Model", selection: Selection = ALL) -> Table:
    """Sum up all that is selected in one row, or none where nothing was held up.

    Columns: those of :meth:`statistics` from objects on; each object and each thread
    counts once.
    """
    return model._ask(lib.tm_statistics_total, _choices(model, (), selection, None))


def histogram(
    model: "Model",
    state: str = "blocked",
    by: Iterable[str] | str = (),
    selection: Selection = ALL,
    *,
    libraries: Iterable[str] | None = None,
) -> Table:
    """Count hold-ups of a state by how long they lasted.

    Columns: those of the keys, low_ns, high_ns (not included), count; a row for each
    bucket that is not empty.

    Args:
        model: asked
        state: ``blocked``, ``waiting``, ``reentering``, ``joining`` or ``parked``
        by: as in :meth:`statistics`; none: all in one
        selection: of threads, classes of objects, and time
        libraries: see :meth:`statistics`
    """
    choices = _choices(model, by, selection, libraries)
    state_number = number(state, STATES, "state")
    return model._ask(lib.tm_statistics_histogram, choices, state_number)


def _choices(
    model: "Model",
    by: Iterable[str] | str,
    selection: Selection,
    libraries: Iterable[str] | None,
) -> Any:
    return options(
        "tm_statistics_options",
        keys=bits(by, _KEYS, "key"),
        selection=model._select(selection),
        **library_fields(libraries),
    )
