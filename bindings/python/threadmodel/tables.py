# SPDX-License-Identifier: Apache-2.0
"""All tables of a run by name: what reports write and SQL can ask."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from threadmodel.model import Model
    from threadmodel.table import Table

# What one JSON object holds, and the questions; outsiders rely on the names.
TABLES: Final = {
    "threads": "threads",
    "locks": "locks",
    "callers": "callers",
    "objects": "objects",
    "timeline": "timeline",
    "interactions": "interactions",
    "context": "context",
    "context_totals": "context_totals",
    "deadlocks": "deadlocks",
    "critical_path": "critical_path",
    "whatif": "whatif_rank",
    "lock_order": "lock_order",
    "blame": "blame",
    "blockers": "blockers",
    "holds": "holds",
    "hold_times": "hold_times",
    "resources": "resources",
    "findings": "findings",
    "diagnostics": "diagnostics",
}
# And what is too long for that: frames that the column `stack` of other tables names.
ALL_TABLES: Final = {**TABLES, "stacks": "stacks"}


def ask(model: "Model", name: str) -> "Table":
    """Ask a model for the table of a name.

    Raises:
        KeyError: there is none
    """
    table: Table = getattr(model, ALL_TABLES[name])()
    return table
