# SPDX-License-Identifier: Apache-2.0
"""Summaries of runs, which merge in any order."""

import ctypes
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from threadmodel import errors
from threadmodel._enums import STATES
from threadmodel._library import c_string, ffi, lib
from threadmodel.extras import extra
from threadmodel.model import Model
from threadmodel.table import Table, answer

Summary = dict[str, Table]

#: Version of the tables below and their columns; a newer one is refused.
VERSION: Final = 1
_HISTOGRAM: Final = "histogram_"
_PLACE: Final = ("class", "caller")


def _caveats(model: Model) -> Table:
    return model._ask(lib.tm_caveat_list)


def _histogram(state: str) -> Callable[[Model], Table]:
    return lambda model: model.histogram(state, _PLACE)


_QUESTIONS: Final[dict[str, Callable[[Model], Table]]] = {
    "callers": Model.callers,
    **{_HISTOGRAM + state: _histogram(state) for state in STATES},
    "hold_times": lambda model: model.hold_times(_PLACE),
    "resources": Model.resources,
    "blamed": lambda model: model.blame(by=("class", "caller", "owner_method")),
    "deadlocks": Model.deadlocks,
    "lock_edges": Model.lock_edges,
    "path_rollup": lambda model: model.path_rollup(("method", "class", "state")),
    "whatif": Model.whatif_rank,
    "findings": Model.findings,
    "finding_kinds": Model.finding_kinds,
    "context_totals": Model.context_totals,
    "diagnostics": Model.diagnostics,
    "caveats": _caveats,
}
#: The tables of a summary.
TABLES: Final = tuple(_QUESTIONS)


def summarize(model: Model) -> Summary:
    """Sum up a run in tables that merge with those of other runs, by name.

    Rows have keys that mean the same in every run: classes, methods, lines, states. A
    histogram is a table for each state, ``histogram_blocked`` for instance.
    """
    return {name: _merged([ask(model)]) for name, ask in _QUESTIONS.items()}


def merge(summaries: Iterable[Mapping[str, Table]]) -> Summary:
    """Merge summaries. Any order and any grouping make the same tables.

    A table that some of them lack, because another release made them, is merged from
    the others.

    Raises:
        InvalidArgumentError: one of them is not a summary
    """
    parts: dict[str, list[Table]] = {}
    for summary in summaries:
        for name, table in summary.items():
            parts.setdefault(name, []).append(table)
    unknown = sorted(set(parts) - set(TABLES))
    if unknown:
        raise errors.InvalidArgumentError(f"no table of summaries: {unknown[0]:.100}")
    return {name: _merged(parts[name]) for name in TABLES if name in parts}


def from_arrow(name: str, batch: Any) -> Table:
    """Copy a stored table of a summary, from a pyarrow.RecordBatch.

    Columns that do not merge, such as labels of the run, are passed over.

    Raises:
        InvalidArgumentError: it is no such table
        MissingExtraError: pyarrow is not installed
    """
    pyarrow = extra("pyarrow")
    # Parquet does not keep codes of strings: a text may come as any of these types.
    plain = [
        array.cast(pyarrow.string())
        if pyarrow.types.is_dictionary(array.type)
        or pyarrow.types.is_large_string(array.type)
        else array
        for array in batch.columns
    ]
    whole = pyarrow.RecordBatch.from_arrays(plain, names=batch.schema.names)
    schema, array = whole.__arrow_c_array__()
    return answer(
        lib.tm_summary_import,
        c_string(_table_name(name), "table"),
        _pointer(schema, "arrow_schema", "struct ArrowSchema *"),
        _pointer(array, "arrow_array", "struct ArrowArray *"),
        ffi.NULL,
    )


def _table_name(name: str) -> str:
    """Return the library's name of a table of summaries."""
    state = name.removeprefix(_HISTOGRAM)
    return "histogram" if state != name and state in STATES else name


def _pointer(capsule: object, name: str, ctype: str) -> Any:
    function = ctypes.pythonapi.PyCapsule_GetPointer
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.py_object, ctypes.c_char_p]
    # The stubs require casts for pointers from C.
    untyped: Any = ffi
    return untyped.cast(ctype, function(capsule, name.encode()))


def _merged(tables: list[Table]) -> Table:
    pointers = ffi.new("tm_table *[]", [table._table for table in tables])
    return answer(lib.tm_summary_merge, pointers, len(tables))
