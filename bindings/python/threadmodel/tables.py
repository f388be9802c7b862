# SPDX-License-Identifier: Apache-2.0
"""All tables of a run by name, for reports and SQL."""

import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from threadmodel._tables import QUESTIONS
from threadmodel.selection import Selection

if TYPE_CHECKING:
    from threadmodel.model import Model
    from threadmodel.table import Table

# The tables of SQL, and of a folder of files.
ALL_TABLES: Final = QUESTIONS
# The tables of one JSON object, which would be too long with the frames of stacks.
TABLES: Final = {name: QUESTIONS[name] for name in QUESTIONS if name != "stacks"}
# Tables with a row for each interval, hold, use or object: long runs have millions.
# Table `whatif` takes long too: it replays the run for each change.
_LONG: Final = frozenset(
    (
        *("timeline", "interactions", "context", "critical_path", "objects"),
        *("blame", "holds", "resource_uses", "units", "whatif"),
    )
)
# Parameters by which a question takes a part of the run.
_RANGES: Final = ("selection", "window", "from_ns")
#: The tables of `report --json` by default: the verdict, findings and sums.
ANSWERS: Final = {name: TABLES[name] for name in TABLES if name not in _LONG}


def takes_selection(model: "Model", name: str) -> bool:
    """Return whether a table can be asked for a part of the run."""
    return name == "deadlocks" or _takes(model, name) in _RANGES


def _takes(model: "Model", name: str) -> str:
    known = inspect.signature(getattr(model, ALL_TABLES[name])).parameters
    return next((parameter for parameter in _RANGES if parameter in known), "")


def bounds(model: "Model", part: Selection) -> tuple[int, int]:
    """Return the start and the end of a part of a run, within the run."""
    end_ns = model.length_ns if part.end_ns is None else part.end_ns
    return part.start_ns, min(end_ns, model.length_ns)


def last_ns(model: "Model", part: Selection) -> int | None:
    """Return the end of a part of a run; None: it is the end of the run."""
    end_ns = part.end_ns
    return None if end_ns is None or end_ns >= model.length_ns else end_ns


def deadlocks_in(model: "Model", part: Selection) -> "Table":
    """Return the rows of deadlocks that stood in a part of a run."""
    table = model.deadlocks()
    rows = [
        number
        for number, (since_ns, until_ns) in enumerate(
            zip(table["time_ns"], table["resolved_ns"], strict=True)
        )
        if (part.end_ns is None or since_ns < part.end_ns)
        and (until_ns is None or until_ns > part.start_ns)
    ]
    return table if len(rows) == len(table) else table.gather(rows)


def ask(
    model: "Model",
    name: str,
    columns: Iterable[str] | None = None,
    selection: Selection | None = None,
) -> "Table":
    """Ask a model for the table of a name.

    Args:
        model: asked
        name: of the table
        columns: of a list, such as the timeline, those that are wanted: the others are
            null in every row
        selection: the part of the run, of a table that `takes_selection`

    Raises:
        KeyError: there is no such table
    """
    chosen = Selection(columns=columns) if columns is not None else selection
    given: dict[str, Any] = {} if chosen is None else {"selection": chosen}
    if selection is not None and chosen is selection:
        if name == "deadlocks":
            return deadlocks_in(model, selection)
        takes = _takes(model, name)
        if takes == "window":
            given = {"window": selection.window}
        elif takes == "from_ns":
            given = {
                "from_ns": selection.start_ns,
                "to_ns": last_ns(model, selection),
            }
    table: Table = getattr(model, ALL_TABLES[name])(**given)
    return table
