# SPDX-License-Identifier: Apache-2.0
"""The text of ``threadmodel fleet report``."""

import json
from collections.abc import Iterable
from typing import Any, Final

from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.page import Section, name_of
from threadmodel.fleet_report import FAR, Answer, Report
from threadmodel.text import clean, count, duration

Row = dict[str, Any]
# A cost as a share of the run's time, times this, is in ns for each second of run.
SECOND: Final = 1_000_000_000
_RUN: Final = Column("for example", name=True)


def sections(
    report: Report, top: int, since: str | None = None, before: str | None = None
) -> list[Section]:
    """Return the sections of a report.

    Args:
        report: asked
        top: rows of each table
        since: show changes with this version; None: no changes
        before: the version to compare with; None: all older ones
    """
    wanted = [_about(report), _causes(report, top)]
    wanted += [_by_label(report, label, top) for label in report.labels]
    if since is not None:
        heading = f"What changed since version {clean(since)}"
        if before is not None:
            heading += f", beside {clean(before)}"
        wanted.append(_changes(report, report.changes(since, before), heading, top))
    wanted.append(_outliers(report, top))
    wanted.append(_orders(report, top))
    return [section for section in wanted if section.body]


def as_json(
    report: Report, top: int, since: str | None = None, before: str | None = None
) -> str:
    """Return the answers of `sections` as one object.

    Each answer has its rows, and in `unknown` the reason if it has none. Column `url`
    names the file of a row's example.
    """
    answers: dict[str, Any] = {
        "runs": report.runs,
        "not_read": report.errors,
        "only": report.only,
        "causes": _data(report, report.causes(top), top),
        "by_label": {
            label: _data(report, report.by_label(label, top), top)
            for label in report.labels
        },
        "changes": None,
        "outliers": _data(report, report.outliers(), top),
        "lock_orders": _data(report, report.orders(), top),
    }
    if since is not None:
        answers["changes"] = _data(report, report.changes(since, before), top)
    return json.dumps(answers, default=str)


def _data(report: Report, answer: Answer, top: int) -> Row:
    rows = [
        {**row, "url": report.url(row["run"]) if row["run"] else None}
        for row in answer.rows[:top]
    ]
    return {"rows": rows, "unknown": answer.unknown or None}


def urls(wanted: Iterable[Section]) -> list[str]:
    """Return the runs that sections name as examples."""
    found: dict[str, None] = {}
    for section in wanted:
        for grid in section.body:
            if isinstance(grid, Grid) and _RUN in grid.columns:
                place = list(grid.columns).index(_RUN)
                found.update((row[place], None) for row in grid.rows if row[place])
    return list(found)


def _about(report: Report) -> Section:
    section = Section("Runs")
    section.fact("runs", f"{report.runs:,}")
    if report.errors:
        section.fact("not read", f"{count(report.errors, 'file')}; see table errors")
    for name, value in report.only.items():
        section.fact("only", f"{name} {value}")
    return section


def _causes(report: Report, top: int) -> Section:
    section = Section("What costs most")
    answer = report.causes(top)
    rows = [
        [
            duration(row["cost_ns"]),
            *_cause(row),
            f"{row['runs']:,}",
            f"{row['suspected']:,}",
            name_of(report.url(row["run"])),
        ]
        for row in answer.rows
    ]
    columns = [Column("cost"), *_CAUSE, Column("runs"), Column("suspected in"), _RUN]
    _add(section, answer, columns, rows, "no run has a finding with a known cost")
    if rows:
        section.line(
            "cost: time lost, of all threads of all runs added up. Causes overlap, so "
            "costs of two do not add up.",
            "dim",
        )
    return section


_CAUSE: Final = (
    Column("finding", label=True),
    Column("class", name=True, style="bold"),
    Column("in", name=True),
)


def _cause(row: Row) -> list[str]:
    if row["kind"] is None:
        return ["", "", ""]
    method = "" if row["method"] is None else name_of(row["method"])
    return [name_of(row["kind"]), name_of(row["class"]), method]


def _by_label(report: Report, label: str, top: int) -> Section:
    section = Section(f"By {clean(label)}: what costs most in each")
    answer = report.by_label(label, top)
    rows = [
        [
            name_of(row["value"]),
            f"{row['runs']:,}",
            duration(row["length_ns"]),
            duration(row["cost_ns"]),
            *_cause(row),
            name_of(report.url(row["run"])) if row["run"] else "",
        ]
        for row in answer.rows
    ]
    columns = [Column(clean(label), name=True), Column("runs"), Column("length")]
    _add(section, answer, [*columns, Column("cost"), *_CAUSE, _RUN], rows, "")
    return section


