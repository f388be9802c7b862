# SPDX-License-Identifier: Apache-2.0
"""Rows of each table, as the built library answers for a small recording."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import threadmodel
from describe import ROOT
from threadmodel import Model, tables

RUN: Final = ROOT / "docs" / "examples" / "demo" / "demo.tmt"
# How RUN was recorded: with these options each table but one has a row.
COMMAND: Final = (
    "threadmodel record -A held=y -A cpu=samples -- java -XX:+UseSerialGC -Xmn1m Demo"
)
ROWS: Final = 3
CELL: Final = 60

Row = Mapping[str, Any]
# Tables that SQL does not have, as somebody would ask for them.
OTHERS: Final[dict[str, Callable[[Model], Sequence[Row]]]] = {
    "groups": lambda model: list(model.statistics(("class", "caller", "thread"))),
    "total": lambda model: list(model.total()),
    "histogram": lambda model: list(model.histogram(by="class")),
    "class_sums": lambda model: list(threadmodel.sum_classes(RUN)),
    "tiles": lambda model: list(model.tiles(10_000_000)),
    "path_rollup": lambda model: list(model.path_rollup(("thread", "state"))),
    "explanation": lambda model: list(model.explain()),
    "lock_edges": lambda model: list(model.lock_edges()),
    "blamed": lambda model: list(model.blame(("class", "owner", "owner_method"))),
    "caveats": lambda model: [{"caveat": caveat} for caveat in model.caveats],
}


def cell(value: object) -> str:
    """One value on one line; empty: null."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    text = f"{value:.3g}" if isinstance(value, float) else str(value)
    return text if len(text) <= CELL else text[: CELL - 3] + "..."


def most_telling(rows: Sequence[Row]) -> list[Row]:
    """Those rows that leave the fewest columns empty, in the table's order."""
    ranked = sorted(
        range(len(rows)), key=lambda i: sum(not value for value in rows[i].values())
    )
    return [rows[i] for i in sorted(ranked[:ROWS])]


def examples() -> dict[str, list[tuple[str, list[str]]]]:
    """By table: columns that are not empty in all rows, and their cells."""
    model = threadmodel.open(RUN)
    asked: dict[str, Sequence[Row]] = {
        name: list(tables.ask(model, name)) for name in tables.ALL_TABLES
    }
    asked |= {name: question(model) for name, question in OTHERS.items()}
    found = {}
    for name, all_rows in asked.items():
        rows = most_telling(all_rows)
        columns = rows[0] if rows else ()
        found[name] = [
            (column, [cell(row[column]) for row in rows])
            for column in columns
            if any(row[column] for row in rows)
        ]
    return found
