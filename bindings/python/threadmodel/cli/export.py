# SPDX-License-Identifier: Apache-2.0
"""Tables of a run as one JSON object, or as a folder of files."""

import difflib
import functools
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from threadmodel.model import Model
from threadmodel.run import Run
from threadmodel.selection import Selection
from threadmodel.table import Table, Writable
from threadmodel.tables import ALL_TABLES, ANSWERS, TABLES, ask, takes_selection

FOLDER_WRITERS: Final[dict[str, Callable[[Table, Path], object]]] = {
    "csv": Table.to_csv,
    "sheet": functools.partial(Table.to_csv, spreadsheet=True),
    "parquet": Table.to_parquet,
}

Listener = Callable[[str], object]

# Generic since click 8.2, and to a type checker alone.
if TYPE_CHECKING:
    _ParamType = click.ParamType[tuple[str, ...]]
else:
    _ParamType = click.ParamType


class TableNames(_ParamType):
    """Names of tables, separated by commas; (): all tables."""

    name = "tables"

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: object
    ) -> tuple[str, ...]:
        """Return the names, or report the first unknown one."""
        if isinstance(value, tuple):
            return value
        if value == "all":
            return ()
        names = tuple(value.split(","))
        for name in names:
            if name not in ALL_TABLES:
                near = difflib.get_close_matches(name, ALL_TABLES, 1)
                hint = f"did you mean {near[0]}?" if near else ", ".join(ALL_TABLES)
                self.fail(f"there is no table {name!r:.100}: {hint}")
        return tuple(dict.fromkeys(names))


def chosen_tables(
    model: Model, given: tuple[str, ...] | None, is_json: bool, *, has_range: bool
) -> tuple[str, ...]:
    """Return the names of the tables to write.

    Args:
        model: asked
        given: by --tables; (): all, None: the default
        is_json: as one object, else a file each
        has_range: only of a part of the run

    Raises:
        UsageError: a table that was named is of the whole run
    """
    usual = ANSWERS if is_json and given is None else TABLES if is_json else ALL_TABLES
    names = given or tuple(usual)
    if not has_range:
        return names
    of_parts = tuple(name for name in names if takes_selection(model, name))
    if given and of_parts != names:
        whole = next(name for name in names if name not in of_parts)
        raise click.UsageError(f"table {whole} is of the whole run, and has no range")
    return of_parts


def run_facts(model: Model) -> dict[str, Any]:
    """Return the facts of the run for the JSON object."""
    run = model.run
    return {
        "source": run.source,
        "format": run.format,
        "producer": run.producer,
        "vm": run.vm,
        "command": run.command,
        "pid": run.pid or None,
        "start": run.start,
        "start_wall_ns": run.start_wall_ns or None,
        "length_ns": model.length_ns,
        "threshold_ns": run.threshold_ns,
        "cost": _cost(run),
        "caveats": list(model.caveats),
    }


def _cost(run: Run) -> dict[str, int] | None:
    """Return the cost of recording; None: the producer did not report it."""
    if not run.cost_events:
        return None
    return {
        "events": run.cost_events,
        "dropped": run.cost_dropped,
        "bytes": run.cost_bytes,
        "threads_ns": run.cost_threads_ns,
        "stacks_ns": run.cost_stacks_ns,
        "recorder_ns": run.cost_recorder_ns,
    }


def write_json(
    model: Model,
    names: Iterable[str],
    file: Writable,
    step: Listener,
    selection: Selection | None = None,
) -> None:
    """Write one object, a key a table; only one of them is in memory at a time.

    Args:
        model: asked
        names: of the tables
        file: binary
        step: called with what is being written
        selection: the part of the run; None: all
    """
    facts = run_facts(model)
    if selection is not None:
        end_ns = model.length_ns if selection.end_ns is None else selection.end_ns
        facts["range_ns"] = [selection.start_ns, end_ns]
    file.write(b'{"run": ' + json.dumps(facts).encode())
    for name in names:
        step(f"writing {name}")
        file.write(f',\n"{name}": '.encode())
        ask(model, name, selection=selection).to_json(file)
    file.write(b"}\n")


def write_folder(
    model: Model,
    names: Iterable[str],
    folder: Path,
    form: str,
    step: Listener,
    selection: Selection | None = None,
) -> None:
    """Write one file a table into a folder, which is made if need be.

    Args:
        model: asked
        names: of the tables
        folder: gets ``threads.csv`` and so on
        form: ``csv``, ``parquet``, or ``sheet``, which is CSV for a spreadsheet
        step: called with what is being written
        selection: the part of the run; None: all
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    extension = "csv" if form == "sheet" else form
    for name in names:
        step(f"writing {name}")
        table = ask(model, name, selection=selection)
        FOLDER_WRITERS[form](table, folder / f"{name}.{extension}")
