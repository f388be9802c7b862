# SPDX-License-Identifier: Apache-2.0
"""Write man pages and shell completions, of what the commands and the agent tell.

    PYTHONPATH=build/bindings/python python tools/manual_pages.py AGENT JAVA SHARE DATE

SHARE becomes what /usr/share has. DATE, in seconds since 1970, is that of the pages.
"""

import argparse
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import get_completion_class
from click_man.core import write_man_pages

if TYPE_CHECKING:
    cli: click.Group
    version: str
else:
    from threadmodel import __version__ as version
    from threadmodel.cli import cli

COMPLETIONS = {
    "bash": "bash-completion/completions/threadmodel",
    "zsh": "zsh/site-functions/_threadmodel",
    "fish": "fish/vendor_completions.d/threadmodel.fish",
}
AGENT_PAGE = """\
.TH "THREADMODEL-AGENT" "7" "{date}" "{version}" "threadmodel"
.SH NAME
threadmodel\\-agent \\- record what the threads of a Java program do to one another
.SH SYNOPSIS
.B java
.B \\-agentpath:libthreadmodel\\-agent.so=\\fIoption\\fR=\\fIvalue\\fR,...
.I program
.SH DESCRIPTION
The agent records a Java virtual machine from begin to end, and prints deadlocks as
they happen.
.BR threadmodel (1)
loads it and reads what it records.
.PP
.nf
{text}
.fi
.SH SEE ALSO
.BR threadmodel (1),
.BR threadmodel\\-record (1),
.BR threadmodel\\-attach (1),
.BR threadmodel\\-report (1)
"""


def roff(text: str) -> str:
    """Write text so that roff prints it as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def pages(folder: Path, date: str) -> None:
    """Write a page for each command."""
    # Ours are imported when they are called; who writes pages asks for a list.
    context = click.Context(cli)
    for name in cli.list_commands(context):
        if (command := cli.get_command(context, name)) is not None:
            cli.add_command(command)
    write_man_pages("threadmodel", cli, version=version, target_dir=folder, date=date)
    for path in folder.iterdir():
        path.write_text(kept_lines(path.read_text()))


def kept_lines(text: str) -> str:
    """Have roff keep the lines of paragraphs that click keeps: they begin with BS."""
    return re.sub(
        r"^\x08\n(.*?)(?=\n\.|\n\n|\Z)", r".nf\n\1\n.fi", text, flags=re.M | re.S
    )


def agent_page(agent: Path, java: Path, date: str) -> str:
    """Return the agent's own help as a page."""
    text = subprocess.check_output([java, f"-agentpath:{agent}=help"], text=True)
    return AGENT_PAGE.format(date=date, version=version, text=roff(text.strip()))


def main() -> None:
    """Write all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agent", type=Path)
    parser.add_argument("java", type=Path)
    parser.add_argument("share", type=Path)
    parser.add_argument("date", type=int)
    options = parser.parse_args()
    date = datetime.fromtimestamp(options.date, UTC).strftime("%Y-%m-%d")
    for section in (1, 7):
        (options.share / f"man/man{section}").mkdir(parents=True)
    pages(options.share / "man/man1", date)
    page = agent_page(options.agent.resolve(), options.java, date)
    (options.share / "man/man7/threadmodel-agent.7").write_text(page)
    for shell, name in COMPLETIONS.items():
        class_ = get_completion_class(shell)
        if class_ is None:
            parser.error(f"click completes nothing in {shell}")
        path = options.share / name
        path.parent.mkdir(parents=True)
        script = class_(cli, {}, "threadmodel", "_THREADMODEL_COMPLETE").source()
        path.write_text(script + "\n")


if __name__ == "__main__":
    main()
