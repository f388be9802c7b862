# SPDX-License-Identifier: Apache-2.0
"""Questions about locks: their owners and their order; methods of Model."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from threadmodel._enums import BlameKey, HoldKey
from threadmodel._library import lib, options
from threadmodel.questions import bits, library_fields, named, number
from threadmodel.selection import ALL, Selection
from threadmodel.table import Table

if TYPE_CHECKING:
    from threadmodel.model import Model

_BLAME_KEYS: Final = named(BlameKey)
_HOLD_KEYS: Final = named(HoldKey)
_BLAME_OF: Final = {
    "locks": lib.TM_BLAME_OF_LOCKS,
    "resources": lib.TM_BLAME_OF_RESOURCES,
}
_BLOCK_STATES: Final = {
    "blocked": 1 << lib.TM_STATE_BLOCKED,
    "reentering": 1 << lib.TM_STATE_REENTERING,
    "parked": 1 << lib.TM_STATE_PARKED,
    "waiting": 1 << lib.TM_STATE_WAITING,
}


def blame(
    model: "Model",
    by: Iterable[str] | str = (),
    selection: Selection = ALL,
    *,
    of: str = "locks",
    states: Iterable[str] | str = (),
    libraries: Iterable[str] | None = None,
) -> Table:
    """List who owned the lock, or a permit of a resource, that others waited for.

    Of a pool of connections, for example: the thread from which the waiter got its
    connection, and before that the thread from which that one got it.

    Without keys a row for each share of each block, table ``blame``; with keys a row a
    group, the longest total first, table ``blamed``.

    Columns (table ``blame``): thread_id uint64, thread string, block_start_ns int64 and
    block_end_ns int64 (since the run began), state string (blocked, reentering, parked,
    waiting; as it began), object string, class string, method string (where it
    blocked), source string, line int32, start_ns int64 (of the share; those of one
    block tile it), end_ns int64, share string (owner, latency, unknown; owner:
    ``owner`` had it; latency: it had been released, and the next owner was being
    woken), owner_id uint64 and owner string (None: nobody, or not known), owner_method
    string (where the owner acquired it), owner_source string, owner_line int32,
    fraction double (of the block's time; of one without length 1), provenance string.

    Columns (table ``blamed``): by thread: thread_id uint64, thread string (who was
    blocked); by caller: method string (where it blocked), source string, line int32; by
    class without object: class string (of the lock or resource); by object: object
    string, class string; by owner: owner_id uint64 and owner string (None: nobody, or
    not known); by owner_method: owner_method string (where the owner acquired it),
    owner_source string, owner_line int32; by owner_stack: owner_stack int32 (the whole
    stack, by its number in table ``stacks``); always: count int64 (blocks with a share
    in the group), total_ns int64 (all shares), max_ns int64 (the longest that one block
    owes to it), latency_ns int64 (of total_ns: nobody had it), share double (of all
    blocked time that was asked about; in table ``blockers`` of the time that this
    thread was blocked), reported_share double, exact_share double and inferred_share
    double (of total_ns).

    Args:
        model: asked
        by: any of ``thread``, ``caller``, ``class``, ``object``, ``owner``,
            ``owner_method``, ``owner_stack``
        selection: of threads that were blocked, and classes of locks; blocks are cut at
            the window's edges
        of: ``locks``, or ``resources``, which threads use and nobody owns
        states: any of ``blocked``, ``reentering``, ``parked``; of resources of
            ``waiting``, ``parked``; none: all
        libraries: see :meth:`Model.statistics`
    """
    choices = options(
        "tm_blame_options",
        keys=bits(by, _BLAME_KEYS, "key"),
        of=number(of, _BLAME_OF, "kind"),
        states=bits(states, _BLOCK_STATES, "state"),
        selection=model._select(selection),
        **library_fields(libraries),
    )
    return model._ask(lib.tm_blame_list, choices)


def blockers(model: "Model", selection: Selection = ALL) -> Table:
    """List who blocks whom, a row for each two threads, the longest total first.

    Columns (table ``blockers``): thread_id uint64, thread string (who was blocked),
    owner_id uint64 and owner string (None: nobody, or not known); those of table
    ``blamed`` that are always there.
    """
    return model._ask(lib.tm_blocker_list, model._select(selection))


def holds(model: "Model", selection: Selection = ALL) -> Table:
    """List which thread held which lock: a row per hold, by rising start.

    Columns (table ``holds``): object string, class string, kind string, thread_id
    uint64, thread string, start_ns int64 (as far as is known), end_ns int64 (as far as
    is known; None: it is held still, or nothing shows when it was released),
    start_earliest_ns int64 (it was acquired no earlier), start_latest_ns int64 (and no
    later), end_earliest_ns int64 (it was released no earlier), end_latest_ns int64 (and
    no later; None: as end_ns is), start_provenance string, end_provenance string,
    to_thread_id uint64 (None: nobody, or not known), to_thread string (who was blocked
    by it and acquired the lock next; None: nobody, or not known), to_provenance string
    (that nobody had it between; None: as to_thread_id is), method string (where it was
    acquired), source string, line int32, shared bool (one of several owners), contested
    bool (another owner was reported while this one cannot have released it: the
    producer contradicts itself, and where this hold ends is in doubt), not_running_ns
    int64 (of the hold: its owner was blocked, waited, slept, was parked or had no
    processor), not_running_state string (what most of that was; None: it ran).

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

    Columns (table ``hold_times``): by class without object: class string (of the lock);
    by caller: method string (where the owner acquired it), source string, line int32;
    by object: object string, class string; by owner: thread_id uint64, thread string;
    always: count int64 (how often), total_ns int64 (all of them), min_ns int64, max_ns
    int64, mean_ns int64, p50_ns int64, p90_ns int64 and p99_ns int64 (None: the count
    is 0), not_running_ns int64 (of total_ns: the owner did not run), exact int64 (of
    count: the producer reported both ends), unmeasured int64 (holds besides count whose
    start or end is not known).

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

    Columns (table ``resources``): class string (of what was waited for), waiting_method
    string, releasing_method string (None: not known, timed out, interrupted, or still
    waiting), objects int32 (distinct), threads int32 (that waited), waits int32 (how
    many), wait_total_ns int64 (all of them), wait_max_ns int64 (the longest), permits
    int32 (most uses of one object at once, so it has that many at least; None: no
    uses), uses int32 (how many were seen), use_p50_ns int64 (the median; None: no
    uses), use_max_ns int64 (the longest; None: no uses), use_total_ns int64 (all of
    them), use_method string (where uses spent most of the time in which they did not
    run; None: no uses, or not known), use_method_ns int64 (for how long; None: no
    uses), releasers int32 (threads), releaser_id uint64, releaser string (who ended
    most of the time waited), idle bool, provenance string (the weakest, of who
    released).

    Args:
        model: asked
        selection: of threads that waited, and classes waited for; waits that begin in
            the window, uncut
    """
    return model._ask(lib.tm_resource_list, model._select(selection))


def resource_uses(model: "Model", selection: Selection = ALL) -> Table:
    """List which thread used a resource from when to when, by rising start.

    Columns (table ``resource_uses``): class string (of what was waited for),
    waiting_method string (where the thread waited before), releasing_method string,
    object string (name of one object, or its class and number; None: not known, or a
    chain of objects stands for one permit), thread_id uint64, thread string, start_ns
    int64, end_ns int64, waited_ns int64 (how long it had waited for it), in_use int32
    (uses of the object at once as it begins, itself included; None: it took no time),
    not_running_ns int64 (of the use: the thread was blocked, waited, slept, was parked
    or had no processor), not_running_state string (what most of that was; None: it
    ran), not_running_method string (where the longest of these was; None: it ran, or
    not known).

    Args:
        model: asked
        selection: uses by these threads, of these classes, that begin in the window;
            ``in_use`` counts those of all threads
    """
    return model._ask(lib.tm_resource_use_list, model._select(selection))


def deadlocks(model: "Model") -> Table:
    """List the deadlocks, one row a member of a cycle.

    Columns (table ``deadlocks``): deadlock int32 (0, 1, ...), position int32 (0 closed
    the cycle), time_ns int64 (when it was closed), resolved_ns int64 (when a member
    continued after all; None: it is not resolved), thread_id uint64, thread string,
    object string, class string, owner_id uint64, owner string (the next member), kind
    string (monitor, reenter, synchronizer, join, mutex, rwlock, spin_lock, condition,
    semaphore, barrier, once, channel), method string, source string, line int32, stack
    int32, deadline_ns int64 (its wait is timed, and breaks the deadlock then; None: it
    waits for ever), provenance string (of "owner holds object").
    """
    return model._ask(lib.tm_deadlock_list)


def lock_order(model: "Model") -> Table:
    """List cycles of lock order that can deadlock, smallest first, an edge a row.

    Columns (table ``lock_order``): cycle int32 (0, 1, ...), position int32, level
    string (object, class; object: the same locks; class: locks of the same classes, but
    not the same ones, which is weaker evidence), suspected bool (a lock held is
    inferred, only classes are known, or one edge was over in this run when a notify,
    unpark or post let the thread of another go on), held_class string, wanted_class
    string, held_object string and wanted_object string (None: only classes are known),
    thread_id uint64, thread string, method string (where it wanted the other lock),
    source string, line int32, held_method string (where it acquired the held lock),
    held_source string, held_line int32, time_ns int64 (of the first such block or
    acquisition), count int64 (of such blocks, and of acquisitions that were reported),
    stack int32 (where it wanted the other lock), held_stack int32 (where it acquired
    the held lock), provenance string (that the lock was held).
    """
    return model._ask(lib.tm_lock_order_list)


def lock_edges(model: "Model") -> Table:
    """List all observed lock orders, the most frequent first.

    Columns (table ``lock_edges``): held_class string, wanted_class string, held_object
    string and wanted_object string (None: only classes are known), thread_id uint64,
    thread string, method string (where it wanted the other lock), source string, line
    int32, held_method string (where it acquired the held lock), held_source string,
    held_line int32, time_ns int64 (of the first such block or acquisition), count int64
    (of such blocks, and of acquisitions that were reported), stack int32 (where it
    wanted the other lock), held_stack int32 (where it acquired the held lock),
    provenance string (that the lock was held).
    """
    return model._ask(lib.tm_lock_edge_list)
