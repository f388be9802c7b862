# SPDX-License-Identifier: Apache-2.0
"""Excerpts of tables that are too long for a page.

An excerpt keeps the rows that a reader is most likely to look at, the longest ones,
from the whole run: a page that ends half way would look like a run that does.
"""

import heapq
import itertools
from collections.abc import Sequence
from operator import sub
from typing import Final

from threadmodel.table import Table

INTERACTION_ROWS: Final = 100_000
PATH_ROWS: Final = 100_000
HOLD_ROWS: Final = 20_000


def of_interactions(interactions: Table, tiles: Table) -> Sequence[int]:
    """Choose the interactions to draw between these tiles.

    Interactions that ended an interval with a tile of its own come first: a user that
    chooses such an interval sees what ended it. Others take the remaining room. If
    either are too many, the chosen ones are spread evenly over the run.
    """
    total = len(interactions)
    if total <= INTERACTION_ROWS:
        return range(total)
    alone = map((1).__eq__, tiles["intervals"].view())
    ends = set(itertools.compress(tiles["end_ns"].view(), alone))
    seen = map(ends.__contains__, interactions["woken_ns"].view())
    kept = list(itertools.compress(range(total), seen))
    room = INTERACTION_ROWS - len(kept)
    if room < 0:
        return kept[:: -(-len(kept) // INTERACTION_ROWS)]
    others = range(0, total, -(-total // room)) if room else ()
    return sorted({*kept, *others})


def of_path(path: Table) -> Sequence[int]:
    """Choose the longest steps of a critical path."""
    total = len(path)
    if total <= PATH_ROWS:
        return range(total)
    lengths = map(sub, path["end_ns"].view(), path["start_ns"].view())
    return _longest(range(total), list(lengths), PATH_ROWS)


def of_holds(holds: Table, rows: Sequence[int], length_ns: int) -> Sequence[int]:
    """Choose the longest of these holds; one without an end lasts to the run's end."""
    if len(rows) <= HOLD_ROWS:
        return rows
    starts, ends = holds["start_ns"].view(), holds["end_ns"].view()
    # A null end is stored as 0.
    lengths = [(ends[row] or length_ns) - starts[row] for row in rows]
    return _longest(rows, lengths, HOLD_ROWS)


def _longest(rows: Sequence[int], lengths: Sequence[int], room: int) -> Sequence[int]:
    """Choose the longest rows.

    Many rows may be as long as the last one chosen: of these, some are chosen, spread
    evenly over the run.
    """
    least = heapq.nlargest(room, lengths)[-1]
    longer = list(itertools.compress(rows, map(least.__lt__, lengths)))
    equal = list(itertools.compress(rows, map(least.__eq__, lengths)))
    return sorted([*longer, *equal[:: -(-len(equal) // (room - len(longer)))]])
