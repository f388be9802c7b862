# SPDX-License-Identifier: Apache-2.0
"""Cycles among the lock orders of many runs.

An order is a row with ``held_class`` and ``wanted_class``; there is one of each pair.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Final

Row = dict[str, Any]

# Classes that locks of any program have: they do not identify a lock.
_EVERYBODYS: Final = ("java.", "javax.", "jdk.", "sun.", "int[]")
_NAMELESS: Final = ("mutex", "rwlock", "spinlock", "once")


def is_named(edge: Row) -> bool:
    """Return whether the classes of a lock order identify the locks."""
    return all(
        name is not None and not name.startswith(_EVERYBODYS) and name not in _NAMELESS
        for name in (edge["held_class"], edge["wanted_class"])
    )


def cycles(edges: Iterable[Row]) -> list[list[Row]]:
    """Return for each edge the shortest cycle through it, each cycle once."""
    edges = list(edges)
    onward: dict[str, list[Row]] = {}
    for edge in edges:
        onward.setdefault(edge["held_class"], []).append(edge)
    found: dict[frozenset[str], list[Row]] = {}
    for edge in edges:
        way = _shortest(onward, edge["wanted_class"], edge["held_class"])
        if way is not None:
            cycle = [edge, *way]
            found.setdefault(frozenset(e["held_class"] for e in cycle), cycle)
    return sorted(found.values(), key=len)


def _shortest(
    onward: Mapping[str, list[Row]], start: str, end: str
) -> list[Row] | None:
    ways: dict[str, list[Row]] = {start: []}
    waiting = deque([start])
    while waiting:
        at = waiting.popleft()
        if at == end:
            return ways[at]
        for edge in onward.get(at, ()):
            if edge["wanted_class"] not in ways:
                ways[edge["wanted_class"]] = [*ways[at], edge]
                waiting.append(edge["wanted_class"])
    return None
