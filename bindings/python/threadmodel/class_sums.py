# SPDX-License-Identifier: Apache-2.0
"""How often and how long by class, of files of any size, without a model."""

import os
import warnings
from collections.abc import Iterable
from typing import Final

from threadmodel import errors
from threadmodel._library import (
    MAX_INT64,
    c_string,
    check,
    error,
    ffi,
    lib,
    options,
    path_bytes,
    whole,
)
from threadmodel.event import EventKind
from threadmodel.source import open_source, recordings_in
from threadmodel.table import Table, answer

# States that need no model, with the kinds of events that begin and end them.
ENDS: Final = {
    "blocked": (EventKind.CONTENDED_ENTER, EventKind.CONTENDED_ENTERED),
    "waiting": (EventKind.WAIT, EventKind.WAITED),
    "joining": (EventKind.WAIT, EventKind.WAITED, EventKind.JOIN, EventKind.JOINED),
    "sleeping": (EventKind.SLEEP, EventKind.SLEPT),
    "parked": (EventKind.PARK, EventKind.UNPARKED),
}
NUMBERS: Final = {
    "blocked": lib.TM_STATE_BLOCKED,
    "waiting": lib.TM_STATE_WAITING,
    "joining": lib.TM_STATE_JOINING,
    "sleeping": lib.TM_STATE_SLEEPING,
    "parked": lib.TM_STATE_PARKED,
}
# Events that report blocks in another way, and those that report a loss.
BESIDE: Final = (EventKind.SNAPSHOT, EventKind.RUNNABLE, EventKind.LOST)


def sum_classes(
    path: str | os.PathLike[str],
    states: Iterable[str] = tuple(ENDS),
    *,
    dialect: str | None = None,
    time_unit_ns: int = 0,
) -> Table:
    """Sum up how often and how long threads were blocked, by class, without a model.

    It reads only what it needs, in memory that does not grow with the file: for one
    question to a large recording. Of a damaged file, what is whole is summed up, and a
    DamagedTraceWarning is issued.

    Columns (table ``class_sums``): class string (None: unknown), state string (blocked,
    waiting, joining, sleeping, parked, io; a wait is counted until the thread has its
    monitor again), count int64 (how often), total_ns int64 (all of them), min_ns int64,
    max_ns int64, mean_ns int64, p50_ns int64, p90_ns int64 and p99_ns int64 (None: the
    count is 0).

    Args:
        path: of a file, a folder of chunks, or anything that can be read
        states: any of ``blocked``, ``waiting``, ``joining``, ``sleeping``, ``parked``;
            waits and joins may come together, since a join is a wait to some producers
        dialect: the file is a contention log, with these changes to its lines' fields
        time_unit_ns: of TPTP XML, which states none; 0: seconds

    Raises:
        InvalidArgumentError: there is no such state (a ValueError)
        ThreadmodelError: as of :func:`threadmodel.read`
    """
    return sum_pairs(path, states, dialect=dialect, time_unit_ns=time_unit_ns)[0]


def sum_pairs(
    path: str | os.PathLike[str],
    states: Iterable[str],
    *,
    dialect: str | None = None,
    time_unit_ns: int = 0,
) -> tuple[Table, dict[str, int]]:
    """Sum up as class_sums does; return by state, too, the events that are left out."""
    kinds = 0
    wanted = set(states)
    for state in wanted:
        if state not in ENDS:
            raise errors.InvalidArgumentError(
                f"no such state: {state!r:.100}; there are {', '.join(ENDS)}"
            )
        kinds |= sum(1 << kind for kind in (*ENDS[state], *BESIDE))
    out = ffi.new("tm_class_sums **")
    check(lib.tm_class_sums_new(out, ffi.NULL))
    summary = ffi.gc(out[0], lib.tm_class_sums_free)
    names = [path_bytes(one) for one in recordings_in(path)]
    others = [ffi.new("char[]", name) for name in names[1:]]
    choices = options(
        "tm_source_options",
        kinds=kinds,
        flags=lib.TM_SOURCE_NO_STACKS | lib.TM_SOURCE_BY_THREAD,
        dialect=ffi.NULL if dialect is None else c_string(dialect, "dialect"),
        time_unit_ns=whole(time_unit_ns, "time_unit_ns", MAX_INT64),
        more_count=len(others),
    )
    more = ffi.new("char *[]", others)
    choices.more_paths = more if others else ffi.NULL
    source = open_source(names, choices)
    code = lib.TM_MORE
    while code == lib.TM_MORE:
        code = lib.tm_source_read(source, lib.tm_class_sums_sink(summary))
    if code == lib.TM_EDAMAGED:
        warnings.warn(str(error(code)), errors.DamagedTraceWarning, stacklevel=2)
    else:
        check(code)
    left_out = {
        state: int(lib.tm_class_sums_left_out(summary, NUMBERS[state]))
        for state in wanted
    }
    return answer(lib.tm_class_sums_list, summary), left_out
