# SPDX-License-Identifier: Apache-2.0
"""What ``diff`` and ``check`` share: runs of two sides, parts of them, requests."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import threadmodel
from threadmodel.cli.messages import say
from threadmodel.cli.ranges import part_of
from threadmodel.errors import DamagedTraceWarning
from threadmodel.judgement import nothing_in
from threadmodel.load import (
    ENOUGH_OF_SEVERAL,
    ENOUGH_UNITS,
    Change,
    behind,
    compare_loads,
    loads,
    moved,
)
from threadmodel.model import Model
from threadmodel.selection import Selection
from threadmodel.text import duration


def open_all(paths: Iterable[str]) -> list[Model]:
    """Read all files of a side; `name_damaged` reports those that are damaged."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DamagedTraceWarning)
        return [threadmodel.open(path) for path in paths]


def parts_of(models: Iterable[Model], chosen: Mapping[str, Any]) -> list[Selection]:
    """Return the part of each run that the parameters of a command choose."""
    return [part_of(model, chosen) for model in models]


def requests(
    before: Sequence[Model],
    after: Sequence[Model],
    parts: tuple[Sequence[Selection], Sequence[Selection]],
    tolerance: float | None,
) -> Change | None:
    """Compare the requests of two sides; None: one of the runs has none.

    Args:
        before: the runs of one side
        after: those of the other
        parts: of the runs of each side
        tolerance: what a difference must exceed; None: what is usual
    """
    is_one = len(before) == 1 or len(after) == 1
    enough = ENOUGH_UNITS if is_one else ENOUGH_OF_SEVERAL
    old = loads(before, parts[0], enough)
    if old is None:
        return None
    new = loads(after, parts[1], enough, old[0].kinds)
    if new is None:
        return None
    return compare_loads(old, new, tolerance)


def moved_lines(change: Change, model: Model) -> list[str]:
    """State where the time of a request changed most."""
    lines = []
    for place_, old, new in moved(change):
        state, class_name, method = place_
        words = [state or "on no known thread"]
        if class_name is not None:
            words.append(f"for {class_name}")
        if method is not None:
            words.append(f"in {method}")
        lines.append(
            f"a request is {' '.join(words)} for {duration(round(new))}, "
            f"{duration(round(old))} before{behind(model, place_)}"
        )
    return lines


def name_empty(paths: Iterable[str], models: Iterable[Model]) -> bool:
    """Name each file from which no answer follows. Return whether one is."""
    found = [nothing_in(model) for model in models]
    for path, missing in zip(paths, found, strict=True):
        if missing is not None:
            say(f"{path}: {missing}")
    return any(missing is not None for missing in found)


def name_damaged(paths: Iterable[str], models: Iterable[Model]) -> bool:
    """Name each file that is damaged or cut. Return whether one is."""
    damaged = [
        (path, model.damage)
        for path, model in zip(paths, models, strict=True)
        if model.damage is not None
    ]
    for path, damage in damaged:
        say(f"{path}: only partly read: {damage}")
    return bool(damaged)
