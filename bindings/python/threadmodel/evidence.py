# SPDX-License-Identifier: Apache-2.0
"""The rows that a finding rests on: its condition, read as the SQL that it is."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from threadmodel import errors, tables

if TYPE_CHECKING:
    from threadmodel.model import Model

Row = dict[str, Any]

_CONDITION: Final = re.compile(
    r"(?P<column>\w+) (?:= '(?P<text>(?:[^']|'')*)'|= (?P<number>-?\d+)|is null)"
    r"(?: and |\Z)"
)


def conditions(where: str) -> dict[str, Any]:
    """Return the value of each column that a condition names; None is null.

    Raises:
        InvalidArgumentError: it is no condition of a finding
    """
    wanted: dict[str, Any] = {}
    at = 0
    while at < len(where):
        match = _CONDITION.match(where, at)
        if match is None:
            raise errors.InvalidArgumentError(f"no condition: {where[at:]!r:.200}")
        if match["number"] is not None:
            wanted[match["column"]] = int(match["number"])
        else:
            text = match["text"]
            wanted[match["column"]] = text and text.replace("''", "'")
        at = match.end()
    return wanted


def rows_of_finding(model: "Model", finding: Mapping[str, Any]) -> list[Row]:
    """Return the rows that a finding rests on; none where it names none.

    Args:
        model: asked
        finding: a row of :meth:`findings`; its ``evidence_table`` names the table
    """
    wanted = conditions(finding["evidence_where"])
    # A condition that was too long to be written is empty.
    if not wanted:
        return []
    table = tables.ask(model, finding["evidence_table"])
    return [row for row in table if all(row[c] == v for c, v in wanted.items())]
