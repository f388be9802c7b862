# SPDX-License-Identifier: Apache-2.0
"""Code in the documents runs, on the files that its page names."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from describe import ROOT
from describe.transcripts import (
    FENCE,
    OF_PROGRAMS,
    PAGES,
    TIMEOUT_S,
    calls,
    code,
    files,
    sandbox,
    words_of,
)
from threadmodel.cli import cli

NAMED = [page for page in PAGES if files(page.read_text())]
# Its commands run on what they record themselves: tests/jvm/test_documents.py.
RECORDED = "whatif.md"


def parse(arguments: list[str]) -> None:
    """Parse a command's arguments as the command does; run nothing."""
    group = click.Context(cli, info_name="threadmodel")
    command = cli.get_command(group, arguments[0])
    assert command, f"no command {arguments[0]}"
    context = click.Context(command, parent=group, info_name=arguments[0])
    try:
        command.parse_args(context, list(arguments[1:]))
    except click.BadParameter as wrong:
        # Files of an example need not be there.
        if "does not exist" not in wrong.format_message():
            raise


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_have_the_options_that_a_page_gives_them(page: Path) -> None:
    for arguments in map(words_of, calls(page)):
        if arguments and arguments[0] != "ARGS...":
            try:
                parse(arguments)
            except click.UsageError as wrong:
                pytest.fail(f"threadmodel {shlex.join(arguments)}: {wrong}")


def test_a_wrong_option_in_a_page_would_be_found() -> None:
    with pytest.raises(click.UsageError):
        parse(["report", "run.tmt", "--no-such-option"])


def run(
    command: list[str], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )


def is_of_programs(call: str) -> bool:
    return call.split(" ", 1)[0] in OF_PROGRAMS


@pytest.mark.parametrize("page", NAMED, ids=lambda page: page.stem)
def test_a_page_runs_from_top_to_bottom(page: Path) -> None:
    blocks = code(page, "python")
    with sandbox(page.read_text()) as (folder, environment):
        environment["GITHUB_STEP_SUMMARY"] = str(folder / "summary.md")
        for call in calls(page):
            if is_of_programs(call):
                continue
            # A pipe leads to a program that need not be here.
            command = f"threadmodel {call}".split(" | ", 1)[0]
            done = run(["bash", "-c", command], folder, environment)
            # A check that fails is an answer.
            fine = (0, 1) if call.startswith("check ") else (0,)
            assert done.returncode in fine, (command, done.stderr)
        if blocks:
            environment["MPLBACKEND"] = "Agg"
            program = [sys.executable, "-c", "\n".join(blocks)]
            done = run(program, folder, environment)
            assert done.returncode == 0, done.stderr


def test_each_page_with_commands_or_code_names_its_files() -> None:
    for page in PAGES:
        needing = [call for call in calls(page) if not is_of_programs(call)]
        if "```console" in page.read_text() or needing or code(page, "python"):
            assert page in NAMED or page.name == RECORDED, page.relative_to(ROOT)
    for page in NAMED:
        for name, source in files(page.read_text()).items():
            assert source.is_file(), f"{page.relative_to(ROOT)}: {name}"


def test_blocks_that_another_test_runs_name_it() -> None:
    for page in PAGES:
        for elsewhere, _, _ in FENCE.findall(page.read_text()):
            assert not elsewhere or (ROOT / elsewhere).is_file()
        marks = re.findall(r"<!-- run by", page.read_text())
        assert len(marks) == sum(
            1 for one, *_ in FENCE.findall(page.read_text()) if one
        )
