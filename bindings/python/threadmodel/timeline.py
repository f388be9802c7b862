# SPDX-License-Identifier: Apache-2.0
"""Questions about what happened when; methods of Model."""

from typing import TYPE_CHECKING

from threadmodel._library import MAX_INT64, check, ffi, lib, whole
from threadmodel.lanes import Timeline
from threadmodel.selection import ALL, Selection
from threadmodel.table import Table

if TYPE_CHECKING:
    from threadmodel.model import Model


def timeline(model: "Model", selection: Selection = ALL) -> Timeline:
    """List what each thread was doing when, thread by thread, by rising time.

    In a notebook it is shown as lanes, where anywidget is installed.

    Columns (table ``timeline``): thread_id uint64, thread string, start_ns int64,
    end_ns int64, state string, object string, class string, method string, source
    string, line int32, peer_id uint64, peer string (the owner of the object when it
    began, which may have become known while it lasted, or the joined thread),
    provenance string (of peer and state), open bool (it has not ended), stack int32,
    unsplit bool (a wait whose notify was not seen: it may include time in which the
    thread queued for the monitor again), sampled bool (the stack is that of another
    blocking interval like it, drawn at random), idle bool (the thread waited for work
    while there was none).
    """
    return Timeline(
        model._answer(lib.tm_timeline_list, model._select(selection)), model, selection
    )


def tiles(model: "Model", tile_ns: int, selection: Selection = ALL) -> Table:
    """List the timeline with less detail: short neighbours are merged.

    Columns (table ``tiles``): thread_id uint64, thread string, start_ns int64, end_ns
    int64, intervals int64 (how many the row stands for), state string (that took most
    of it; of equals the one with the lowest number); for each of unknown, new, running,
    blocked, waiting, reentering, joining, sleeping, parked, deadlocked, dead, runnable,
    io, native: <state>_ns int64 (its time within the row); object string, class string,
    method string, source string, line int32, peer_id uint64, peer string, provenance
    string, open bool, stack int32, unsplit bool, sampled bool and idle bool (None:
    intervals is not 1).

    Args:
        model: asked
        tile_ns: intervals of at least this length are kept as they are, and merged ones
            end when they are so long; 0: all are kept
        selection: of threads, classes of objects, and time
    """
    length = whole(tile_ns, "tile_ns", MAX_INT64)
    return model._ask(lib.tm_tile_list, model._select(selection), length)


def tile_ns(model: "Model", rows: int, selection: Selection = ALL) -> int:
    """Return the least ``tile_ns``, 0 or a power of two, at which tiles fit.

    Args:
        model: asked
        rows: that there may be; a thread has one at least
        selection: of threads, classes of objects, and time
    """
    out = ffi.new("int64_t *")
    limit = whole(rows, "rows", MAX_INT64)
    struct = model._select(selection)
    with model._lock:
        check(lib.tm_tile_fit(out, model._model, struct, limit))
    return int(out[0])


def interactions(model: "Model", selection: Selection = ALL) -> Table:
    """List what threads did to unblock others, by time.

    Columns (table ``interactions``): kind string, time_ns int64 (of the from-side; of
    the to-side when that is unknown), woken_ns int64 (when the to-thread continued;
    None: not yet, or never), from_thread_id uint64 and from_thread string (None: not
    known, or nobody), to_thread_id uint64 (None: nobody), to_thread string (None: not
    known, or nobody), object string, class string, from_method string, to_method
    string, provenance string, effect string (woke, permit, useless, pending, lost;
    permit: of an unpark whose thread had not parked yet; useless: nobody waited;
    pending: nobody continued yet; lost: nobody was there, and a later waiter waits in
    vain), candidates int32 (how many could have done it; 1 where it is certain), group
    int32 (rows of one notifyAll, one post or one thread's end share it; None: others).
    """
    return model._ask(lib.tm_interaction_list, model._select(selection))


def context(model: "Model", selection: Selection = ALL) -> Table:
    """List what explains the threads' states, such as pauses, by their ends.

    Columns (table ``context``): kind string (gc_pause, pinned, submit_failed, inflated,
    cpu_sample), start_ns int64, end_ns int64 (the same where it has no length),
    thread_id uint64 and thread string (None: all threads), object string, class string,
    method string, source string, line int32, stack int32, cause string (of an
    inflation; None: others).
    """
    return model._ask(lib.tm_context_list, model._select(selection))


def context_totals(model: "Model") -> Table:
    """Sum the same up by kind, for the whole run.

    Columns (table ``context_totals``): kind string (gc_pause, pinned, submit_failed,
    inflated, cpu_sample), count uint64, total_ns int64 (all of them), max_ns int64 (the
    longest), share double (of the run's length; None: that is 0).
    """
    return model._ask(lib.tm_context_sum)


def stacks(model: "Model") -> Table:
    """List the frames of all stacks.

    Columns (table ``stacks``): stack int32 (its number in other tables), depth int32 (0
    innermost), method string (package.Class.method), class string (of the method),
    source string, line int32, truncated bool (the producer cut the stack: more frames
    lie below its last).
    """
    return model._ask(lib.tm_stack_list)
