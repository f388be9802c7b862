# SPDX-License-Identifier: Apache-2.0
"""``threadmodel stats``: how often and how long threads were blocked, by anything."""

from collections.abc import Sequence
from typing import Any, Final

import click

from threadmodel.cli import terminal
from threadmodel.cli.asking import (
    TOP,
    ask,
    output_options,
    selection_options,
)
from threadmodel.cli.files import INPUT, FileCommand
from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.names import selection
from threadmodel.cli.quick import quick_stats
from threadmodel.cli.ranges import window
from threadmodel.cli.reading import reading_options
from threadmodel.model import Model
from threadmodel.table import Table
from threadmodel.text import clean, duration

KEYS: Final = ("class", "caller", "object", "thread", "group", "method", "line")
STATES: Final = ("blocked", "reentering", "waiting", "joining", "parked", "io")
BAR_CELLS: Final = 40
NAME_LENGTH: Final = 1000


@click.command(cls=FileCommand, short_help="Sum up how threads were blocked.")
@click.argument("file", metavar="FILE", type=INPUT)
@click.option(
    "--by",
    metavar="KEY",
    multiple=True,
    type=click.Choice([*KEYS, "none"]),
    help=f"One of {', '.join(KEYS)}; repeatable; none: one row. "
    "[default: class and caller]",
)
@click.option(
    "--state",
    "states",
    metavar="STATE",
    multiple=True,
    type=click.Choice(STATES),
    help=f"Only {', '.join(STATES[:-1])} or {STATES[-1]}; repeatable.",
)
@click.option("--histogram", is_flag=True, help="Count by duration; of one --state.")
@click.option(
    "--quick",
    is_flag=True,
    help="By class only and without a model: for a huge file.",
)
@click.option(
    "--library",
    "libraries",
    metavar="PREFIX",
    multiple=True,
    help="Classes that do not count as callers, instead of the JDK's; repeatable.",
)
@selection_options
@TOP
@output_options
@reading_options
@click.pass_context
def stats(
    context: click.Context,
    /,
    by: tuple[str, ...],
    states: tuple[str, ...],
    histogram: bool,
    quick: bool,
    libraries: tuple[str, ...],
    threads: tuple[str, ...],
    classes: tuple[str, ...],
    from_ns: int | None,
    to_ns: int | None,
    skip_start: bool,
    top: int,
    **_: object,
) -> None:
    """Sum up how often and how long threads were blocked; - reads from stdin.

    \b
    threadmodel stats run.tmt --by class --state blocked
    threadmodel stats run.tmt --by thread --thread 'worker-*' --from 1s --to 2s
    threadmodel stats run.tmt --by none --histogram --state waiting
    threadmodel stats run.tmt --by caller -o callers.parquet
    threadmodel stats huge.jfr --quick --state blocked

    With --quick only the events of blocked and parked threads are read, which is many
    times faster for a recording. The answer is the same as without it, or is refused
    where it would differ: where a thread was still blocked at the end, for instance.
    """
    if quick:
        quick_stats(context, by, states, top)
        return
    if "none" in by and len(by) > 1:
        raise click.UsageError("--by none goes with no other key")
    if histogram and len(states) > 1:
        raise click.UsageError("a histogram is of one --state")
    keys = () if "none" in by else by or ("class", "caller")

    def question(model: Model) -> Table:
        chosen = selection(
            model, threads, classes, window(model, from_ns, to_ns, skip_start)
        )
        if histogram:
            state = states[0] if states else "blocked"
            return model.histogram(state, keys, chosen, libraries=libraries or None)
        if keys:
            asked = (*keys, "latency")
            table = model.statistics(asked, chosen, libraries=libraries or None)
            return _of_states(table, states) if states else table
        return model.total(chosen)

    def sections(model: Model) -> list[terminal.Section]:
        table = question(model)
        if histogram:
            return [_histogram(table, states[0] if states else "blocked")]
        return [_rows(table, states or STATES, top)]

    ask(context, question, sections)


def _of_states(table: Table, states: Sequence[str]) -> Table:
    """Return the rows with any of these states, the longest in them first."""
    totals = [
        sum(row)
        for row in zip(*(table[f"{state}_total_ns"] for state in states), strict=True)
    ]
    rows = [
        number
        for number, counts in enumerate(
            zip(*(table[f"{state}_count"] for state in states), strict=True)
        )
        if any(counts)
    ]
    return table.gather(sorted(rows, key=lambda row: -totals[row]))


def _names(table: Table) -> list[str]:
    """Return the columns that say what a row is about."""
    figures = ("_ns", "_count", "_share", "count")
    return [
        column
        for column in table.columns
        if not column.endswith(figures)
        and column not in ("objects", "threads", "idle", "thread_id", "stack", "source")
    ]


def _titles(names: Sequence[str]) -> list[Column]:
    """Make a column of each name; the line goes with the method."""
    return [
        Column("called from" if name == "method" else name, name=True)
        for name in names
        if name != "line" or "method" not in names
    ]


def _cells(names: Sequence[str], row: dict[str, Any]) -> list[str]:
    cells = []
    for name in names:
        if name == "line" and "method" in names:
            continue
        value = "?" if row[name] is None else clean(str(row[name]), NAME_LENGTH)
        if name == "method" and row.get("line"):
            value += f":{row['line']}"
        cells.append(value)
    return cells


def _latency(row: dict[str, Any], state: str) -> str:
    """How long nobody had the lock and the next owner was being woken."""
    latency_ns = row.get(f"{state}_latency_ns")
    return duration(latency_ns) if latency_ns else "-"


def _rows(table: Table, states: Sequence[str], top: int) -> terminal.Section:
    section = terminal.Section("How threads were blocked")
    names = _names(table)
    found = [(row, state) for row in table for state in states if row[f"{state}_count"]]
    if not found:
        section.line("no thread was blocked")
        return section
    found.sort(key=lambda item: -item[0][f"{item[1]}_total_ns"])
    columns = [
        *_titles(names),
        Column("state", label=True),
        *(Column(title) for title in ("count", "total", "mean", "p50", "p99")),
        *(Column(title, optional=True) for title in ("max", "share", "wake-up")),
        *(Column(title, optional=True) for title in ("objects", "threads")),
    ]
    rows = [
        [
            *_cells(names, row),
            state,
            f"{row[f'{state}_count']:,}",
            *(
                duration(row[f"{state}_{figure}_ns"])
                for figure in ("total", "mean", "p50", "p99", "max")
            ),
            f"{row[f'{state}_share']:.1%}",
            _latency(row, state),
            f"{row['objects']:,}",
            f"{row['threads']:,}",
        ]
        for row, state in found[:top]
    ]
    section.body.append(Grid(columns, rows))
    if len(found) > top:
        section.line(f"and {len(found) - top:,} more", "dim")
    return section


def _histogram(table: Table, state: str) -> terminal.Section:
    section = terminal.Section(f"How long threads were {state}")
    names = _names(table)
    rows = list(table)
    if not rows:
        section.line(f"no thread was {state}")
        return section
    most = max(row["count"] for row in rows)
    columns = [
        *_titles(names),
        *(Column(title) for title in ("from", "to", "count")),
        Column("", label=True, style="cyan"),
    ]
    cells = [
        [
            *_cells(names, row),
            duration(row["low_ns"]),
            duration(row["high_ns"]),
            f"{row['count']:,}",
            "█" * max(1, round(BAR_CELLS * row["count"] / most)),
        ]
        for row in rows
    ]
    section.body.append(Grid(columns, cells))
    return section
