# SPDX-License-Identifier: Apache-2.0
"""How many permits of a resource were in use over time.

use 1   [──────────────)
use 2          [───────────)
in use  1111111222222222111
"""

from typing import TYPE_CHECKING, Final

from threadmodel.selection import Selection

if TYPE_CHECKING:
    from threadmodel.model import Model
    from threadmodel.table import Table

# Parts of the run, each with its average; a picture shows no more.
PARTS: Final = 150
# The most resources that are drawn: those that threads waited for longest.
DRAWN: Final = 200
_PLACE: Final = ("class", "waiting_method", "releasing_method")


def in_use(model: "Model", resources: "Table") -> dict[int, list[float]]:
    """Average the uses of a resource in each part of the run.

    Args:
        model: asked for the uses
        resources: its answer of that name

    Returns:
        PARTS averages, by the row of the resource; none of those without uses
    """
    length_ns = model.length_ns
    if not length_ns or not any(resources["uses"]):
        return {}
    part_ns = length_ns / PARTS
    drawn = resources.head(DRAWN)
    places = zip(*(drawn[name] for name in _PLACE), strict=True)
    rows = {place: row for row, place in enumerate(places)}
    # For each part: the changes within it, weighted by time, and those from its end on.
    within: dict[int, list[float]] = {}
    beyond: dict[int, list[int]] = {}
    uses = model.resource_uses(Selection(columns=(*_PLACE, "start_ns", "end_ns")))
    times = (uses["start_ns"].view(), uses["end_ns"].view())
    used = zip(*(uses[name] for name in _PLACE), strict=True)
    for place, start_ns, end_ns in zip(used, *times, strict=True):
        row = rows.get(place)
        if row is None:
            continue
        changes = within.setdefault(row, [0.0] * PARTS)
        counts = beyond.setdefault(row, [0] * (PARTS + 1))
        for time_ns, change in ((start_ns, 1), (end_ns, -1)):
            part = min(int(time_ns / part_ns), PARTS - 1)
            changes[part] += change * ((part + 1) - time_ns / part_ns)
            counts[part + 1] += change
    return {row: _averages(within[row], beyond[row]) for row in within}


def _averages(within: list[float], beyond: list[int]) -> list[float]:
    averages = []
    uses = 0
    for part, change in enumerate(within):
        uses += beyond[part]
        averages.append(round(max(uses + change, 0.0), 3))
    return averages
