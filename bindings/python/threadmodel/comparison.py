# SPDX-License-Identifier: Apache-2.0
"""Comparison of two runs, or of two groups of runs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from threadmodel import lock_time, tables
from threadmodel.model import Model
from threadmodel.noise import chance
from threadmodel.selection import ALL, Selection

Row = dict[str, Any]
#: The part of a run that is compared: the same of all, or chosen by the run.
Part = Selection | Callable[[Model], Selection]
# The row of each run of a group at one place; None: the run has none.
_Side = list[Row | None]

STATES: Final = ("blocked", "reentering", "waiting", "joining", "parked", "io")
# States in which a thread can be idle, waiting for work.
_IDLE: Final = ("waiting", "parked", "io")
_FIGURES: Final = tuple(
    f"{state}_{figure}"
    for state in STATES
    for figure in ("count", "total_ns", "p99_ns")
)
_SHARES: Final = tuple(f"{state}_share" for state in STATES)
# Figures that are compared with the noise of the runs, by run and place.
_JUDGED: Final = ("length_ns", "lock_share", "queued_ns")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The tables of two runs, or of two groups of runs, matched row by row.

    Each row has the columns that it was matched by and, for each figure x, x_before,
    x_after and x_change (after less before), of several runs the medians and the most
    deadlocks. What one side lacks counts as 0 there, but for percentiles, which are
    then None. length_ns, lock_share and queued_ns have x_chance too: how likely it
    is that so large a change comes from the runs' noise, None where a side has one run
    only.

    Attributes:
        run: one row: length_ns, threads, deadlocks, lock_share
        locks: by class
        callers: by class, method and line, with the source file and whether threads
            are idle there; where a line is met on one side alone and its method once
            on both, by class and method: code moves. queued_ns is for how long threads
            queued for locks, monitors and synchronizers alike, and queued_share the
            same as a part of the run's length.
        findings: by kind, class and method: impact_ns
        runs: how many runs there are before, and after
    """

    run: list[Row]
    locks: list[Row]
    callers: list[Row]
    findings: list[Row]
    runs: tuple[int, int] = (1, 1)

    def tables(self) -> dict[str, list[Row]]:
        """Return all of them by name."""
        return {
            "run": self.run,
            "locks": self.locks,
            "callers": self.callers,
            "findings": self.findings,
        }


def part_of(model: Model, part: Part) -> Selection:
    """Return the part of this run that is compared."""
    return part if isinstance(part, Selection) else part(model)


def lock_share(model: Model, part: Selection = ALL) -> float:
    """Return the part of all threads' time for which they queued for locks.

    That is the time blocked by monitors and synchronizers over the time that threads
    lived, 0 to 1.

    Args:
        model: asked
        part: a window alone
    """
    first_ns, last_ns = tables.bounds(model, part)
    lived = 0
    for row in model.threads(part):
        start = max(row["start_ns"] or 0, first_ns)
        end = last_ns if row["end_ns"] is None else min(row["end_ns"], last_ns)
        lived += max(end - start, 0)
    return lock_time.total_ns(model, part) / lived if lived else 0.0


def compare(
    before: Model | Sequence[Model],
    after: Model | Sequence[Model],
    *,
    part: Part = ALL,
) -> Comparison:
    """Compare two runs of one program; see Comparison for what is matched.

    Args:
        before: a run, or several runs of the same work
        after: the same, of the changed program
        part: of each run, such as ``Selection(window=(from_ns, None))`` to leave out
            its warm-up; or a function that returns it
    """
    olds = [before] if isinstance(before, Model) else [*before]
    news = [after] if isinstance(after, Model) else [*after]
    columns = ("class", "method", "line")
    parts = {id(model): part_of(model, part) for model in (*olds, *news)}

    def match(ask: Callable[[Model], Iterable[Row]], **choices: Any) -> list[Row]:
        return _match([[*ask(m)] for m in olds], [[*ask(m)] for m in news], **choices)

    def places(model: Model) -> Iterable[Row]:
        chosen = parts[id(model)]
        queued = lock_time.by_place(model, chosen)
        length_ns = max(_length_ns(model, chosen), 1)
        for row in model.callers(chosen):
            queued_ns = queued.get(lock_time.place_of(row), 0)
            share = queued_ns / length_ns
            yield {**row, "queued_ns": queued_ns, "queued_share": share}

    return Comparison(
        run=match(
            lambda model: [_run_figures(model, parts[id(model)])],
            by=(),
            figures=("length_ns", "threads", "deadlocks", "lock_share"),
        ),
        locks=match(
            lambda model: model.locks(parts[id(model)]),
            by=("class",),
            figures=_FIGURES,
        ),
        callers=match(
            places,
            by=columns,
            figures=(*_FIGURES, *_SHARES, "queued_ns", "queued_share"),
            loosely=("class", "method"),
            shown=("source", "idle"),
        ),
        findings=match(
            lambda model: _worst(model.findings(parts[id(model)])),
            by=("kind", "class", "method"),
            figures=("impact_ns",),
        ),
        runs=(len(olds), len(news)),
    )


