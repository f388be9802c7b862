# SPDX-License-Identifier: Apache-2.0
"""The command line: ``threadmodel`` and ``python -m threadmodel``."""

import difflib
import importlib
import os
import resource
import sys
from typing import Final, NoReturn

import click

from threadmodel import __version__
from threadmodel.cli.messages import say
from threadmodel.errors import ThreadmodelError

WRONG: Final = 2
# The module that contains each command.
COMMANDS: Final = {
    "attach": "attach",
    "check": "check",
    "collect": "collect",
    "completion": "completion",
    "control": "attach",
    "convert": "convert",
    "deadlocks": "deadlocks",
    "diff": "diff",
    "dump": "dump",
    "explain": "chains",
    "export": "exporting",
    "findings": "findings",
    "fleet": "fleet",
    "info": "info",
    "listen": "listen",
    "mcp": "mcp",
    "open": "opening",
    "path": "chains",
    "ps": "processes",
    "record": "record",
    "report": "report",
    "skill": "skill",
    "stats": "stats",
    "threads": "findings",
    "timeline": "timeline",
    "top": "top",
    "units": "units",
    "whatif": "chains",
    "why": "why",
}

# Functions of commands whose names Python or their module uses already.
FUNCTIONS: Final = {"open": "open_page"}

EXIT_CODES: Final = """\b
Exit status:
  0    all is fine
  1    a check failed
  2    wrong usage, a file that cannot be read or written, or holds no event
  3    a damaged or cut file: the readable part was reported
  126  record: the program cannot be started
  127  record: the program was not found
  130  interrupted
record passes on the status of its program, 128+n when signal n ended it.
"""


class Commands(click.Group):
    """Imports only the called command: all of them take longer than a small run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of this name; None: there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"threadmodel.cli.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, FUNCTIONS.get(cmd_name, cmd_name))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. For the name of a file it is `report`.

        Raises:
            UsageError: it is neither; the message names the nearest command
        """
        name = args[0]
        if name not in COMMANDS and (name == "-" or os.path.exists(name)):
            args = ["report", *args]
        elif name not in COMMANDS and not name.startswith("-"):
            near = difflib.get_close_matches(name, COMMANDS, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"there is no command and no file {name!r:.200}{hint}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)
@click.version_option(__version__, message="threadmodel %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Analyse who blocked whom among the threads of a program, where, for how long.

    \b
    threadmodel record -o run.tmt -- java -jar app.jar
    threadmodel run.tmt              the same as threadmodel report run.tmt
    threadmodel open recording.jfr   in a browser
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _os_error(failure: OSError) -> str:
    if failure.strerror is None:
        return str(failure)
    if failure.filename is None:
        return failure.strerror
    return f"{os.fsdecode(failure.filename)}: {failure.strerror}"


def _run() -> int:
    try:
        status = cli.main(prog_name="threadmodel", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as failure:
        say(failure.format_message())
        return WRONG
    except (KeyboardInterrupt, click.Abort):
        return 130
    except ThreadmodelError as failure:
        say(str(failure))
        return WRONG
    except MemoryError:
        most_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        say(f"out of memory, after {most_kib // 1024:,} MiB")
        return WRONG
    except OSError as failure:
        say(_os_error(failure))
        return WRONG
    return int(status or 0)


def main() -> NoReturn:
    """Run the command line on ``sys.argv`` and exit with its status."""
    # A stream that the caller closed is None: its output is discarded.
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    status = _run()
    try:
        sys.stdout.flush()
    except OSError:
        # Reported already; the interpreter would report it again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)
