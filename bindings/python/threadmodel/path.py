# SPDX-License-Identifier: Apache-2.0
"""Questions about the critical path, about why a thread did not run, and about what a
change would gain; methods of Model.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from threadmodel import errors
from threadmodel._enums import PathKey
from threadmodel._library import (
    MAX_INT32,
    MAX_INT64,
    MAX_UINT32,
    MAX_UINT64,
    c_string,
    lib,
    options,
    whole,
)
from threadmodel.questions import bits, library_fields, named
from threadmodel.selection import Selection, Window
from threadmodel.table import Table

if TYPE_CHECKING:
    from threadmodel.model import Model

_KEYS: Final = named(PathKey)

_CHANGES: Final = {
    "holds": lib.TM_WHATIF_HOLDS,
    "method": lib.TM_WHATIF_METHOD,
    "uses": lib.TM_WHATIF_USES,
    "permits": lib.TM_WHATIF_PERMITS,
    "io": lib.TM_WHATIF_IO,
    "processors": lib.TM_WHATIF_PROCESSORS,
}


def critical_path(
    model: "Model",
    *,
    thread: int | str | None = None,
    from_ns: int | None = None,
    to_ns: int | None = None,
    waited_for: bool = False,
    libraries: Iterable[str] | None = None,
) -> Table:
    """List the chain of activities that decided how long the run took, by time.

    The path is found backward from its end; where its thread was blocked, it goes
    over to the thread that ended that, and stays with it. The segments lie end to
    end from the run's beginning to the path's end.

    Columns (table ``critical_path``): start_ns int64, end_ns int64, thread_id uint64,
    thread string, state string, method string, source string, line int32, object
    string, class string, via string (start, handoff, notify, notify_all, join,
    interrupt, unpark, timeout, post, meanwhile; the interaction by which the path came
    here from the segment before; None: the same thread continued), unexplained string
    (why nothing explains this segment, "unparks not recorded" for instance; None: it is
    explained), provenance string (of the interaction; None: without one), latency bool
    (wake-up latency: the lock was released, or the thread notified or unparked, and it
    did not run yet).

    Args:
        model: asked
        thread: id or name of the thread that it leads to; None: the one with which
            the program's own work ended, before what the runtime does to end
        from_ns: in ns since the run began; what of the path lies before is left out
        to_ns: where it ends, in ns since the run began; None: where that work, or
            the thread, ended
        waited_for: ask another question: what did the thread wait for at each
            moment? A waker counts while the thread was blocked by it, and what is
            before that is the thread's own past
        libraries: as for ``statistics``
    """
    choices = _path_options(model, thread, from_ns, to_ns, waited_for, libraries)
    return model._ask(lib.tm_path_list, choices)


def path_rollup(
    model: "Model",
    by: Iterable[str] | str = ("thread",),
    *,
    thread: int | str | None = None,
    from_ns: int | None = None,
    to_ns: int | None = None,
    waited_for: bool = False,
    libraries: Iterable[str] | None = None,
) -> Table:
    """Sum up the critical path, the longest first.

    By thread alone, all threads have a row.

    Columns (table ``path_rollup``): by thread: thread_id uint64, thread string; by
    method: method string; by class: class string; by state: state string; always:
    segments int64 (how many), total_ns int64 (their length), share double (of the
    path's length), unexplained_ns int64 (of total_ns: not explained), latency_ns int64
    (of total_ns: wake-up latency); by thread without method, class, state: slack_ns
    int64 (how much longer the thread could have taken, all else being equal, before the
    path ended later; None: any time).

    Args:
        model: asked
        by: any of ``thread``, ``method``, ``class``, ``state``
        thread: see critical_path
        from_ns: see critical_path
        to_ns: see critical_path
        waited_for: see critical_path
        libraries: see critical_path
    """
    choices = _path_options(model, thread, from_ns, to_ns, waited_for, libraries)
    choices.keys = bits(by, _KEYS, "key")
    return model._ask(lib.tm_path_sum, choices)


def whatif(
    model: "Model",
    class_name: str | None = None,
    *,
    method: str | None = None,
    object: str | None = None,
    factor: float = 0.0,
    change: str = "holds",
    permits: int = 1,
    libraries: Iterable[str] | None = None,
    window: Window | None = None,
) -> Table:
    """Predict how long the run would have been with one change; one row.

    The run is replayed without the change and with it. The change is of what matches
    all that is given:

    - ``holds``: holds of locks take ``factor`` times as long
    - ``method``: sleeps, I/O and running in ``method``, and in what it calls, do
    - ``uses``: uses of what threads wait for in ``method`` do
    - ``permits``: of what threads wait for in ``method`` there are ``permits`` more:
      connections of a pool, workers, owners that a lock may have at once; without a
      method, of the locks of the class
    - ``io``: I/O with the endpoint ``object`` takes ``factor`` times as long, but not
      idle I/O
    - ``processors``: there are ``permits`` more of them; nothing is named

    Columns (table ``whatif``): change string, class string, method string and object
    string (as asked; None: any), factor double (0.5: for half as long; None: more
    permits), permits int32 (how many more; None: another change), length_ns int64
    (predicted, of the run; of a service, whose run is as long as its load, of the time
    in which the requests of its steady time would be served; None: it cannot be
    predicted), gain_ns int64 (negative: longer than it was; None: it cannot be
    predicted), gain_low_ns int64 (the least that the gain may be; None: it cannot be
    predicted), gain_high_ns int64 (the most; None: it cannot be predicted), scaled
    int64 (how many holds, sleeps, waits in I/O, stretches of running, uses or waits
    change), scaled_ns int64 (their length as it was), note string (why it cannot be
    predicted, or what is unusual; None: nothing), unit_kind string (of the requests
    that the next columns are about; None: there are several kinds and none has nine of
    ten, or as throughput_now), throughput_now double (requests, as recorded; None:
    there are no requests, or it cannot be predicted for them), throughput double
    (predicted; None: as throughput_now), throughput_low double (the least; None: as
    throughput_now), throughput_high double (the most; None: as throughput_now),
    latency_now_ns int64 (mean duration of a request; None: as throughput_now),
    latency_ns int64 (predicted; None: as throughput_now), latency_low_ns int64 (the
    least; None: as throughput_now), latency_high_ns int64 (the most; None: as
    throughput_now), latency_p99_now_ns int64 (99th percentile of the duration; None: as
    throughput_now), latency_p99_ns int64 (predicted; None: as throughput_now),
    next_bottleneck string (what decides next: the class of a lock, the method that
    waits for a pool, *processors*, or a method in which requests sleep or wait; None:
    nothing that they share, or as throughput_now), next_kind string (lock, pool,
    processors, place; place: how many requests at once it admits is not known; None: as
    next_bottleneck), next_in_use double (of it are in use then, on average; None: as
    next_bottleneck), next_at_once int32 (so many there are; of a place, as many
    requests were seen there at once; None: as next_bottleneck).

    Args:
        model: asked
        class_name: of the lock, or of what is waited for
        method: that got the lock, or as above, ``package.Class.method``
        object: of holds: the lock; of io: the endpoint; as column ``object`` of other
            tables has it
        factor: 0: for no time; 0.5: half as long; 2: twice
        change: one of those above
        permits: how many more
        libraries: as for ``statistics``
        window: a pair of times in ns since the run began, either None; only what
            begins within them changes, and requests are those that end there
    """
    given = {"class_name": class_name, "method": method, "object": object}
    names = {
        field: c_string(value, field.replace("_", " "))
        for field, value in given.items()
        if value is not None
    }
    if not names and change != "processors":
        raise errors.InvalidArgumentError(
            "what-if of nothing: name a class, a method or an object"
        )
    if change not in _CHANGES:
        raise errors.InvalidArgumentError(
            f"no such change: {change!r:.100}; there are {', '.join(_CHANGES)}"
        )
    choices = options(
        "tm_whatif_options",
        factor=_factor(factor),
        change=_CHANGES[change],
        permits=whole(permits, "permits", MAX_INT32, 1),
        **names,
        **_window_fields(window),
        **library_fields(libraries),
    )
    return model._ask(lib.tm_whatif_predict, choices)


def whatif_rank(
    model: "Model",
    count: int = 20,
    *,
    factor: float = 0.0,
    libraries: Iterable[str] | None = None,
    window: Window | None = None,
) -> Table:
    """Do the same for what may be worth a change, best first.

    That is the locks that the critical path goes through or requests wait for, those
    that were held longest; the pools, sleeps and endpoints that findings are about; and
    the methods that most CPU samples are in.

    Columns: those of whatif; of locks a row a class, and a class and method.

    Args:
        model: asked
        count: how many locks to try, and how many rows there are at most
        factor: see whatif
        libraries: as for ``statistics``
        window: see whatif
    """
    choices = options(
        "tm_whatif_options",
        factor=_factor(factor),
        count=whole(count, "count", MAX_UINT32, 1),
        **_window_fields(window),
        **library_fields(libraries),
    )
    return model._ask(lib.tm_whatif_rank, choices)


def explain(
    model: "Model",
    *,
    thread: int | str | None = None,
    at_ns: int | None = None,
    count: int = 1,
) -> Table:
    """List why a thread did not run at an instant, down to the root cause.

    First the thread itself, then what it was blocked by at that same instant, and so
    on, ten rows at most. There is no row where no thread was chosen and none was
    blocked.

    Columns (table ``explanation``): step int32 (1: the thread that the question is
    about), thread_id uint64, thread string, state string (at the instant), start_ns
    int64 (of that state, since the run began; None: unknown), end_ns int64 (of the
    blocking interval; None: it goes on, or is unknown), object string, class string,
    method string, source string, line int32, reason string (owner, joined, waker,
    starter, running, no_processor, asleep, io, native, timeout, idle, wake_up,
    deadlock, no_owner, no_waker, not_started, ended, not_recorded; why it did not run;
    after the first four the next row is that owner, the joined thread, or the thread
    that woke or started it later), provenance string (of the owner, waker or starter;
    None: without one), text string (the same in a sentence), chain int32 (1: of the
    longest blocking interval that was asked about), at_ns int64 (the instant, since the
    run began).

    Args:
        model: asked
        thread: id or name; None: the one that was blocked longest
        at_ns: in ns since the run began; None: the middle of the longest blocking
            interval in which no worker waits for work
        count: of so many blocking intervals, the longest, a chain each
    """
    choices = options("tm_explain_options", count=whole(count, "count", MAX_UINT32, 1))
    if thread is not None:
        choices.thread = _thread_id(model, thread)
    if at_ns is not None:
        choices.at_ns = whole(at_ns, "at_ns", MAX_INT64)
        choices.flags = lib.TM_EXPLAIN_AT
    return model._ask(lib.tm_explanation_list, choices)


def _thread_id(model: "Model", thread: int | str) -> int:
    if not isinstance(thread, str):
        return whole(thread, "thread id", MAX_UINT64, 1)
    found = model._ids([thread])
    if not found:
        return 0  # a run without events
    if len(found) != 1:
        raise errors.InvalidArgumentError(
            f"{len(found)} threads have the name {thread!r:.200}: give an id"
        )
    return found[0]


def _path_options(
    model: "Model",
    thread: int | str | None,
    from_ns: int | None,
    to_ns: int | None,
    waited_for: bool,
    libraries: Iterable[str] | None,
) -> Any:
    choices = options(
        "tm_path_options",
        walk=lib.TM_PATH_WAITED_FOR if waited_for else lib.TM_PATH_DECIDED,
        **library_fields(libraries),
    )
    if thread is not None:
        choices.thread = _thread_id(model, thread)
    if from_ns is not None:
        choices.from_ns = whole(from_ns, "from_ns", MAX_INT64)
    if to_ns is not None:
        choices.to_ns = whole(to_ns, "to_ns", MAX_INT64, 1)
    return choices


def _window_fields(window: Window | None) -> dict[str, int]:
    part = Selection(window=window)
    return {"from_ns": part.start_ns, "to_ns": part.end_ns or 0}


def _factor(value: float) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise errors.InvalidArgumentError(
            f"factor is not a number: {value!r:.100}"
        ) from None
