# SPDX-License-Identifier: Apache-2.0
"""The rows that a finding rests on, by its condition, which is written as SQL."""

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from threadmodel import errors, tables

if TYPE_CHECKING:
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
        InvalidArgumentError: it is not a condition of a finding
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
    """Return the rows that a finding rests on; empty if it names none.

    Args:
        model: asked
        finding: a row of :meth:`findings`; its ``evidence_table`` names the table
        part: of the run that the finding is of; None: all of it
    """
    name = finding["evidence_table"]
    if part is not None and not tables.takes_selection(model, name):
        part = None
    table = tables.ask(model, name, selection=part)
    marks = matching(table, finding["evidence_where"])
    return table.gather(list(marked(marks)))


def matching(table: "Table", where: str) -> bytearray:
    """Return a byte for each row: 1 where a finding's condition holds, else 0."""
    # The library leaves a condition empty that would be too long.
    return table.mark(conditions(where)) if where else bytearray(len(table))


def marked(marks: bytearray) -> Iterator[int]:
    """Yield the numbers of the marked rows."""
    return itertools.compress(range(len(marks)), marks)
