# SPDX-License-Identifier: Apache-2.0
"""All tables of a run by name: what reports write and SQL can ask."""

import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from threadmodel._tables import QUESTIONS
from threadmodel.selection import Selection

if TYPE_CHECKING:
    from threadmodel.model import Model
    from threadmodel.table import Table

# What SQL has, and a folder of files.
ALL_TABLES: Final = QUESTIONS
# All that one JSON object holds: frames, which column `stack` names, are too long for
# that.
TABLES: Final = {name: QUESTIONS[name] for name in QUESTIONS if name != "stacks"}
# A row for each interval, hold, use, object and so on: long runs have millions of
# these. To rank changes, the run is replayed again and again.
_LONG: Final = frozenset(
    (
        *("timeline", "interactions", "context", "critical_path", "objects"),
        *("blame", "holds", "resource_uses", "units", "whatif"),
    )
)
#: What a program asks for first: the verdict, findings and sums.
ANSWERS: Final = {name: TABLES[name] for name in TABLES if name not in _LONG}


def takes_selection(model: "Model", name: str) -> bool:
    """Return whether a table can be asked for a part of the run."""
    question = getattr(model, ALL_TABLES[name])
    return "selection" in inspect.signature(question).parameters


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
        KeyError: there is none
    """
    chosen = Selection(columns=columns) if columns is not None else selection
    given = {} if chosen is None else {"selection": chosen}
    table: Table = getattr(model, ALL_TABLES[name])(**given)
    return table
