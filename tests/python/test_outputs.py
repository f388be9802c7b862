# SPDX-License-Identifier: Apache-2.0
"""No command writes to what it reads, whatever that is called."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from conftest import Cli
from threadmodel.cli import cli as program
from threadmodel.cli.files import INPUT, FileCommand

# What is read, what is written, and how it is asked for.
COMMANDS = {
    "report": ("report", "{input}", "-o", "{output}"),
    "report json": ("report", "{input}", "--json", "-o", "{output}"),
    "report html": ("report", "{input}", "--html", "-o", "{output}"),
    "stats": ("stats", "{input}", "-o", "{output}"),
    "stats csv": ("stats", "{input}", "--csv", "-o", "{output}"),
    "path": ("path", "{input}", "-o", "{output}"),
    "whatif": ("whatif", "{input}", "-o", "{output}"),
    "timeline": ("timeline", "{input}", "-o", "{output}"),
    "deadlocks": ("deadlocks", "{input}", "-o", "{output}"),
    "export": ("export", "{input}", "--format", "dot", "-o", "{output}"),
    "convert": ("convert", "{input}", "-o", "{output}"),
    "check junit": ("check", "{input}", "--no-deadlock", "--junit", "{output}"),
    "check sarif": ("check", "{input}", "--no-deadlock", "--sarif", "{output}"),
    "check base": (
        *("check", "other.tmt", "--no-regression", "{input}"),
        *("--junit", "{output}"),
    ),
}


@pytest.mark.parametrize("how", ["same name", "hard link", "symbolic link"])
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_an_output_that_is_an_input_is_refused_and_left_alone(
    cli: Cli, trace: Path, command: tuple[str, ...], how: str
) -> None:
    before = trace.read_bytes()
    output = trace.with_name("output")
    if how == "same name":
        output = trace
    elif how == "hard link":
        os.link(trace, output)
    else:
        output.symlink_to(trace)
    trace.with_name("other.tmt").write_bytes(before)
    words = [word.format(input=trace, output=output) for word in command]
    words = [
        str(trace.with_name(word)) if word == "other.tmt" else word for word in words
    ]
    done = cli(*words)
    assert done.returncode == 2
    assert b"cannot be read and written at once" in done.stderr
    assert trace.read_bytes() == before


def test_a_folder_of_tables_that_would_replace_the_input_is_refused(
    cli: Cli, trace: Path
) -> None:
    before = trace.read_bytes()
    held = trace.with_name("threads.csv")
    trace.rename(held)
    done = cli("report", held, "--csv", held.parent)
    assert (done.returncode, done.stdout) == (2, b"")
    assert held.read_bytes() == before


def test_the_rings_beside_a_trace_are_an_input_too(cli: Cli, trace: Path) -> None:
    rings = trace.with_name("run.tmt.rings")
    rings.write_bytes(b"kept")
    assert cli("report", trace, "-o", rings).returncode == 2
    assert rings.read_bytes() == b"kept"


def test_standard_input_and_output_are_held_against_each_other(trace: Path) -> None:
    before = trace.read_bytes()
    command = (sys.executable, "-m", "threadmodel", "report")
    with trace.open("rb") as file:
        done = subprocess.run(
            [*command, "-", "-o", trace], stdin=file, stderr=subprocess.PIPE
        )
    assert done.returncode == 2
    assert trace.read_bytes() == before
    with trace.open("ab") as file:
        done = subprocess.run([*command, trace], stdout=file, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"standard output is the file that is read" in done.stderr
    assert trace.read_bytes() == before


def test_every_command_that_reads_a_file_knows_what_it_reads_and_writes() -> None:
    readers = 0
    context = click.Context(program)
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        assert command is not None
        types = [parameter.type for parameter in command.params]
        if INPUT not in types:
            continue
        readers += 1
        assert isinstance(command, FileCommand), name
        for parameter in command.params:
            if getattr(parameter, "metavar", None) in ("FILE", "FILE...", "DIR"):
                assert parameter.type.name in ("file", "folder"), (name, parameter)
    assert readers == 13
