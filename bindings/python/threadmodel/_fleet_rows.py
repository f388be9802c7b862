# SPDX-License-Identifier: Apache-2.0
"""Rows of a dataset of runs, by Arrow."""

from typing import Any

from threadmodel.extras import extra
from threadmodel.fleet import NUMBERS


def with_run(stream: bytes, run: str) -> Any:
    """Return a table of a run, with a column that names the run."""
    pyarrow = extra("pyarrow")
    table = pyarrow.ipc.open_stream(stream).read_all()
    return table.append_column("run", pyarrow.array([run] * len(table), "string"))


def schema_of(runs: list[dict[str, Any]]) -> Any:
    """Give the columns the same types in every part, also if all values are null."""
    pyarrow = extra("pyarrow")
    names = dict.fromkeys(name for run in runs for name in run)
    return pyarrow.schema(
        (name, pyarrow.int64() if name in NUMBERS else pyarrow.string())
        for name in names
    )


def chosen_of(batch: Any, wanted: set[str] | None, left_out: set[str]) -> Any:
    """Return the rows of the wanted runs; None: of all but those left out."""
    pyarrow = extra("pyarrow")
    keep = [
        run not in left_out and (wanted is None or run in wanted)
        for run in batch.column("run").to_pylist()
    ]
    return batch.filter(pyarrow.array(keep, pyarrow.bool_()))
