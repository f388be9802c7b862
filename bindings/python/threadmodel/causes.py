# SPDX-License-Identifier: Apache-2.0
"""Why the time of requests went where it went; a method of Model."""

from typing import TYPE_CHECKING

from threadmodel._library import MAX_UINT32, c_string, ffi, lib, options, whole
from threadmodel.selection import ALL, Selection
from threadmodel.table import Table

if TYPE_CHECKING:
    from threadmodel.model import Model


def causes(
    model: "Model",
    selection: Selection = ALL,
    *,
    kind: str | None = None,
    unit: int | None = None,
    slowest: bool = False,
    main: bool = False,
    threads: bool = False,
    inferred: bool = True,
    depth: int = 32,
) -> Table:
    """Divide the time of units, or of threads where there are no units, by cause.

    Each wait is divided among what the threads that held the lock, or ended the wait,
    did during that time. Rows are in the order of the tree: a row, then its children
    with what is below them, the longest first. The children of a row add up to its
    time.

    Columns (table ``causes``): id int32 (1, 2, ..., the root first), parent int32 (id
    of the row that it is a part of; None: the root), depth int32 (0: the root), cause
    string (units, threads, kind, lock, wait, join, owner, user, waker, joined,
    processor, no_processor, asleep, io, native, collector, idle, handover, timeout,
    deadlock, unknown, not_recorded, elsewhere, not_followed, other), text string (the
    same in words), name string (of the kind of units, or of the endpoint of input or
    output; None: another cause, or not known), class string (of what was waited for;
    None: none, or not known), method string (where the thread was blocked, got the
    lock, ended the wait, or ran), thread_id uint64 (one of its threads; None: none is
    known), thread string (its name), time_ns int64, share double, count int64 (how
    often; of the root and of kinds, units or threads), provenance string (of the units,
    or that these threads held or ended it: the least sure of them; None: another
    cause).

    Args:
        model: asked
        selection: units of the threads and the window, as in :func:`units`, or the time
            of the threads in the window
        kind: units of this kind alone; None: of all kinds
        unit: this unit alone, by its number in :func:`units`; None: all that ended
        slowest: units that took the 99th percentile of their kind, or longer
        main: without a kind: the kind whose rate and latency measure the program, if
            there is one, else all
        threads: the time of threads, also where there are units
        inferred: False: only units that the producer states
        depth: rows below the root, at most 64 deep
    """
    flags = 0
    for is_set, flag in (
        (slowest, lib.TM_CAUSES_SLOWEST),
        (main, lib.TM_CAUSES_MAIN),
        (threads, lib.TM_CAUSES_THREADS),
        (not inferred, lib.TM_CAUSES_STATED_ONLY),
    ):
        flags |= flag if is_set else 0
    choices = options(
        "tm_cause_options",
        kind=ffi.NULL if kind is None else c_string(kind, "kind"),
        flags=flags,
        unit=0 if unit is None else whole(unit, "unit", MAX_UINT32, 1),
        depth=whole(depth, "depth", MAX_UINT32, 1),
    )
    return model._ask(lib.tm_cause_list, model._select(selection), choices)