def idle_in(row: Row, state: str) -> bool:
    """Whether threads in a state are idle, by the row of callers of their place."""
    return bool(row["idle"]) and state in _IDLE


def _length_ns(model: Model, part: Selection) -> int:
    start_ns, end_ns = tables.bounds(model, part)
    return max(end_ns - start_ns, 0)


def _run_figures(model: Model, part: Selection) -> Row:
    deadlocks = {row["deadlock"] for row in tables.deadlocks_in(model, part)}
    return {
        "length_ns": _length_ns(model, part),
        "threads": len(model.threads()),
        "deadlocks": len(deadlocks),
        "lock_share": lock_share(model, part),
    }


def _worst(findings: Iterable[Row]) -> list[Row]:
    """Keep the finding with the greatest impact of those with the same key."""
    kept: dict[Any, Row] = {}
    for row in findings:
        kept.setdefault((row["kind"], row["class"], row["method"]), row)
    return list(kept.values())


def _difference(key: Row, olds: _Side, news: _Side, figures: Sequence[str]) -> Row:
    row = dict(key)
    for name in figures:
        befores, afters = _values(olds, name), _values(news, name)
        sum_up = max if name == "deadlocks" else _middle
        old, new = sum_up(befores), sum_up(afters)
        row[f"{name}_before"] = old
        row[f"{name}_after"] = new
        row[f"{name}_change"] = None if old is None or new is None else new - old
        if name in _JUDGED:
            row[f"{name}_chance"] = chance(befores, afters) if old != new else None
    return row


def _values(side: _Side, name: str) -> list[Any]:
    """Return a figure of each run, 0 without one; missing percentiles are left out."""
    if name.endswith("_p99_ns"):
        return [row[name] for row in side if row and row[name] is not None]
    return [row[name] or 0 if row else 0 for row in side]


def _middle(values: list[Any]) -> Any:
    if len(values) < 2:
        return values[0] if values else None
    middle = median(values)
    return round(middle) if all(isinstance(value, int) for value in values) else middle


def _match(
    before: Sequence[Iterable[Row]],
    after: Sequence[Iterable[Row]],
    *,
    by: tuple[str, ...],
    figures: tuple[str, ...],
    loosely: tuple[str, ...] = (),
    shown: tuple[str, ...] = (),
) -> list[Row]:
    left, right = _gather(before, by), _gather(after, by)
    pairs = [(left.pop(key), right.pop(key)) for key in [*left] if key in right]
    if loosely:
        pairs += _match_moved(left, right, lambda side: _key(_some(side), loosely))
    pairs += [(old, [None] * len(after)) for old in left.values()]
    pairs += [([None] * len(before), new) for new in right.values()]
    names = by + shown
    rows = []
    for old, new in pairs:
        named = _some([*new, *old])
        key = {name: named[name] for name in names}
        rows.append(_difference(key, old, new, figures))
    first = figures[1] if len(figures) > 1 else figures[0]
    rows.sort(key=lambda row: -abs(row[f"{first}_change"] or 0))
    return rows


def _gather(runs: Sequence[Iterable[Row]], by: tuple[str, ...]) -> dict[Any, _Side]:
    """Return by key the row of each run."""
    found: dict[Any, _Side] = {}
    for run, rows in enumerate(runs):
        for row in rows:
            found.setdefault(_key(row, by), [None] * len(runs))[run] = row
    return found


def _some(side: _Side) -> Row:
    """Return the first row that is not None."""
    return next(row for row in side if row is not None)


def _match_moved(
    left: dict[Any, _Side], right: dict[Any, _Side], key: Callable[[_Side], Any]
) -> list[tuple[_Side, _Side]]:
    """Match and remove rows that are the only ones of a looser key on both sides."""
    pairs = []
    olds, news = _by(left, key), _by(right, key)
    for loose, old_keys in olds.items():
        new_keys = news.get(loose, [])
        if len(old_keys) == len(new_keys) == 1:
            pairs.append((left.pop(old_keys[0]), right.pop(new_keys[0])))
    return pairs


def _by(rows: dict[Any, _Side], key: Callable[[_Side], Any]) -> dict[Any, list[Any]]:
    found: dict[Any, list[Any]] = {}
    for tight, row in rows.items():
        found.setdefault(key(row), []).append(tight)
    return found


def _key(row: Row, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)
