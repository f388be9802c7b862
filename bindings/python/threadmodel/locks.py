# SPDX-License-Identifier: Apache-2.0
"""Questions about locks: who had them, in which order; methods of Model."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from threadmodel._library import lib, options
from threadmodel.questions import bits, library_fields
from threadmodel.selection import ALL, Selection
from threadmodel.table import Table

if TYPE_CHECKING:
    from threadmodel.model import Model

_BLAME_KEYS: Final = {
    "thread": lib.TM_BLAME_BY_THREAD,
    "caller": lib.TM_BLAME_BY_CALLER,
    "class": lib.TM_BLAME_BY_CLASS,
    "object": lib.TM_BLAME_BY_OBJECT,
    "owner": lib.TM_BLAME_BY_OWNER,
    "owner_method": lib.TM_BLAME_BY_OWNER_METHOD,
}
_HOLD_KEYS: Final = {
    "class": lib.TM_HOLD_BY_CLASS,
    "caller": lib.TM_HOLD_BY_CALLER,
    "object": lib.TM_HOLD_BY_OBJECT,
    "owner": lib.TM_HOLD_BY_OWNER,
}
_BLOCK_STATES: Final = {
    "blocked": 1 << lib.TM_STATE_BLOCKED,
    "reentering": 1 << lib.TM_STATE_REENTERING,
    "parked": 1 << lib.TM_STATE_PARKED,
}


def blame(
    model: "Model",
    by: Iterable[str] | str = (),
    selection: Selection = ALL,
    *,
    states: Iterable[str] | str = (),
    libraries: Iterable[str] | None = None,
) -> Table:
    """List who had the lock while others were blocked by it.

    Columns without keys, a row for each stretch of each block: thread_id, thread,
    block_start_ns, block_end_ns, state, object, class, method, source, line, start_ns,
    end_ns (of the stretch), share (owner: it had the lock; latency: it had let go, and
    the next owner was being woken; unknown), owner_id, owner (null: none, or not
    known), owner_method, owner_source, owner_line (where it got the lock), fraction (of
    the block), provenance.

    Columns with keys, a row a group, the longest total first: those of the keys, count
    (blocks), total_ns, max_ns, latency_ns (of total_ns: nobody had the lock), share (of
    all blocked time asked about), reported_share, exact_share, inferred_share (of
    total_ns).

    Args:
        model: asked
        by: any of ``thread``, ``caller``, ``class``, ``object``, ``owner``,
            ``owner_method``
        selection: of threads that were blocked, and classes of locks; blocks are cut at
            the window's edges
        states: any of ``blocked``, ``reentering``, ``parked``; none: all
        libraries: see :meth:`Model.statistics`
    """
    choices = options(
        "tm_blame_options",
        keys=bits(by, _BLAME_KEYS, "key"),
        states=bits(states, _BLOCK_STATES, "state"),
        selection=model._select(selection),
        **library_fields(libraries),
    )
    return model._ask(lib.tm_blame_list, choices)


def blockers(model: "Model", selection: Selection = ALL) -> Table:
    """List who blocks whom, a row for each two threads, the longest total first.

    Columns: thread_id, thread, owner_id, owner, count, total_ns, max_ns, share (of the
    time that the thread was blocked), reported_share, exact_share, inferred_share.
    """
    return model._ask(lib.tm_blame_matrix, model._select(selection))


def holds(model: "Model", selection: Selection = ALL) -> Table:
    """List who had a lock, a row for each time, by rising start.

    Columns: object, class, kind (monitor, synchronizer), thread_id, thread, start_ns,
    end_ns (null: it has it still, or nothing shows), start_earliest_ns,
    start_latest_ns, end_earliest_ns, end_latest_ns (between which it got it and let it
    go; null: not known), start_provenance, end_provenance, to_thread_id, to_thread (who
    was blocked and got it next), method, source, line (where it got it), shared,
    contested (another was said to have it too), not_running_ns and not_running_state
    (of the hold: its owner did not run, and what most of that was; null: it ran).

    Args:
        model: asked
        selection: of owners, and classes of locks; holds that touch the window, uncut
    """
    return model._ask(lib.tm_hold_list, model._select(selection))


def hold_times(
    model: "Model",
    by: Iterable[str] | str = ("class", "caller"),
    selection: Selection = ALL,
    *,
    libraries: Iterable[str] | None = None,
) -> Table:
    """Sum up how long locks were held, the longest total first.

    Columns: those of the keys, count, total_ns, min_ns, max_ns, mean_ns, p50_ns,
    p90_ns, p99_ns, not_running_ns (of total_ns: the owner did not run), exact (of
    count: the producer told both ends), unmeasured (holds besides, of which start or
    end is not known).

    Args:
        model: asked
        by: any of ``class``, ``caller`` (columns method, source, line: where the owner
            got it), ``object``, ``owner`` (columns thread_id, thread)
        selection: of owners, and classes of locks; holds that touch the window, uncut
        libraries: see :meth:`Model.statistics`
    """
    choices = options(
        "tm_hold_options",
        keys=bits(by, _HOLD_KEYS, "key"),
        selection=model._select(selection),
        **library_fields(libraries),
    )
    return model._ask(lib.tm_hold_group, choices)


def resources(model: "Model", selection: Selection = ALL) -> Table:
    """List what threads waited for and nobody owns, the longest waited for first.

    Columns: class, waiting_method, releasing_method (null: not known, timed out, or it
    waits still), objects, threads, waits, wait_total_ns, wait_max_ns, permits (most
    uses of one object at once), uses (from the end of a wait to a release by the same
    thread), use_p50_ns, use_max_ns, use_total_ns, use_method and use_method_ns (where
    uses spent most of the time in which they did not run), releasers, releaser_id,
    releaser (who ended most of the time waited), idle (a worker that waits for work),
    provenance (of who released).

    Args:
        model: asked
        selection: of threads that waited, and classes waited for; waits that begin in
            the window, uncut
    """
    return model._ask(lib.tm_resource_list, model._select(selection))


def deadlocks(model: "Model") -> Table:
    """List the deadlocks, one row a member of a cycle.

    Columns: deadlock, position (0 closed the cycle), time_ns, resolved_ns (null: it
    stands), thread_id, thread, object, class, owner_id, owner (the next member), kind,
    method, source, line, stack, provenance.
    """
    return model._ask(lib.tm_deadlock_list)


def lock_order(model: "Model") -> Table:
    """List cycles of lock order that can deadlock, smallest first, an edge a row.

    Columns: cycle, position, level (object or class), held_class, wanted_class,
    held_object, wanted_object, thread_id, thread, method, source, line (where the
    thread was blocked), held_method, held_source, held_line (where it got the held
    lock), time_ns, count, stack, provenance (that the lock was held).
    """
    return model._ask(lib.tm_lock_order_list)


def lock_edges(model: "Model") -> Table:
    """List all orders in which locks were seen to be taken, most frequent first.

    Columns: those of :meth:`lock_order` from held_class on.
    """
    return model._ask(lib.tm_lock_edge_list)
