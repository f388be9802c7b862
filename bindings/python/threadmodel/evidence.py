# SPDX-License-Identifier: Apache-2.0
"""The rows that a finding rests on: its condition, read as the SQL that it is."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from threadmodel import errors, tables

if TYPE_CHECKING:
    from threadmodel.model import Model
    from threadmodel.table import Table

_CONDITION: Final = re.compile(
    r"(?P<column>\w+) (?:= (?P<text>'(?:[^']|'')*')|= (?P<number>-?\d+)|is null"
    r"|in \((?P<numbers>-?\d+(?:, -?\d+)*)\)"
    r"|in \((?P<texts>'(?:[^']|'')*'(?:, '(?:[^']|'')*')*)\))(?: and |\Z)"
)
_TEXT: Final = re.compile(r"'((?:[^']|'')*)'")


def conditions(where: str) -> dict[str, frozenset[Any]]:
    """Return the values that a condition allows in each column; None is null.

    Raises:
        InvalidArgumentError: it is no condition of a finding
    """
    wanted: dict[str, frozenset[Any]] = {}
    at = 0
    while at < len(where):
        match = _CONDITION.match(where, at)
        if match is None:
            raise errors.InvalidArgumentError(f"no condition: {where[at:]!r:.200}")
        texts = match["text"] or match["texts"]
        if match["number"] is not None:
            wanted[match["column"]] = frozenset({int(match["number"])})
        elif match["numbers"] is not None:
            numbers = match["numbers"].split(", ")
            wanted[match["column"]] = frozenset(map(int, numbers))
        elif texts is not None:
            found = (text[1].replace("''", "'") for text in _TEXT.finditer(texts))
            wanted[match["column"]] = frozenset(found)
        else:
            wanted[match["column"]] = frozenset({None})
        at = match.end()
    return wanted


def rows_of_finding(model: "Model", finding: Mapping[str, Any]) -> "Table":
    """Return the rows that a finding rests on; none where it names none.

    Args:
        model: asked
        finding: a row of :meth:`findings`; its ``evidence_table`` names the table
    """
    table = tables.ask(model, finding["evidence_table"])
    return table.gather(matching(table, finding["evidence_where"]))


def matching(table: "Table", where: str) -> list[int]:
    """Return the numbers of the rows for which a finding's condition holds."""
    # A condition that was too long to be written is empty.
    if not where:
        return []
    rows: Sequence[int] = range(len(table))
    for name, wanted in conditions(where).items():
        column = table[name]
        # Whole columns are read at once; few rows are left after the first.
        values = column if len(rows) == len(column) else [column[row] for row in rows]
        rows = [row for row, value in zip(rows, values, strict=True) if value in wanted]
    return list(rows)
