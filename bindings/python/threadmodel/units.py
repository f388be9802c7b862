# SPDX-License-Identifier: Apache-2.0
"""Questions about requests, tasks and messages; methods of Model."""

from typing import TYPE_CHECKING, Any

from threadmodel._library import lib, options
from threadmodel.selection import ALL, Selection
from threadmodel.table import Table

if TYPE_CHECKING:
    from threadmodel.model import Model


def _choices(*, inferred: bool) -> Any:
    return options("tm_unit_options", stated_only=int(not inferred))


def units(
    model: "Model", selection: Selection = ALL, *, inferred: bool = True
) -> Table:
    """List the units of work, by rising start.

    Columns (table ``units``): unit int32 (its number, from 1), kind string (as the
    producer names it; of an inferred one a method), label string (as the producer
    states it; None: none), id uint64 (the producer's; None: none), parent int32 (number
    of the unit that submitted it, or in which it began; None: none, or not known),
    thread_id uint64 (on which it began), thread string, start_ns int64, end_ns int64
    (since the run began; of one that has not ended the last event), duration_ns int64,
    finished bool (it was seen to end), provenance string (reported, inferred; stated by
    the producer, or inferred), queued_ns int64 (before a worker took it, which is not
    in its duration); for each of unknown, new, running, blocked, waiting, reentering,
    joining, sleeping, parked, deadlocked, dead, runnable, io, native: <state>_ns int64
    (its threads' time in this state); elsewhere_ns int64 (no thread that is known
    worked on it).

    Args:
        model: asked
        selection: of threads; units that end in the window, or have not ended and begin
            before its end; uncut
        inferred: False: only those that the producer states
    """
    choices = _choices(inferred=inferred)
    return model._ask(lib.tm_unit_list, model._select(selection), choices)


def unit_kinds(
    model: "Model", selection: Selection = ALL, *, inferred: bool = True
) -> Table:
    """Sum the units of work up by kind, the most time first.

    Columns (table ``unit_kinds``): kind string (as in table ``units``), thread_id
    uint64 (one on which they begin), thread string (its name), main bool (the kind
    whose rate and latency measure the program, if there is one, and the other kinds of
    its group of threads), provenance string (reported, inferred), threads int32 (on
    which they begin), count int64 (that ended), unfinished int64 (that have not ended),
    rate double (units that end, from steady_from_ns to steady_to_ns; None: too few for
    a rate), in_flight double (units at once, on average over the same time; None: too
    few for a rate), steady_from_ns int64 (when the rate has settled, since the run
    began; None: too few for a rate), steady_to_ns int64 (until when it lasts; None: too
    few for a rate), total_ns int64 (of all durations), mean_ns int64 (None: none
    ended), p50_ns int64 (the median; None: none ended), p95_ns int64, p99_ns int64 and
    max_ns int64 (None: none ended), queued_mean_ns int64 (before a worker took them, of
    those where it is known; None: not known of any), queued_count int64 (how many it is
    known of), submitted_by string (kind of the unit that submitted most of them).

    Args:
        model: asked
        selection: see :func:`units`
        inferred: False: only those that the producer states
    """
    choices = _choices(inferred=inferred)
    return model._ask(lib.tm_unit_kind_list, model._select(selection), choices)


def unit_parts(
    model: "Model", selection: Selection = ALL, *, inferred: bool = True
) -> Table:
    """Divide the time of each kind's units by what their threads did.

    Columns (table ``unit_parts``): kind string and thread_id uint64 (as in table
    ``unit_kinds``), thread string (its name), state string (of the unit's threads;
    None: no thread that is known worked on it), class string (of what was waited for;
    None: none, or not known), method string (where the thread was blocked; None: it was
    not, or that is not known), units int64 (with such a part), count int64 (how often),
    total_ns int64, share double, mean_ns int64 (of total_ns, for each unit of the
    kind), slow_ns int64 (of total_ns, in the slowest hundredth), slow_share double.

    Args:
        model: asked
        selection: see :func:`units`
        inferred: False: only those that the producer states
    """
    choices = _choices(inferred=inferred)
    return model._ask(lib.tm_unit_part_list, model._select(selection), choices)
