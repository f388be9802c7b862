# SPDX-License-Identifier: Apache-2.0
"""No command writes to a file that it reads, by whatever name."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import runs
import threadmodel
from conftest import Cli
from threadmodel.cli import cli as program
from threadmodel.cli.files import FileCommand, Named
from threadmodel.cli.segments import Spool

# Commands that read a file, write one, and how each is called.
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
    "listen": ("listen", "127.0.0.1:0", "--token-file", "{input}", "-o", "{output}"),
    "record": ("record", "-A", "depth=3,token={input}", "-o", "{output}", "java"),
    "attach": ("attach", "1", "-A", "token={input}", "-o", "{output}"),
}
# Metavariables of parameters that do not name files.
NO_FILES = {
    "ADDRESS",
    "HOST:PORT",
    "LABEL=VALUE",
    "LINES",
    "NAME",
    "PATTERN",
    "PID|NAME|URL",
    "[PID|ADDRESS]",
    "PREFIX",
    "PROGRAM [ARGUMENT]...",
    "STATEMENT",
    "TIME",
    "VERSION",
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


@pytest.mark.parametrize(
    "command",
    [
        ("report", "{input}", "--json", "-o", "{output}"),
        ("convert", "{input}", "-o", "{output}"),
        ("export", "{input}", "--format", "dot", "-o", "{output}"),
    ],
    ids=lambda command: command[0],
)
def test_a_trace_that_is_being_written_is_not_replaced(
    cli: Cli, trace: Path, command: tuple[str, ...]
) -> None:
    output = trace.with_name("output.tmt")
    words = [word.format(input=trace, output=output) for word in command]
    with threadmodel.Writer(output) as writer:
        done = cli(*words)
        assert done.returncode == 2
        assert f"{output} is being recorded".encode() in done.stderr
        runs.fill(writer)
    assert threadmodel.open(output).event_count
    assert cli(*words).returncode == 0


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


@pytest.mark.parametrize("how", ["by name", "file URL", "hard link"])
def test_a_manifest_is_not_replaced_by_the_dataset(
    cli: Cli, trace: Path, tmp_path: Path, how: str
) -> None:
    made = tmp_path / "set" / "dataset.json.new"
    made.parent.mkdir()
    made.write_text(f"url,service\n{trace},shop\n")
    manifest = str(made)
    if how == "file URL":
        manifest = f"file://{made}"
    elif how == "hard link":
        manifest = str(tmp_path / "manifest.csv")
        os.link(made, manifest)
    wanted = ("-o", made.parent, "--manifest", manifest, "--workers", "1")
    done = cli("fleet", "summarize", trace, *wanted)
    assert done.returncode == 2
    assert b"cannot be read and written at once" in done.stderr
    assert made.read_text().startswith("url,service\n")


def test_a_report_replaces_neither_its_dataset_nor_a_run_of_it(
    cli: Cli, trace: Path, tmp_path: Path
) -> None:
    made = tmp_path / "set"
    done = cli("fleet", "summarize", trace, "-o", made, "--workers", "1")
    assert done.returncode == 0, done.stderr
    before = trace.read_bytes()
    part = made / "part-000000" / "runs.parquet"
    rows = part.read_bytes()
    for asked, output in (
        (made, part),
        (f"file://{made}", part),
        (made, made / "dataset.json"),
        (made, trace),
    ):
        wanted = ("-o", output, "--reports", tmp_path / "own")
        done = cli("fleet", "report", asked, *wanted)
        assert done.returncode == 2
        assert b"cannot be read and written at once" in done.stderr
    assert part.read_bytes() == rows
    assert trace.read_bytes() == before
    with part.open("ab") as file:
        done = subprocess.run(
            [sys.executable, "-m", "threadmodel", "fleet", "sql", made, "from runs"],
            stdout=file,
        )
    assert done.returncode == 2
    assert part.read_bytes() == rows


def test_the_lock_of_a_spool_spoils_no_file(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("kept")
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool" / "lock").symlink_to(token)
    Spool(str(tmp_path / "runs"), tmp_path / "spool").close()
    assert token.read_text() == "kept"


def commands(
    command: click.Command, name: str = ""
) -> Iterator[tuple[str, click.Command]]:
    """Each command other than groups, with its name and those of its groups."""
    if not isinstance(command, click.Group):
        yield name.strip(), command
        return
    context = click.Context(command)
    for word in command.list_commands(context):
        found = command.get_command(context, word)
        assert found is not None
        yield from commands(found, f"{name} {word}")


def test_every_command_knows_what_it_reads_and_writes() -> None:
    readers, writers = set(), set()
    for name, command in commands(program):
        for parameter in command.params:
            kind = parameter.type
            if isinstance(kind, Named):
                assert isinstance(command, FileCommand), name
                (readers if kind.is_read else writers).add(name)
            elif isinstance(
                kind, click.types.StringParamType | click.Path | click.File
            ):
                shown = (
                    getattr(parameter, "metavar", None) or parameter.human_readable_name
                )
                assert shown.upper() in NO_FILES, (name, parameter)
            if "--output" in parameter.opts:
                assert isinstance(kind, Named), name
                assert not kind.is_read, name
    assert len(readers) == 26
    assert len(writers) == 23
    expected = {"collect", "fleet report", "fleet summarize", "listen"}
    assert expected <= readers & writers
