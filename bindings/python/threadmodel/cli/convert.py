# SPDX-License-Identifier: Apache-2.0
"""``threadmodel convert``: any file that we read, as a .tmt trace."""

import os

import click

import threadmodel
from threadmodel.cli.messages import say
from threadmodel.cli.progress import LateProgress
from threadmodel.cli.report import PARTLY, input_path


@click.command(short_help="Write what a file holds as a .tmt trace.")
@click.argument("file", metavar="FILE")
@click.option("-o", "--output", metavar="FILE", required=True, help="The trace.")
@click.pass_context
def convert(context: click.Context, file: str, output: str) -> None:
    """Write what FILE holds as a .tmt trace; - reads from stdin.

    FILE may be of any format that `report` reads. A trace is smaller and faster to
    read than most, and gives the same answers.

    The exit status is 3 when FILE is damaged or cut: what is whole is converted, and
    a line on stderr says what is missing.
    """
    both = os.path.exists(file) and os.path.exists(output)
    if both and os.path.samefile(file, output):
        raise click.UsageError(f"{output} cannot be read and written at once")
    with (
        LateProgress() as progress,
        threadmodel.TraceWriter(output) as writer,
    ):
        damage = threadmodel.pour(input_path(file), writer, progress.reading)
    if damage is not None:
        say(f"only partly read: {damage}")
        context.exit(PARTLY)
