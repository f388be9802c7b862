# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side: what got better, what got worse."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from threadmodel.model import Model

Row = dict[str, Any]

STATES: Final = ("blocked", "reentering", "waiting", "joining", "parked")
_FIGURES: Final = tuple(
    f"{state}_{figure}"
    for state in STATES
    for figure in ("count", "total_ns", "p99_ns")
)
_SHARES: Final = tuple(f"{state}_share" for state in STATES)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The tables of two runs, matched row by row.

    Each row has the columns that it was matched by and, for each figure x, x_before,
    x_after and x_change (after less before). What one run lacks counts as 0 there, but
    for percentiles, which are then None.

    Attributes:
        run: one row: length_ns, threads, deadlocks, lock_share
        locks: by class
        callers: by class, method and line, with the source file; where a line is met in
            one run alone and its method once in both, by class and method: code moves
        findings: by kind, class and method: impact_ns
    """

    run: list[Row]
    locks: list[Row]
    callers: list[Row]
    findings: list[Row]

    def tables(self) -> dict[str, list[Row]]:
        """Return all of them by name."""
        return {
            "run": self.run,
            "locks": self.locks,
            "callers": self.callers,
            "findings": self.findings,
        }


def lock_share(model: Model) -> float:
    """Return the part of all threads' time for which they queued for monitors.

    That is blocked and re-entering time over the time that threads lived, 0 to 1.
    """
    length = model.length_ns
    lived = blocked = 0
    for row in model.threads():
        start = row["start_ns"] or 0
        end = length if row["end_ns"] is None else row["end_ns"]
        lived += max(end - start, 0)
        blocked += row["blocked_total_ns"] + row["reentering_total_ns"]
    return blocked / lived if lived else 0.0


def compare(before: Model, after: Model) -> Comparison:
    """Compare two runs of one program; see Comparison for what is matched."""
    columns = ("class", "method", "line")
    return Comparison(
        run=[_difference({}, _run_figures(before), _run_figures(after))],
        locks=_match(before.locks(), after.locks(), ("class",), _FIGURES),
        callers=_match(
            before.callers(),
            after.callers(),
            columns,
            (*_FIGURES, *_SHARES),
            loosely=("class", "method"),
            shown=("source",),
        ),
        findings=_match(
            _worst(before.findings()),
            _worst(after.findings()),
            ("kind", "class", "method"),
            ("impact_ns",),
        ),
    )


def _run_figures(model: Model) -> Row:
    deadlocks = {row["deadlock"] for row in model.deadlocks()}
    return {
        "length_ns": model.length_ns,
        "threads": len(model.threads()),
        "deadlocks": len(deadlocks),
        "lock_share": lock_share(model),
    }


def _worst(findings: Iterable[Row]) -> list[Row]:
    """Keep the first, which has most impact, of those that are matched as one."""
    kept: dict[Any, Row] = {}
    for row in findings:
        kept.setdefault((row["kind"], row["class"], row["method"]), row)
    return list(kept.values())


def _difference(key: Row, before: Row | None, after: Row | None) -> Row:
    row = dict(key)
    for name in after or before or {}:
        empty = None if name.endswith("_p99_ns") else 0
        old: Any = before[name] if before else empty
        new: Any = after[name] if after else empty
        row[f"{name}_before"] = old
        row[f"{name}_after"] = new
        row[f"{name}_change"] = None if old is None or new is None else new - old
    return row


def _match(
    before: Iterable[Row],
    after: Iterable[Row],
    by: tuple[str, ...],
    figures: tuple[str, ...],
    loosely: tuple[str, ...] = (),
    shown: tuple[str, ...] = (),
) -> list[Row]:
    left = {_key(row, by): row for row in before}
    right = {_key(row, by): row for row in after}
    pairs = [(left.pop(key), right.pop(key)) for key in [*left] if key in right]
    if loosely:
        pairs += _match_moved(left, right, lambda row: _key(row, loosely))
    names = by + shown
    rows = [_pick(old, new, names, figures) for old, new in pairs]
    rows += [_pick(old, None, names, figures) for old in left.values()]
    rows += [_pick(None, new, names, figures) for new in right.values()]
    first = figures[1] if len(figures) > 1 else figures[0]
    rows.sort(key=lambda row: -abs(row[f"{first}_change"] or 0))
    return rows


def _match_moved(
    left: dict[Any, Row], right: dict[Any, Row], key: Callable[[Row], Any]
) -> list[tuple[Row, Row]]:
    """Match what is alone under a looser key on both sides, and take it out."""
    pairs = []
    olds, news = _by(left, key), _by(right, key)
    for loose, old_keys in olds.items():
        new_keys = news.get(loose, [])
        if len(old_keys) == len(new_keys) == 1:
            pairs.append((left.pop(old_keys[0]), right.pop(new_keys[0])))
    return pairs


def _by(rows: dict[Any, Row], key: Callable[[Row], Any]) -> dict[Any, list[Any]]:
    found: dict[Any, list[Any]] = {}
    for tight, row in rows.items():
        found.setdefault(key(row), []).append(tight)
    return found


def _key(row: Row, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def _pick(
    old: Row | None, new: Row | None, names: tuple[str, ...], figures: tuple[str, ...]
) -> Row:
    named = new or old or {}
    key = {name: named[name] for name in names}

    def chosen(row: Row | None) -> Row | None:
        return None if row is None else {name: row[name] for name in figures}

    return _difference(key, chosen(old), chosen(new))