def _changes(report: Report, answer: Answer, heading: str, top: int) -> Section:
    section = Section(heading)
    shown = [row for row in answer.rows if _is_change(row)]
    rows = [
        [
            *([name_of(row["service"])] if "service" in report.labels else []),
            *_cause(row),
            _rate(row["before"]),
            _rate(row["since"]),
            _rate(row["change"], "+"),
            f"{_rate(row['low'], '+')} to {_rate(row['high'], '+')}",
            name_of(report.url(row["run"])),
        ]
        for row in shown[:top]
    ]
    service = [Column("service", name=True)] if "service" in report.labels else []
    figures = [
        Column(title) for title in ("before", "since", "change", "95 % interval")
    ]
    nothing = (
        "no cause changed by more than the noise of the runs" if answer.rows else ""
    )
    if not (answer.rows or answer.unknown):
        nothing = "no run on either side has a finding with a known cost"
    _add(section, answer, [*service, *_CAUSE, *figures, _RUN], rows, nothing)
    if rows:
        section.line(
            "Figures are the mean cost a second of run, over runs; without a finding "
            "of it a run counts as 0. All intervals together hold with 95 % confidence "
            "(Welch, Bonferroni), if runs are independent of one another.",
            "dim",
        )
    silent = sum(row["low"] is None for row in answer.rows)
    if silent:
        section.line(f"{count(silent, 'cause')} without any noise to judge by: unknown")
    return section


def _is_change(row: Row) -> bool:
    return row["low"] is not None and (row["low"] > 0 or row["high"] < 0)


def _rate(share: float, sign: str = "") -> str:
    text = duration(round(share * SECOND))
    return f"{sign}{text}" if share > 0 else text


def _outliers(report: Report, top: int) -> Section:
    section = Section("Hosts unlike the others")
    answer = report.outliers()
    rows = [
        [
            *([name_of(row["service"])] if "service" in report.labels else []),
            name_of(row["host"]),
            f"{row['runs']:,}",
            _rate(row["share"]),
            _rate(row["median"]),
            f"{row['score']:+.1f}",
            name_of(report.url(row["run"])),
        ]
        for row in answer.rows[:top]
    ]
    service = [Column("service", name=True)] if "service" in report.labels else []
    columns = [Column("host", name=True), Column("runs"), Column("blocked")]
    columns += [Column("median of hosts"), Column("score"), _RUN]
    nothing = "" if answer.unknown else "none"
    _add(section, answer, [*service, *columns], rows, nothing)
    if rows:
        section.line(
            "Figures are the time in which threads were blocked by locks, a second of "
            f"run. Score: the modified z-score over hosts, shown beyond {FAR}.",
            "dim",
        )
    return section


def _orders(report: Report, top: int) -> Section:
    section = Section("Cycles of lock orders")
    answer = report.orders()
    rows = [
        [
            str(row["cycle"]),
            name_of(row["held_class"]),
            name_of(row["held_method"]),
            name_of(row["wanted_class"]),
            name_of(row["method"]),
            f"{row['runs']:,}",
            "yes" if row["inferred"] else "no",
            name_of(report.url(row["run"])),
        ]
        for row in answer.rows
        if row["cycle"] <= top
    ]
    names = ("held", "acquired in", "wanted", "wanted in")
    columns = [Column("cycle"), *(Column(title, name=True) for title in names)]
    columns += [Column("runs"), Column("inferred", label=True), _RUN]
    nothing = "none, as far as the classes of locks tell" if not answer.unknown else ""
    _add(section, answer, columns, rows, nothing)
    seen: set[int] = set()
    for row in answer.rows:
        if row["cycle"] in seen or row["cycle"] > top:
            continue
        seen.add(row["cycle"])
        section.line(f"cycle {row['cycle']}: {_verdict(report, row)}")
    if rows:
        section.line(
            "These are classes: whether a deadlock is possible depends on whether the "
            "objects are the same.",
            "dim",
        )
    return section


def _verdict(report: Report, row: Row) -> str:
    if row["held_class"] == row["wanted_class"]:
        return "two locks of one class, whose order is unknown"
    if row["together"]:
        return f"the whole of it is in {report.url(row['together'])}"
    return "no single run has the whole of it"


def _add(
    section: Section,
    answer: Answer,
    columns: list[Column],
    rows: list[list[str]],
    nothing: str,
) -> None:
    if rows:
        section.body.append(Grid(columns, rows))
    elif nothing:
        section.line(nothing)
    if answer.unknown:
        section.line(f"unknown: {answer.unknown}", "yellow")
