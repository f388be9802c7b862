# SPDX-License-Identifier: Apache-2.0
"""Questions that sum up how threads were blocked; methods of Model."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from threadmodel._enums import STATES, StatisticsKey
from threadmodel._library import lib, options
from threadmodel.questions import bits, library_fields, named, number
from threadmodel.selection import ALL, Selection
from threadmodel.table import Table

if TYPE_CHECKING:
    from threadmodel.model import Model

_KEYS: Final = named(StatisticsKey)


def threads(model: "Model", selection: Selection = ALL) -> Table:
    """List the threads, one a row, in the order of first sight.

    Columns (table ``threads``): thread_id uint64, name string (the thread's), group
    string (thread group or container), virtual bool, daemon bool, state string (at the
    end), start_ns int64 (None: not seen to start), end_ns int64 (None: not seen to
    end); for each of blocked, waiting, reentering, joining, sleeping, parked, runnable,
    io, native: <state>_count int64 (how often), <state>_total_ns int64 (for how long in
    all); carrier_id uint64 (of a virtual thread that is mounted, as far as is reported;
    None: none), cpu_samples uint64 (how often it was seen on a processor), cpu_time_ns
    int64 (for how long it was on processors, as the scheduler counts; None: not
    reported), cpu_wait_ns int64 (for how long it could run and had no processor, as the
    scheduler counts; None: not reported), pid uint64 (process that it is of, in a run
    of several; None: the run's).
    """
    return model._ask(lib.tm_thread_list, model._select(selection))


def locks(model: "Model", selection: Selection = ALL) -> Table:
    """Sum up how threads were blocked, by class of the object; see statistics.

    Columns (table ``locks``): class string (of the monitor, blocker or joined thread);
    those of table ``groups`` that are always there.
    """
    return statistics(model, ("class",), selection)


def callers(model: "Model", selection: Selection = ALL) -> Table:
    """Sum up the same by class and caller method; see statistics.

    Columns (table ``callers``): class string (of the monitor, blocker or joined
    thread), method string, source string, line int32, idle bool; those of table
    ``groups`` that are always there.
    """
    return statistics(model, ("class", "caller"), selection)


def objects(model: "Model", selection: Selection = ALL) -> Table:
    """Sum up the same by single object; see statistics.

    Columns (table ``objects``): object string, class string; those of table ``groups``
    that are always there.
    """
    return statistics(model, ("object",), selection)


def statistics(
    model: "Model",
    by: Iterable[str] | str = ("class",),
    selection: Selection = ALL,
    *,
    libraries: Iterable[str] | None = None,
) -> Table:
    """Sum up how often and how long threads were blocked, longest blocked first.

    Percentiles are within 3 % of the true value.

    Columns (table ``groups``): by class: class string (of the monitor, blocker or
    joined thread); by caller or method: method string; by caller or line: source
    string, line int32; by caller or method: idle bool; by object: object string; by
    object without class: class string; by thread: thread_id uint64, thread string; by
    group: group string (thread group or container); by stack: stack int32; always:
    objects int64 and threads int64 (distinct); for each of blocked, waiting,
    reentering, joining, parked, io: <state>_count int64 (how often), <state>_total_ns
    int64 (all of them), <state>_min_ns int64, <state>_max_ns int64, <state>_mean_ns
    int64, <state>_p50_ns int64, <state>_p90_ns int64 and <state>_p99_ns int64 (None:
    the count is 0); for each of blocked, waiting, reentering, joining, parked, io:
    <state>_share double (the total, of the length of the run or of the window; above 1
    where threads were blocked side by side); by latency, for each of blocked, waiting,
    reentering, parked: <state>_latency_ns int64 (of the total: nobody had the lock or
    permit, and the next owner was being woken).

    Args:
        model: asked
        by: any of ``class``, ``caller`` (columns method, source, line, idle),
            ``object``, ``thread``, ``group``, ``stack``, ``method`` (method, idle) and
            ``line`` (source, line); idle is true where the caller waits for work.
            ``latency`` makes no more rows: it adds how much of the time nobody had the
            lock or permit, as blame tells, and takes as long as blame
        selection: of threads, classes of objects, and time
        libraries: prefixes of class names (``java.``) whose frames are skipped when
            the caller is determined; None: those of the JDK and of C++
    """
    choices = _choices(model, by, selection, libraries)
    return model._ask(lib.tm_statistics_list, choices)


def total(model: "Model", selection: Selection = ALL) -> Table:
    """Sum up all that is selected in one row, or none where nothing was blocked.

    Each object and each thread counts once.

    Columns (table ``total``): those of table ``groups`` that are always there.
    """
    return model._ask(lib.tm_statistics_sum, _choices(model, (), selection, None))


def histogram(
    model: "Model",
    state: str = "blocked",
    by: Iterable[str] | str = (),
    selection: Selection = ALL,
    *,
    libraries: Iterable[str] | None = None,
) -> Table:
    """Count blocking intervals of a state by how long they lasted.

    Columns (table ``histogram``): by class: class string (of the monitor, blocker or
    joined thread); by caller or method: method string; by caller or line: source
    string, line int32; by caller or method: idle bool; by object: object string; by
    object without class: class string; by thread: thread_id uint64, thread string; by
    group: group string (thread group or container); by stack: stack int32; always:
    low_ns int64 (the shortest that is counted here), high_ns int64 (not included; less
    than 4 % above low_ns, or 1), count int64 (blocking intervals).

    Args:
        model: asked
        state: ``blocked``, ``waiting``, ``reentering``, ``joining``, ``parked`` or
            ``io``
        by: as in :meth:`statistics`; none: all in one
        selection: of threads, classes of objects, and time
        libraries: see :meth:`statistics`
    """
    choices = _choices(model, by, selection, libraries)
    state_number = number(state, STATES, "state")
    return model._ask(lib.tm_histogram_list, choices, state_number)


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
