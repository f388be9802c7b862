# SPDX-License-Identifier: Apache-2.0
"""``threadmodel export``: a run as a file of another tool."""

from pathlib import Path
from typing import Final

import click

from threadmodel._enums import STATES
from threadmodel.cli.asking import open_run
from threadmodel.cli.files import INPUT, OUTPUT, FileCommand
from threadmodel.cli.progress import LateProgress
from threadmodel.cli.ranges import part_of, range_options
from threadmodel.cli.reading import reading_options
from threadmodel.cli.report import conclude
from threadmodel.exports import PROFILES, SIDED

EXTENSIONS: Final = {
    ".pftrace": "perfetto",
    ".perfetto-trace": "perfetto",
    ".json": "chrome",
    ".collapsed": "collapsed",
    ".folded": "collapsed",
    ".dot": "dot",
    ".gv": "dot",
    ".pprof": "pprof",
    ".pb": "pprof",
    ".otlp": "otlp",
}

# Formats that show the end of a run, or its sums, and cannot show a part.
WHOLE: Final = ("dot", "hprof")
RANGE: Final = ("from_ns", "to_ns", "skip_start")


@click.command(
    cls=FileCommand,
    short_help="Write a run for Perfetto, flame graphs and pprof.",
)
@click.argument("file", metavar="FILE", type=INPUT)
@click.option(
    "-o", "--output", metavar="FILE", type=OUTPUT, required=True, help="What to write."
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(tuple(dict.fromkeys(EXTENSIONS.values()))),
    help="By default from the output's name: .pftrace, .json, .collapsed, .dot, "
    ".pprof, .otlp.",
)
@click.option(
    "--state",
    type=click.Choice(STATES),
    help="Stacks of this state (collapsed, pprof, otlp); by default of all.",
)
@click.option(
    "--side",
    type=click.Choice(("waiters", "owners")),
    default="waiters",
    show_default=True,
    help="Whose stacks (collapsed, pprof): of threads that were blocked, or where the "
    "owners acquired the locks.",
)
@range_options
@reading_options
@click.pass_context
def export(
    context: click.Context,
    /,
    file: str,
    output: str,
    format_name: str | None,
    state: str | None,
    side: str,
    **_: object,
) -> None:
    """Export the run in FILE to another tool; - reads from stdin.

    \b
    perfetto   a trace for ui.perfetto.dev: threads, who woke whom, the critical path
    chrome     the same as JSON, for chrome://tracing and others
    collapsed  stacks with the ns that threads were blocked there, for flame graphs
    dot        who waits for whom at the end, and lock order, for Graphviz
    pprof      the stacks with counts and delays, for go tool pprof
    otlp       the same, of waiters and owners, as profiles of OpenTelemetry

    With --from, --to or --skip-start it is of that part of the run; dot has no part.

    The exit status is 3 when FILE is damaged or cut: the readable part is exported.

    \b
    threadmodel export run.tmt -o run.pftrace
    threadmodel export run.tmt -o run.collapsed --state blocked
    threadmodel export run.tmt -o run.pftrace --from 60s --to 70s
    threadmodel export run.tmt -o locks.dot
    threadmodel export run.tmt -o owners.pprof --side owners
    """
    chosen = format_name or EXTENSIONS.get(Path(output).suffix.lower())
    if chosen is None:
        raise click.UsageError(
            f"no format has names like {output}; say which by --format"
        )
    if state is not None and chosen not in PROFILES:
        raise click.UsageError(f"--state is for {', '.join(PROFILES)} alone")
    if side != "waiters" and chosen not in SIDED:
        raise click.UsageError(f"--side is for {', '.join(SIDED)} alone")
    if chosen in WHOLE and any(context.params[name] for name in RANGE):
        raise click.UsageError(f"{chosen} is of the whole run, and has no range")
    with LateProgress() as progress:
        model = open_run(context, progress)
        progress.step(f"writing {output}")
        part = part_of(model, context.params)
        model.export(output, chosen, state, side=side, selection=part)
    conclude(context, context.params["file"], model)
