# SPDX-License-Identifier: Apache-2.0
"""``threadmodel convert``: write a file that we can read in another format."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import Any, Final

import click

import threadmodel
from threadmodel.cli.files import INPUT, OUTPUT, FileCommand, without_links
from threadmodel.cli.messages import say
from threadmodel.cli.progress import LateProgress
from threadmodel.cli.reading import input_paths, read_choices, reading_options
from threadmodel.cli.report import NOTHING, PARTLY
from threadmodel.errors import MissingFileError
from threadmodel.judgement import nothing_in
from threadmodel.text import clean, count

FORMATS: Final = ("tmt", "contention", "tptp", "hprof", "hprof-text")
HEAD: Final = 64 << 10
ENDINGS: Final = {
    ".orca": "contention",
    ".trcxml": "tptp",
    ".xml": "tptp",
    ".hprof": "hprof",
    ".hprof.txt": "hprof-text",
}


@click.command(cls=FileCommand, short_help="Convert a file to another format.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=INPUT)
@click.option(
    "-o", "--output", metavar="FILE", type=OUTPUT, required=True, help="What to write."
)
@click.option(
    "--to",
    "format_name",
    type=click.Choice(FORMATS),
    help="The format; by default from the output's name: .orca is a contention log, "
    ".xml TPTP XML, .hprof and .hprof.txt HPROF's two, all else a .tmt trace.",
)
@reading_options
@click.pass_context
def convert(
    context: click.Context,
    files: tuple[str, ...],
    output: str,
    format_name: str | None,
    dialect: str | None,
    time_unit: str | None,
) -> None:
    """Convert FILE to another format; - reads from stdin.

    FILE may be one or several files of any format that `report` reads. A .tmt trace is
    smaller and faster to read than most, and has the same answers. A contention log or
    TPTP XML holds less: a line on stderr counts the events that have no place in it.
    HPROF's binary format holds threads, stacks and CPU samples, its text sums of blocks
    and of CPU samples by stack.

    The exit status is 3 when FILE is damaged or cut: the readable part is converted,
    and a line on stderr names what is missing.

    \b
    threadmodel convert recording.jfr -o run.tmt
    threadmodel convert run.tmt -o run.xml --to tptp
    threadmodel convert run.tmt -o run.hprof.txt
    """
    choices = read_choices(dialect, time_unit)
    name = format_name or _format_of(output)
    # After a replacement, the name of a descriptor still leads to the old file.
    written = without_links(output)
    with (
        LateProgress() as progress,
        _beside(output) as path,
        _writer(path, name) as writer,
    ):
        damage = threadmodel.read(
            input_paths(files), writer, progress.reading, **choices
        )
        dropped = {}
        if isinstance(writer, threadmodel.Writer):
            dropped = writer.dropped()
    if dropped:
        kinds = ", ".join(f"{kind} {number:,}" for kind, number in dropped.items())
        say(
            f"{count(sum(dropped.values()), 'event')} had no place in the format: "
            f"{kinds}"
        )
    if damage is not None:
        say(f"only partly read: {damage}")
    # A trace without events is hardly more than its head.
    if name == "tmt" and os.path.isfile(written) and os.path.getsize(written) < HEAD:
        model = threadmodel.open(written)
        if not model.event_count:
            say(f"{clean(files[0])}: {nothing_in(model)}")
            context.exit(NOTHING)
    if damage is not None:
        context.exit(PARTLY)


def _format_of(output: str) -> str:
    return next(
        (ENDINGS[end] for end in ENDINGS if output.lower().endswith(end)), "tmt"
    )


@contextlib.contextmanager
def _beside(output: str) -> Iterator[str]:
    """Yield what to write in place of a file, which is replaced when all went well."""
    path = without_links(output)
    # A pipe or a device is written directly.
    if os.path.exists(output) and not os.path.isfile(output):
        yield output
        return
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise MissingFileError(f"{output}: no such folder")
    with tempfile.TemporaryDirectory(prefix=".threadmodel-", dir=folder) as beside:
        part = os.path.join(beside, os.path.basename(path))
        yield part
        # A contention log has two more files, named after it.
        others = (os.path.join(beside, name) for name in os.listdir(beside))
        for made in (*(other for other in others if other != part), part):
            # In every format, names and stacks are for the owner alone.
            os.chmod(made, 0o600)
            os.replace(made, os.path.join(folder, os.path.basename(made)))


def _writer(output: str, name: str) -> Any:
    match name:
        case "contention":
            return threadmodel.Writer(output, threadmodel.WriterFormat.CONTENTION)
        case "tptp":
            return threadmodel.Writer(output, threadmodel.WriterFormat.TPTP)
        case "hprof":
            return threadmodel.HprofWriter(output)
        case "hprof-text":
            return _sums(output)
        case _:
            return threadmodel.Writer(output)


@contextlib.contextmanager
def _sums(output: str) -> Iterator[threadmodel.Model]:
    """Yield a model to fill, and write HPROF's text of it."""
    model = threadmodel.Model()
    yield model
    model.export(output, "hprof")
