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
from describe.transcripts import PAGES, TIMEOUT_S, files, sandbox
from threadmodel.cli import cli

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^|\n)\n((?:    \S.*\n(?:(?:    .*)?\n)*?)+)(?=\S|\Z)")
NAMED = [page for page in PAGES if files(page.read_text())]
CALL = re.compile(r"^(?:\./dev run|threadmodel) (.*)$")


def code(page: Path, language: str) -> list[str]:
    """Return the blocks of a language."""
    return [body for kind, body in FENCE.findall(page.read_text()) if kind == language]


def calls(page: Path) -> list[list[str]]:
    """Return the arguments of our command, wherever a page has it in a block."""
    text = page.read_text()
    blocks = [body for kind, body in FENCE.findall(text) if kind in ("sh", "")]
    blocks += INDENTED.findall(FENCE.sub("", text))
    found = []
    for block in blocks:
        for line in block.replace("\\\n", " ").splitlines():
            if match := CALL.match(line.strip()):
                words = shlex.split(match[1], comments=True)
                found.append(before_shell(words))
    return found


def before_shell(words: list[str]) -> list[str]:
    """Leave out what is the shell's: a pipe, a redirection."""
    ends = [i for i, word in enumerate(words) if word in ("|", ">", ">>", "&", ";")]
    return words[: ends[0]] if ends else words


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
    for arguments in calls(page):
        if arguments and arguments[0] != "ARGS...":
            try:
                parse(arguments)
            except click.UsageError as wrong:
                pytest.fail(f"threadmodel {shlex.join(arguments)}: {wrong}")


def test_a_wrong_option_in_a_page_would_be_found() -> None:
    with pytest.raises(click.UsageError):
        parse(["report", "run.tmt", "--no-such-option"])


@pytest.mark.parametrize("page", NAMED, ids=lambda page: page.stem)
def test_commands_run_on_the_files_of_their_page(page: Path) -> None:
    text = page.read_text()
    with sandbox(text) as (folder, environment):
        for arguments in calls(page):
            named = [word for word in arguments[1:] if re.search(r"\.\w+$", word)]
            there = [word for word in named if (folder / word).is_file()]
            if arguments[0] in ("record", "attach", "listen", "mcp") or not there:
                continue
            if [word for word in named if word not in there and "-o" not in arguments]:
                continue
            done = subprocess.run(
                [sys.executable, "-m", "threadmodel", *arguments],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=TIMEOUT_S,
            )
            # A check that fails is an answer.
            fine = (0, 1) if arguments[0] == "check" else (0,)
            assert done.returncode in fine, (arguments, done.stderr)


@pytest.mark.parametrize(
    "page",
    [page for page in NAMED if code(page, "python")],
    ids=lambda page: page.stem,
)
def test_python_of_a_page_runs_from_top_to_bottom(page: Path) -> None:
    blocks = code(page, "python")
    with sandbox(page.read_text()) as (folder, environment):
        done = subprocess.run(
            [sys.executable, "-c", "\n".join(blocks)],
            cwd=folder,
            env={**environment, "MPLBACKEND": "Agg"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )
        assert done.returncode == 0, done.stderr


def test_each_page_that_shows_output_names_its_files() -> None:
    pages = [page for page in PAGES if "```console" in page.read_text()]
    assert [page for page in pages if page not in NAMED] == []
    for page in NAMED:
        for name, source in files(page.read_text()).items():
            assert source.is_file(), f"{page.relative_to(ROOT)}: {name}"
