# SPDX-License-Identifier: Apache-2.0
"""``threadmodel open``: the report of a run in a browser."""

import os
import tempfile
import webbrowser
from pathlib import Path
from typing import Final

import click

from threadmodel import page, private
from threadmodel.cli.asking import open_run
from threadmodel.cli.files import INPUT, FileCommand
from threadmodel.cli.messages import say
from threadmodel.cli.progress import LateProgress
from threadmodel.cli.ranges import range_options, window
from threadmodel.cli.reading import reading_options
from threadmodel.cli.report import conclude
from threadmodel.selection import Selection

STDIN_NAME: Final = "run"


@click.command("open", cls=FileCommand, short_help="Show the report in a browser.")
@click.argument("file", metavar="FILE", type=INPUT)
@range_options
@reading_options
@click.pass_context
def open_page(
    context: click.Context,
    /,
    file: str,
    from_ns: int | None,
    to_ns: int | None,
    skip_start: bool,
    **_: object,
) -> None:
    """Show the report of the run in FILE in a browser; - reads from stdin.

    The page is written into the folder for temporary files, readable by this user
    alone. `threadmodel report FILE -o NAME.html` writes it to a place of your choice.
    With --from, --to or --skip-start its tables are of that part of the run, and its
    timeline shows that part at first.

    \b
    threadmodel open run.tmt
    """
    with LateProgress() as progress:
        model = open_run(context, progress)
        part = window(model, from_ns, to_ns, skip_start)
        chosen = None if part is None else Selection(window=part)
        html = page.render(model, step=progress.step, part=chosen)
    folder = tempfile.mkdtemp(prefix="threadmodel-")
    name = STDIN_NAME if file == "-" else Path(file).name
    target = os.path.join(folder, f"{name}.html")
    with private.create(target) as written:
        written.write(html.encode())
    if webbrowser.open(Path(target).as_uri()):
        say(target)
    else:
        say(f"no browser could be started: open {target}")
    conclude(context, file, model)
