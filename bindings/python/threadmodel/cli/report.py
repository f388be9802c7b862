# SPDX-License-Identifier: Apache-2.0
"""``threadmodel report``: what the threads of a recorded run did."""

import contextlib
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from rich.console import Console

import threadmodel
from threadmodel import page, private
from threadmodel.cli import brief, export, markdown, pager, terminal
from threadmodel.cli.files import INPUT, OUTPUT, OUTPUT_FOLDER, FileCommand
from threadmodel.cli.messages import say
from threadmodel.cli.progress import LateProgress
from threadmodel.cli.ranges import range_options, window
from threadmodel.cli.reading import (
    input_paths,
    read_choices,
    reading_options,
    sheet_option,
)
from threadmodel.errors import DamagedTraceWarning
from threadmodel.judgement import nothing_in
from threadmodel.model import Model
from threadmodel.selection import ALL, Selection
from threadmodel.table import WRITE_BYTES, Writable
from threadmodel.text import clean, count

PARTLY: Final = 3
NOTHING: Final = 2
# The width of output that is not to a terminal: it fits most screens and diffs.
FILE_WIDTH: Final = 120
HTML_SUFFIXES: Final = (".html", ".htm")


@click.command(
    cls=FileCommand, short_help="Show what the threads of a recorded run did."
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=INPUT)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the verdict, findings and sums as one object, a key a table.",
)
@click.option(
    "--csv",
    "csv_folder",
    metavar="DIR",
    type=OUTPUT_FOLDER,
    help="Write all tables into a folder, one file each.",
)
@click.option(
    "--tables",
    metavar="NAMES",
    type=export.TableNames(),
    help="Write these tables with --json, --csv or --parquet: timeline,holds or all.",
)
@click.option(
    "--parquet",
    "parquet_folder",
    metavar="DIR",
    type=OUTPUT_FOLDER,
    help="The same as Parquet files, for which pyarrow must be installed.",
)
@sheet_option
@click.option("--html", "as_html", is_flag=True, help="Print one self-contained page.")
@click.option(
    "--markdown",
    "as_markdown",
    is_flag=True,
    help="Print GitHub-flavoured Markdown, for the summary of a CI job.",
)
@click.option(
    "-o", "--output", metavar="FILE", type=OUTPUT, help="Write there and not to stdout."
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Print all tables, not only what fits a screen.",
)
@click.option(
    "--top",
    metavar="N",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Rows of a table to show with --all.",
)
@range_options
@reading_options
@click.pass_context
def report(
    context: click.Context,
    files: tuple[str, ...],
    as_json: bool,
    csv_folder: str | None,
    tables: tuple[str, ...] | None,
    from_ns: int | None,
    to_ns: int | None,
    skip_start: bool,
    parquet_folder: str | None,
    sheet: bool,
    as_html: bool,
    as_markdown: bool,
    output: str | None,
    everything: bool,
    top: int,
    dialect: str | None,
    time_unit: str | None,
) -> None:
    """Show what the threads of the run in FILE did; - reads from stdin.

    Several thread dumps, or several recordings, are read as one run, in the order of
    their times.

    Without options: a screen with the verdict on the run, the largest causes of
    waiting, each with advice and the command that shows more of it, and a line for
    each other finding. With --all, the hottest locks and the longest waits by class
    and caller method, the threads that were blocked most, deadlocks with their stacks,
    caveats, and inconsistencies in the events as well.

    With --json, tables that have a row for each interval, hold, object or unit, and
    the ranking of changes, are left out unless --tables names them.

    With --from, --to or --skip-start all of that is of that part of the run, and the
    first line states it. Data has the tables that can be asked for a part. The timeline
    of a page has the whole run, and opens at the part.

    With -o NAME.html, or --html, it is one self-contained page for a browser with all
    of that and an interactive timeline. With -o NAME.md, or --markdown, it is the
    summary as Markdown.

    The exit status is 3 when FILE is damaged or cut: the readable part is reported, and
    a line on stderr names what is missing. It is 2 when FILE cannot be read, holds no
    event of threads or locks, or samples alone, from which no duration follows.

    \b
    threadmodel report run.tmt
    threadmodel report run.tmt -o run.html
    threadmodel report run.tmt --json | jq .findings
    threadmodel report run.tmt --json --tables timeline,holds
    threadmodel report run.tmt --markdown >> "$GITHUB_STEP_SUMMARY"
    threadmodel report dump-1.txt dump-2.txt dump-3.txt
    """
    chosen = (as_json, as_html, as_markdown, csv_folder, parquet_folder)
    if sum(each not in (False, None) for each in chosen) > 1:
        raise click.UsageError(
            "--json, --html, --markdown, --csv and --parquet exclude each other"
        )
    if sheet and csv_folder is None:
        raise click.UsageError("--sheet is for --csv alone")
    folder = csv_folder or parquet_folder
    if tables is not None and folder is None and not as_json:
        raise click.UsageError("--tables is for --json, --csv and --parquet")
    if folder is not None and output is not None:
        raise click.UsageError(
            "--csv and --parquet name their folder: -o is not for them"
        )
    if output is not None and not as_json and not as_markdown:
        as_html = as_html or output.lower().endswith(HTML_SUFFIXES)
        as_markdown = not as_html and output.lower().endswith(".md")
    # A reader that closes our output early, as `head` does, ends us silently.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)

    with LateProgress() as progress:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DamagedTraceWarning)
            model = threadmodel.open(
                input_paths(files),
                progress.reading,
                **read_choices(dialect, time_unit),
            )
        part = window(model, from_ns, to_ns, skip_start)
        chosen_part = None if part is None else Selection(window=part)
        if folder is not None or as_json:
            names = export.chosen_tables(
                model, tables, as_json, has_range=part is not None
            )
        if folder is not None:
            form = "sheet" if sheet else "csv" if csv_folder else "parquet"
            export.write_folder(
                model, names, Path(folder), form, progress.step, chosen_part
            )
            say(f"{count(len(names), 'table')} in {folder}")
        elif as_json:
            with data_target(output) as file:
                export.write_json(model, names, file, progress.step, chosen_part)
        elif as_html:
            # Complete before the file is opened: a failure keeps an older file.
            html = page.render(model, step=progress.step, part=chosen_part).encode()
            with data_target(output) as file:
                file.write(html)
        else:
            progress.step("counting")
            if everything or as_markdown or output is not None:
                sections = terminal.sections(model, top, chosen_part or ALL)
            else:
                sections = brief.sections(
                    model, files, stdout_console(), chosen_part or ALL
                )
            if as_markdown:
                name = clean(Path(model.run.source or files[0]).name)
                text = markdown.render(sections, f"Threads of {name}")
                with data_target(output) as file:
                    file.write(text.encode(errors="backslashreplace"))
    if folder is None and not as_json and not as_html and not as_markdown:
        print_sections(sections, output)
    conclude(context, files[0], model)


def conclude(context: click.Context, file: str, model: Model) -> None:
    """Report the missing data of a file, and exit with its status."""
    if model.damage is not None:
        say(f"only partly read: {model.damage}")
    missing = nothing_in(model)
    if missing is not None:
        say(f"{clean(file)}: {missing}")
        context.exit(NOTHING)
    if model.damage is not None:
        context.exit(PARTLY)


@contextlib.contextmanager
def data_target(output: str | None) -> Iterator[Writable]:
    """Open the output for bytes: stdout, or a file that only this user can read."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with open(
            output, "wb", buffering=WRITE_BYTES, opener=private.owner_only
        ) as file:
            yield file


def stdout_console() -> Console:
    """Return a console for stdout with its width."""
    width = None
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        width = FILE_WIDTH
    return Console(width=width, highlight=False)


def print_sections(sections: "list[terminal.Section]", output: str | None) -> None:
    """Print to a file, or to stdout with its width; long output goes to a pager."""
    if output is None:
        pager.show_paged(sections, stdout_console())
    else:
        with open(output, "w", encoding="utf-8", opener=private.owner_only) as file:
            console = Console(file=file, width=FILE_WIDTH, highlight=False)
            terminal.show(sections, console)
