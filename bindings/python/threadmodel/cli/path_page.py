# SPDX-License-Identifier: Apache-2.0
"""The critical path and what-if, as people read them."""

from collections.abc import Collection
from typing import Any, Final

from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.messages import called_as, quoted
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

# So many changes of a ranking are shown with their commands.
COMMANDS: Final = 5
PATH_KEYS: Final = ("thread", "state", "class", "method")
_COULD_RUN: Final = ("running", "runnable")


def path_sums(
    sums: Table,
    top: int,
    known: Collection[str],
    title: str = "Critical path: what decided how long the run took",
) -> Section:
    """List the parts of a path, the longest first.

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
    """Explain why a thread did not run, a line for each step.

    Args:
        steps: the answer of that name
        finding: title of the finding whose longest wait is explained
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
    """Add the caveats on one answer, which state what is not explained and why."""
    for caveat in answer.caveats:
        if caveat not in known:
            section.body.append(Fact("caveat", clean(caveat, NAME_LENGTH), "yellow"))


def _without_preemption(path: Table) -> list[dict[str, Any]]:
    """Merge adjacent segments in which the same thread ran or was runnable."""
    found: list[dict[str, Any]] = []
    for row in path:
        wanted_ns = (row["end_ns"] - row["start_ns"]) * (row["state"] == "runnable")
        last = found[-1] if found else None
        if (
            last
            and last["thread_id"] == row["thread_id"]
            and last["state"] in _COULD_RUN
            and row["state"] in _COULD_RUN
            and not row["via"]
        ):
            last["end_ns"] = row["end_ns"]
            last["wanted_ns"] += wanted_ns
            last["state"] = "running"
        else:
            found.append({**row, "wanted_ns": wanted_ns})
    return found


def _doing(row: dict[str, Any]) -> str:
    text = name_of(row["state"])
    if row["state"] == "running" and row["wanted_ns"]:
        text += f", runnable for {duration(row['wanted_ns'])}"
    return f"{text}, waking up" if row["latency"] else text


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
    found = _without_preemption(path)
    if any(row["unexplained"] for row in found[:top]):
        columns.append(Column("unexplained", label=True, style="yellow"))
    rows = [
        [
            duration(row["start_ns"]),
            duration(row["end_ns"] - row["start_ns"]),
            name_of(row["thread"], f"#{row['thread_id']}"),
            _doing(row),
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


# The columns of the change of a what-if.
_CHANGE: Final = (
    Column("change"),
    Column("class", name=True, style="bold"),
    Column("method", name=True),
    Column("by"),
)


def predictions(
    table: Table, known: Collection[str] = (), file: str | None = None
) -> Section:
    """List what-ifs and their caveats; if there are requests, first their changes.

    Args:
        table: the predictions
        known: caveats on the run, which are not repeated
        file: of a ranking, as the shell takes it, to list commands for single changes;
            None: not a ranking
    """
    section = Section("What if it took less time, or there were more of it")
    served = [row for row in table if row["throughput"] is not None]
    _add_requests(section, served)
    if served:
        section.line("Time for the same work:")
    columns = [
        *_CHANGE,
        Column("run"),
        Column("gain"),
        Column("between"),
        Column("share"),
        Column("changed", optional=True),
        Column("of", optional=True),
    ]
    rows = [
        [
            *_what_changes(row),
            *_gain(row),
            f"{row['scaled']:,}",
            duration(row["scaled_ns"]),
        ]
        for row in table
    ]
    if rows:
        section.body.append(Grid(columns, rows))
    else:
        section.line(
            "no request waits for a lock, and the critical path goes through none"
        )
    if file is not None and rows:
        section.line("Each alone, with another factor or number, for instance:")
        for row in table.head(COMMANDS):
            section.line(f"  {_asking(row, file)}", "cyan")
    for note in sorted({row["note"] for row in table} - {None}):
        section.line(str(note), "yellow")
    _caveats(section, table, known)
    return section


def _asking(row: dict[str, Any], file: str) -> str:
    """Return the command that predicts one change of a ranking alone."""
    words = [called_as(), "whatif", file]
    if row["change"] == "processors":
        return " ".join([*words, "--processors", str(row["permits"])])
    if row["object"]:
        words += ["--endpoint", quoted(row["object"])]
    elif row["change"] != "holds":
        words += ["--change", row["change"]]
    if row["class"] and row["change"] == "holds":
        words += ["--class", quoted(row["class"])]
    if row["method"]:
        words += ["--method", quoted(row["method"])]
    if row["factor"] is not None:
        words += ["--factor", f"{row['factor'] or 0.5:g}"]
    else:
        words += ["--permits", "1"]
    return " ".join(words)


def _what_changes(row: dict[str, Any]) -> list[str]:
    """Return the cells of `_CHANGE`."""
    return [
        row["change"],
        name_of(row["class"] or row["object"], "any"),
        name_of(row["method"], "any"),
        f"+{row['permits']}" if row["factor"] is None else f"{row['factor']:g}",
    ]


def _in_use(row: dict[str, Any]) -> str:
    """Return the used and the total amount of the next bottleneck."""
    if row["next_in_use"] is None:
        return ""
    seen = " seen" if row["next_kind"] == "place" else ""
    return f"{row['next_in_use']:.1f} of {row['next_at_once']}{seen}"


def _add_requests(section: Section, rows: list[dict[str, Any]]) -> None:
    """Add the rate and the latency of requests with each change."""
    if not rows:
        return
    now = rows[0]
    section.line(
        f"Requests: {now['throughput_now']:,.0f} a second, mean "
        f"{duration(now['latency_now_ns'])}, 99th percentile "
        f"{duration(now['latency_p99_now_ns'])} now; predicted:"
    )
    columns = [
        *_CHANGE,
        Column("a second"),
        Column("between"),
        Column("times"),
        Column("mean"),
        Column("99th"),
        Column("in use", optional=True),
        Column("of what decides next", name=True, optional=True),
    ]
    shown = [
        [
            *_what_changes(row),
            f"{row['throughput']:,.0f}",
            f"{row['throughput_low']:,.0f} to {row['throughput_high']:,.0f}",
            f"{row['throughput'] / row['throughput_now']:.1f}",
            duration(row["latency_ns"]),
            duration(row["latency_p99_ns"]),
            _in_use(row),
            name_of(row["next_bottleneck"], ""),
        ]
        for row in rows
    ]
    section.body.append(Grid(columns, shown))


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
