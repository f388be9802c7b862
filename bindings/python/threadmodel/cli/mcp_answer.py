# SPDX-License-Identifier: Apache-2.0
"""Answers of the MCP server: JSON of a bounded length."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from threadmodel.model import Model
from threadmodel.table import Table
from threadmodel.text import clean

ANSWER_BYTES: Final = 8000
TEXT_LENGTH: Final = 500
MOST_ROWS: Final = 200

Row = Mapping[str, Any]


def answer(rows: Iterable[Row], total: int, **more: Any) -> str:
    """Write rows as JSON of at most ANSWER_BYTES: as many of them as fit."""
    head = {**{key: _value(value) for key, value in more.items()}, "rows_in_all": total}
    kept: list[str] = []
    size = len(json.dumps(head)) + 40
    for row in rows:
        text = json.dumps({key: _value(value) for key, value in row.items()})
        size += len(text) + 2
        if size > ANSWER_BYTES or len(kept) == MOST_ROWS:
            break
        kept.append(text)
    if len(kept) < total:
        head["rows_shown"] = len(kept)
    start = json.dumps(head)[:-1]
    return f'{start}, "rows": [{", ".join(kept)}]}}'


def _value(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_value(each) for each in value[:MOST_ROWS]]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, bytes):
        # Cleaned text is up to four times as long.
        value = value[:TEXT_LENGTH]
    text = clean(str(value), TEXT_LENGTH)
    # JSON writes six bytes and more for a letter beyond ASCII.
    return text if len(json.dumps(text)) <= TEXT_LENGTH + 100 else text[:80] + "…"


def table_answer(model: Model, table: Table, **more: Any) -> str:
    """Write a table; `runs` has the caveats on the whole run."""
    return answer(named(model, table), len(table), **more, **own_caveats(model, table))


def named(model: Model, rows: Iterable[Row]) -> Iterator[Row]:
    """Leave out nulls, and ids of threads whose names are unique."""
    known = Counter(model.threads()["name"]) if model.event_count else Counter()
    for row in rows:
        yield {
            name: value
            for name, value in row.items()
            if value is not None
            and not (
                name.endswith("_id") and known[row.get(name.removesuffix("_id"))] == 1
            )
        }


def own_caveats(model: Model, table: Table) -> dict[str, list[str]]:
    """Return the caveats on this table alone; `runs` has those on the run."""
    own = [caveat for caveat in table.caveats if caveat not in model.caveats]
    return {"caveats": own[:3]} if own else {}
