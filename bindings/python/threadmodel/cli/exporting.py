# SPDX-License-Identifier: Apache-2.0
"""``threadmodel export``: a run as a file of another tool."""

from pathlib import Path
from typing import Final

import click

from threadmodel._enums import STATES
from threadmodel.cli.asking import conclude, open_run
from threadmodel.cli.files import INPUT, OUTPUT, FileCommand
from threadmodel.cli.progress import LateProgress
from threadmodel.cli.reading import reading_options

EXTENSIONS: Final = {
    ".pftrace": "perfetto",
    ".perfetto-trace": "perfetto",
    ".json": "chrome",
    ".collapsed": "collapsed",
    ".folded": "collapsed",
    ".dot": "dot",
    ".gv": "dot",
}


@click.command(
    cls=FileCommand, short_help="Write a run for Perfetto, flame graphs or Graphviz."
)
@click.argument("file", metavar="FILE", type=INPUT)
@click.option(
    "-o", "--output", metavar="FILE", type=OUTPUT, required=True, help="What to write."
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(("perfetto", "chrome", "collapsed", "dot")),
    help="By the output's name unless told: .pftrace, .json, .collapsed, .dot.",
)
@click.option(
    "--state",
    type=click.Choice(STATES),
    help="Collapsed stacks of this alone; of all, each in its own frame, unless told.",
)
@reading_options
@click.pass_context
def export(
    context: click.Context,
    /,
    file: str,
    output: str,
    format_name: str | None,
    state: str | None,
    **_: object,
) -> None:
    """Write what FILE tells as a file of another tool; - reads from stdin.

    \b
    perfetto   a trace for ui.perfetto.dev: threads, who woke whom, the critical path
    chrome     the same as JSON, for chrome://tracing and others
    collapsed  stacks with the ns that threads were blocked there, for flame graphs
    dot        who waits for whom at the end, and the order of locks, for Graphviz

    The exit status is 3 when FILE is damaged or cut: what is whole is exported.

    \b
    threadmodel export run.tmt -o run.pftrace
    threadmodel export run.tmt -o run.collapsed --state blocked
    threadmodel export run.tmt -o locks.dot
    """
    chosen = format_name or EXTENSIONS.get(Path(output).suffix.lower())
    if chosen is None:
        raise click.UsageError(
            f"no format has names like {output}; say which by --format"
        )
    if state is not None and chosen != "collapsed":
        raise click.UsageError("--state is for --format collapsed alone")
    with LateProgress() as progress:
        model = open_run(context, progress)
        progress.step(f"writing {output}")
        model.export(output, chosen, state)
    conclude(context, model.damage)
