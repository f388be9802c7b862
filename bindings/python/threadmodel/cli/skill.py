# SPDX-License-Identifier: Apache-2.0
"""``threadmodel skill``: how an assistant finds a bottleneck with these commands."""

from importlib import resources
from pathlib import Path

import click

from threadmodel.cli.files import OUTPUT, FileCommand


@click.command(cls=FileCommand, short_help="Print how an assistant finds a bottleneck.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=OUTPUT,
    help="Write to FILE, and make its folders.",
)
def skill(output: str | None) -> None:
    """Print a skill file: what an assistant does to find out why threads wait.

    It is Markdown with a head that has its name and what it is for, as assistants that
    run commands read it. `threadmodel mcp` is for those that do not.

    \b
    threadmodel skill -o .claude/skills/threadmodel/SKILL.md
    """
    text = (resources.files("threadmodel") / "SKILL.md").read_text(encoding="utf-8")
    if output is None:
        click.echo(text, nl=False)
    else:
        Path(output).parent.mkdir(parents=True, exist_ok=True)
        Path(output).write_text(text, encoding="utf-8")
