# SPDX-License-Identifier: Apache-2.0
"""Common code of commands that ask a run one question and print the answer."""

import functools
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

import threadmodel
from threadmodel.cli import ranges, terminal
from threadmodel.cli.files import OUTPUT
from threadmodel.cli.messages import say
from threadmodel.cli.progress import LateProgress
from threadmodel.cli.ranges import range_options
from threadmodel.cli.reading import input_path, read_choices, sheet_option
from threadmodel.cli.report import PARTLY, conclude, print_sections
from threadmodel.errors import DamagedTraceWarning
from threadmodel.model import Model
from threadmodel.table import Table

WRITERS: Final[dict[str, Callable[[Table, Any], object]]] = {
    "json": Table.to_json,
    "csv": Table.to_csv,
    "parquet": Table.to_parquet,
}

SHEET_WRITER: Final = functools.partial(Table.to_csv, spreadsheet=True)

TOP = click.option(
    "--top",
    metavar="N",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Rows to show.",
)


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --json, --csv, --sheet and -o, which `ask` takes."""
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON rows.")
    as_csv = click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
    output = click.option(
        "-o",
        "--output",
        metavar="FILE",
        type=OUTPUT,
        help="Write to FILE: rows if it ends in .json, .csv or .parquet.",
    )
    return as_json(as_csv(sheet_option(output(command))))


def selection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --thread, --class and those of a range, which `names.selection` takes."""
    threads = click.option(
        "--thread",
        "threads",
        metavar="NAME",
        multiple=True,
        help="Only threads of this name: whole, a part, a pattern with *, or #ID; "
        "repeatable.",
    )
    classes = click.option(
        "--class",
        "classes",
        metavar="NAME",
        multiple=True,
        help="Only objects of this class: whole, a part, or a pattern with *; "
        "repeatable.",
    )
    return threads(classes(range_options(command)))


def ask(
    context: click.Context,
    question: Callable[[Model], Table],
    sections: Callable[[Model], list[terminal.Section]],
) -> None:
    """Ask the run in a file one question, and print the answer by the options.

    Args:
        context: whose parameters are `file`, those of reading and those of output
        question: returns the table that --json, --csv and -o write
        sections: makes the text that is printed otherwise
    """
    chosen = context.params
    writer = row_writer(context)
    with LateProgress() as progress:
        model = open_run(context, progress)
        progress.step("counting")
        answer = question(model) if writer else _of_part(context, model, sections)
    if isinstance(answer, list):
        print_sections(answer, chosen["output"])
    elif writer:
        writer(answer)
    conclude(context, chosen["file"], model)


def _of_part(
    context: click.Context,
    model: Model,
    sections: Callable[[Model], list[terminal.Section]],
) -> list[terminal.Section]:
    """Make sections; the first line states the part of the run that was chosen."""
    made = sections(model)
    if "skip_start" in context.params and made:
        terminal.state_part(model, ranges.part_of(model, context.params), made[0])
    return made


def open_run(context: click.Context, progress: LateProgress) -> Model:
    """Read the file of a command that has `file` and the options of reading."""
    # A reader that closes our output early, as `head` does, ends us silently.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    chosen = context.params
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DamagedTraceWarning)
        return threadmodel.open(
            input_path(chosen["file"]),
            progress.reading,
            **read_choices(chosen["dialect"], chosen["time_unit"]),
        )


def report_damage(context: click.Context, damage: str | None) -> None:
    """Report the missing part of a damaged file, and exit with its status."""
    if damage is not None:
        say(f"only partly read: {damage}")
        context.exit(PARTLY)


def row_writer(context: click.Context) -> Callable[[Table], None] | None:
    """Return a function that writes rows; None: the options do not ask for rows."""
    chosen = context.params
    output: str | None = chosen["output"]
    if chosen["as_json"] and chosen["as_csv"]:
        raise click.UsageError("--json and --csv exclude each other")
    name = "json" if chosen["as_json"] else "csv" if chosen["as_csv"] else ""
    name = name or Path(output or "").suffix.lower().removeprefix(".")
    if chosen["sheet"] and name != "csv":
        raise click.UsageError("--sheet is for CSV alone")
    if name not in WRITERS:
        return None
    writer = SHEET_WRITER if chosen["sheet"] else WRITERS[name]

    def write(table: Table) -> None:
        if output is not None:
            writer(table, output)
            return
        writer(table, sys.stdout.buffer)
        if name == "json":
            sys.stdout.buffer.write(b"\n")
        sys.stdout.buffer.flush()

    return write
