# SPDX-License-Identifier: Apache-2.0
"""``threadmodel ps``, and processes as people name them on the command line."""

import csv
import json
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from threadmodel import hotspot
from threadmodel.cli import terminal
from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.report import print_sections
from threadmodel.errors import NotFoundError
from threadmodel.text import clean, duration

COMMAND_LENGTH: Final = 200
FIELDS: Final = ("pid", "command", "threads", "age_ns", "cpu_ns", "recorded")

# Generic since click 8.2, and to a type checker alone.
if TYPE_CHECKING:
    _ParamType = click.ParamType[int]
else:
    _ParamType = click.ParamType


class Process(_ParamType):
    """A process id, or a part of the name of a running JVM."""

    name = "pid"

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: object
    ) -> int:
        """Return the process id, or report which JVMs the name fits."""
        if isinstance(value, int):
            return value
        if value.isascii() and value.isdecimal() and int(value) > 0:
            return int(value)
        found = [
            jvm
            for jvm in hotspot.running()
            if value.casefold() in jvm.command.casefold()
        ]
        if not found:
            self.fail(
                f"{value!r:.100} is neither a process id nor a part of the name of a "
                "running JVM; `threadmodel ps` lists them"
            )
        if len(found) > 1:
            self.fail(f"{value!r:.100} fits {len(found)} JVMs: {_listed(found)}")
        return found[0].pid


def _listed(found: list[hotspot.Running]) -> str:
    return "; ".join(f"{jvm.pid} {clean(jvm.command, 40)}" for jvm in found[:5])


def chosen(pid: int | None) -> int:
    """Return the process id that was given, or that the user picks.

    Raises:
        NotFoundError: none was given, and nobody can be asked
    """
    if pid is not None:
        return pid
    found = hotspot.running()
    if not found:
        raise NotFoundError("no JVM of this user is running: give a process id")
    if not sys.stdin.isatty():
        raise NotFoundError(f"give a process id, one of: {_listed(found)}")
    print_sections([_section(found)], None)
    known = {jvm.pid for jvm in found}
    while True:
        answer: int = click.prompt("process", type=Process(), err=True)
        if answer in known:
            return answer
        click.echo(f"{answer} is not in the list", err=True)


@click.command(short_help="List the JVMs that can be recorded now.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON rows.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def ps(as_json: bool, as_csv: bool) -> None:
    """List the running JVMs of this user, which `attach` and `dump` take.

    \b
    threadmodel ps
    threadmodel ps --json
    """
    found = hotspot.running()
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other")
    rows = [
        {
            "pid": jvm.pid,
            "command": clean(jvm.command),
            "threads": jvm.threads,
            "age_ns": jvm.age_ns,
            "cpu_ns": jvm.cpu_ns,
            "recorded": jvm.is_recorded,
        }
        for jvm in found
    ]
    if as_json:
        click.echo(json.dumps(rows))
        return
    if as_csv:
        writer = csv.DictWriter(sys.stdout, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return
    print_sections([_section(found)], None)


def _section(found: list[hotspot.Running]) -> terminal.Section:
    section = terminal.Section("Running JVMs")
    if not found:
        section.line("no JVM of this user is running")
        return section
    columns = [
        Column("pid"),
        Column("threads"),
        Column("running for"),
        Column("processor time"),
        Column("agent", label=True),
        Column("command", name=True),
    ]
    rows = [
        [
            str(jvm.pid),
            f"{jvm.threads:,}",
            duration(jvm.age_ns),
            duration(jvm.cpu_ns),
            "loaded" if jvm.is_recorded else "-",
            clean(jvm.command, COMMAND_LENGTH),
        ]
        for jvm in found
    ]
    section.body.append(Grid(columns, rows))
    return section
