# SPDX-License-Identifier: Apache-2.0
"""The rows that a finding rests on: its condition, read as the SQL that it is."""

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from threadmodel import errors, tables

if TYPE_CHECKING:
    from threadmodel.column import Column
    from threadmodel.model import Model
    from threadmodel.selection import Selection
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


def rows_of_finding(
    model: "Model", finding: Mapping[str, Any], part: "Selection | None" = None
) -> "Table":
    """Return the rows that a finding rests on; none where it names none.

    Args:
        model: asked
        finding: a row of :meth:`findings`; its ``evidence_table`` names the table
        part: of the run that the finding is of; None: all of it
    """
    name = finding["evidence_table"]
    if part is not None and not tables.takes_selection(model, name):
        part = None
    table = tables.ask(model, name, selection=part)
    return table.gather(matching(table, finding["evidence_where"]))


def matching(table: "Table", where: str) -> Sequence[int]:
    """Return the numbers of the rows for which a finding's condition holds."""
    # A condition that was too long to be written is empty.
    if not where:
        return []
    rows: Sequence[int] = range(len(table))
    for name, wanted in conditions(where).items():
        rows = rows_with(table[name], wanted, rows)
    return rows


def rows_with(
    column: "Column", wanted: frozenset[Any], rows: Sequence[int]
) -> Sequence[int]:
    """Return those of some rows whose value in a column is one of these."""
    allowed = wanted
    stored: Sequence[Any] | memoryview = column
    if column.type == "string":
        # Millions of rows have few strings: their codes are compared.
        codes = {text: code for code, text in enumerate(column.categories)}
        allowed = frozenset(
            -1 if text is None else codes[text]
            for text in wanted
            if text is None or text in codes
        )
        stored = column.view()
    is_whole = len(rows) == len(column)
    values: Iterable[Any] = stored if is_whole else map(stored.__getitem__, rows)
    return list(itertools.compress(rows, map(allowed.__contains__, values)))
