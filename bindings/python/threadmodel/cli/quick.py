# SPDX-License-Identifier: Apache-2.0
"""``threadmodel stats --quick``: sums by class, without a model of the run."""

import signal
import warnings
from collections.abc import Sequence
from typing import Final

import click

from threadmodel.class_sums import sum_pairs
from threadmodel.cli import terminal
from threadmodel.cli.asking import open_run, report_damage, row_writer
from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.page import NAME_LENGTH, add_more, name_of
from threadmodel.cli.progress import LateProgress
from threadmodel.cli.reading import input_path, read_choices
from threadmodel.cli.report import conclude, print_sections
from threadmodel.errors import DamagedTraceWarning, UnsupportedError
from threadmodel.table import Table
from threadmodel.text import clean, duration

# The model divides a wait from the queueing behind it, and joins from waits.
STATES: Final = ("blocked", "parked")
FIGURES: Final = ("total", "mean", "p50", "p90", "p99", "max")
# Parameters of `stats` that need the whole run, and their options.
NEEDS_MODEL: Final = {
    "histogram": "--histogram",
    "libraries": "--library",
    "threads": "--thread",
    "classes": "--class",
    "from_ns": "--from",
    "to_ns": "--to",
    "skip_start": "--skip-start",
}


def quick_stats(
    context: click.Context, by: Sequence[str], states: Sequence[str], top: int
) -> None:
    """Sum up the file of `stats`, reading only the events that are needed.

    Args:
        context: whose parameters are those of `stats`
        by: keys; none, or class alone
        states: only these; none: all that it can sum up
        top: rows to show
    """
    chosen = context.params
    if set(by) - {"class"}:
        raise click.UsageError("--quick is by class alone")
    for name, option in NEEDS_MODEL.items():
        if (
            chosen[name] is not None
            and chosen[name] is not False
            and chosen[name] != ()
        ):
            raise click.UsageError(f"--quick does not combine with {option}")
    for state in states:
        if state not in STATES:
            raise click.UsageError(
                f"--quick sums up {' and '.join(STATES)} alone: --state {state} needs "
                "the model"
            )
    # A reader that closes our output early, as `head` does, ends us silently.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    writer = row_writer(context)
    with LateProgress(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DamagedTraceWarning)
        table, left_out = sum_pairs(
            input_path(chosen["file"]),
            states or STATES,
            **read_choices(chosen["dialect"], chosen["time_unit"]),
        )
    for state, count in left_out.items():
        if count:
            raise UnsupportedError(
                f"{chosen['file']}: --quick would leave out {count:,} of the events "
                f"about {state} threads, whose begin or end is missing: ask without it"
            )
    if writer:
        writer(table)
    else:
        print_sections([_section(table, top)], chosen["output"])
    damage = [it for it in caught if issubclass(it.category, DamagedTraceWarning)]
    # Either no thread was blocked or no blocks were recorded: only a model knows.
    if not len(table) and chosen["file"] != "-":
        conclude(context, chosen["file"], open_run(context, LateProgress()))
    report_damage(context, str(damage[0].message) if damage else None)


def _section(table: Table, top: int) -> terminal.Section:
    section = terminal.Section("How threads were blocked")
    rows = list(table)
    if not rows:
        section.line("no thread was blocked")
        return _with_caveats(section, table)
    columns = [
        Column("class", name=True),
        Column("state", label=True),
        Column("count"),
        *(Column(figure) for figure in FIGURES),
    ]
    cells = [
        [
            name_of(row["class"]),
            row["state"],
            f"{row['count']:,}",
            *(duration(row[f"{figure}_ns"]) for figure in FIGURES),
        ]
        for row in rows[:top]
    ]
    section.body.append(Grid(columns, cells))
    add_more(section, len(rows) - top)
    return _with_caveats(section, table)


def _with_caveats(section: terminal.Section, table: Table) -> terminal.Section:
    for caveat in table.caveats:
        section.body.append(
            terminal.Fact("caveat", clean(caveat, NAME_LENGTH), "yellow")
        )
    return section
