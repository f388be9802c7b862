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

    Columns: thread_id, thread, start_ns, end_ns, state, object, class, method, source,
    line, peer_id, peer, provenance, open, stack (for :meth:`stacks`). In a notebook it
    is shown as lanes, where anywidget is installed.
    """
    return Timeline(
        model._answer(lib.tm_timeline_list, model._select(selection)), model, selection
    )


def tiles(model: "Model", tile_ns: int, selection: Selection = ALL) -> Table:
    """List the timeline with less detail: short neighbours are merged.

    Columns: thread_id, thread, start_ns, end_ns, intervals (how many the row stands
    for), state (that took most of it), for each state ``<state>_ns``; and, null where
    ``intervals`` is not 1, object, class, method, source, line, peer_id, peer,
    provenance, open, stack, unsplit, sampled.

    Args:
        model: asked
        tile_ns: intervals of at least this length are kept as they are, and merged ones
            end when they are so long; 0: all are kept
        selection: of threads, classes of objects, and time
    """
    length = whole(tile_ns, "tile_ns", MAX_INT64)
    return model._ask(lib.tm_timeline_tiles, model._select(selection), length)


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
        check(lib.tm_timeline_tile_ns(out, model._model, struct, limit))
    return int(out[0])


def interactions(model: "Model", selection: Selection = ALL) -> Table:
    """List what threads did that let others go on, by time.

    Columns: kind, time_ns, woken_ns, from_thread_id, from_thread, to_thread_id,
    to_thread, object, class, from_method, to_method, provenance, effect, candidates,
    group.
    """
    return model._ask(lib.tm_interaction_list, model._select(selection))


def context(model: "Model", selection: Selection = ALL) -> Table:
    """List what went on beside the threads' states, in the order of its ends.

    Columns: kind (gc_pause, pinned, submit_failed, inflated, cpu_sample), start_ns,
    end_ns, thread_id, thread (null: all threads), object, class, method, source, line,
    stack, cause (of an inflation).
    """
    return model._ask(lib.tm_model_context, model._select(selection))


def context_totals(model: "Model") -> Table:
    """Sum the same up by kind, for the whole run.

    Columns: kind, count, total_ns, max_ns, share (of the run's length).
    """
    return model._ask(lib.tm_model_context_totals)


def stacks(model: "Model") -> Table:
    """List the frames of all stacks.

    Columns: stack, depth (0 innermost), method, class, source, line.
    """
    return model._ask(lib.tm_stack_list)
