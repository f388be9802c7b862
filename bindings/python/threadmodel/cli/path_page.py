# SPDX-License-Identifier: Apache-2.0
"""The critical path and what-if, as people read them."""

from collections.abc import Collection
from typing import Any, Final

from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.page import (
    NAME_LENGTH,
    Fact,
    Section,
    add_more,
    caller_of,
    name_of,
)
from threadmodel.table import Table
from threadmodel.text import clean, duration

PATH_KEYS: Final = ("thread", "state", "class", "method")


def path_sums(
    sums: Table,
    top: int,
    known: Collection[str],
    title: str = "Critical path: what decided how long the run took",
) -> Section:
    """List what a path is made of, the longest first.

    Args:
        sums: path_sums
        top: rows
        known: caveats that are shown elsewhere
        title: of the section
    """
    section = Section(title)
    found = [row for row in sums if row["segments"]]
    if not found:
        return section
    keys = [column for column in sums.columns if column in PATH_KEYS]
    columns = [
        *(
            Column(title, name=title != "state", label=title == "state")
            for title in keys
        ),
        Column("time"),
        Column("share"),
        Column("wake-up", optional=True),
        Column("segments", optional=True),
    ]
    rows = [
        [
            *(name_of(row[key], "-") for key in keys),
            duration(row["total_ns"]),
            f"{row['share']:.1%}",
            duration(row["latency_ns"]) if row["latency_ns"] else "-",
            f"{row['segments']:,}",
        ]
        for row in found[:top]
    ]
    section.body.append(Grid(columns, rows))
    add_more(section, len(found) - top)
    _caveats(section, sums, known)
    return section


def explanation(steps: Table, finding: str | None = None) -> Section:
    """Say why a thread did not run, a line a step.

    Args:
        steps: the answer of that name
        finding: title of the one whose longest wait this is
    """
    section = Section("Why it did not run")
    if finding is not None:
        section.line(f"The longest wait of: {clean(finding, NAME_LENGTH)}", "dim")
    for row in steps:
        section.line(f"{row['step']:>2}  {clean(row['text'], NAME_LENGTH)}")
    if not steps:
        section.line("no thread was blocked then")
    return section


def _caveats(section: Section, answer: Table, known: Collection[str]) -> None:
    """Add what is to be known of one answer: what nothing explains, and why."""
    for caveat in answer.caveats:
        if caveat not in known:
            section.body.append(Fact("caveat", clean(caveat, NAME_LENGTH), "yellow"))


def path_segments(
    path: Table, top: int, known: Collection[str], title: str = "Critical path"
) -> Section:
    """List the segments of a path by time; the arguments are those of path_sums."""
    section = Section(title)
    columns = [
        Column("from"),
        Column("for"),
        Column("thread", name=True, style="bold"),
        Column("state", label=True),
        Column("via", label=True),
        Column("class", name=True),
        Column("method", name=True),
    ]
    found = list(path)
    if any(row["unexplained"] for row in found[:top]):
        columns.append(Column("unexplained", label=True, style="yellow"))
    rows = [
        [
            duration(row["start_ns"]),
            duration(row["end_ns"] - row["start_ns"]),
            name_of(row["thread"], f"#{row['thread_id']}"),
            f"{name_of(row['state'])}{', waking up' if row['latency'] else ''}",
            name_of(row["via"], ""),
            name_of(row["class"], ""),
            caller_of(row) if row["method"] else "",
            name_of(row["unexplained"], ""),
        ][: len(columns)]
        for row in found[:top]
    ]
    if rows:
        section.body.append(Grid(columns, rows))
        add_more(section, len(found) - top)
        _caveats(section, path, known)
    else:
        section.line("none: the run has no length")
        _caveats(section, path, known)
    return section


def predictions(table: Table) -> Section:
    """List what-ifs and their caveats."""
    section = Section("What if holds were shorter, or permits more")
    columns = [
        Column("change"),
        Column("class", name=True, style="bold"),
        Column("method", name=True),
        Column("by"),
        Column("run"),
        Column("gain"),
        Column("between"),
        Column("share"),
        Column("changed", optional=True),
        Column("of", optional=True),
    ]
    rows = [
        [
            row["change"],
            name_of(row["class"] or row["object"], "any"),
            name_of(row["method"], "any"),
            f"+{row['permits']}" if row["factor"] is None else f"{row['factor']:g}",
            *_gain(row),
            f"{row['scaled']:,}",
            duration(row["scaled_ns"]),
        ]
        for row in table
    ]
    if rows:
        section.body.append(Grid(columns, rows))
    else:
        section.line("the critical path goes through no lock")
    for row in table:
        if row["throughput"] is not None:
            section.line(_requests(row))
    for note in sorted({row["note"] for row in table} - {None}):
        section.line(str(note), "yellow")
    for caveat in table.caveats:
        section.body.append(Fact("caveat", clean(caveat, NAME_LENGTH), "yellow"))
    return section


def _requests(row: dict[str, Any]) -> str:
    """Say what a change makes of the rate and the latency of requests."""
    now, rate = row["throughput_now"], row["throughput"]
    low, high = row["throughput_low"], row["throughput_high"]
    words = [
        f"requests a second: {now:,.0f} now, {rate:,.0f} predicted "
        f"({low:,.0f} to {high:,.0f}), {rate / now:.1f} times as many",
        f"mean latency: {duration(row['latency_now_ns'])} now, "
        f"{duration(row['latency_ns'])} predicted",
        f"99th percentile: {duration(row['latency_p99_now_ns'])} now, "
        f"{duration(row['latency_p99_ns'])} predicted",
    ]
    if row["next_bottleneck"] is not None:
        name = clean(row["next_bottleneck"], NAME_LENGTH)
        words.append(f"most of a request's time then goes to {name}")
    return "; ".join(words)


def _gain(row: dict[str, Any]) -> list[str]:
    """The columns run, gain, between and share."""
    if row["gain_ns"] is None:
        return ["", "cannot tell", "", ""]
    low, high = duration(row["gain_low_ns"]), duration(row["gain_high_ns"])
    length_ns = row["length_ns"] + row["gain_ns"]
    return [
        duration(row["length_ns"]),
        duration(row["gain_ns"]),
        f"{low} to {high}",
        f"{row['gain_ns'] / length_ns if length_ns else 0:.1%}",
    ]
