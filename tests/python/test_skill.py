# SPDX-License-Identifier: Apache-2.0
"""The skill file: its head is read by assistants, its commands answer questions."""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

from conftest import Cli
from threadmodel import cli as program

ROOT = Path(__file__).resolve().parents[2]
SKILL = (ROOT / "bindings/python/threadmodel/SKILL.md").read_text()
QUESTIONS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "skill.toml").read_text()
)["question"]
# Commands that record a program or list processes need no recording.
RECORDS = {"attach", "dump", "ps", "record"}


def commands() -> list[str]:
    """Return the commands that the file names, without explanations."""
    blocks = re.findall(r"^    (threadmodel .*)$", SKILL, re.MULTILINE)
    inline = re.findall(r"`(threadmodel [^`]*)`", SKILL)
    return list(dict.fromkeys([*blocks, *inline]))


def test_the_head_has_a_name_and_what_it_is_for() -> None:
    _, head, body = SKILL.split("---\n", 2)
    lines = dict(line.split(": ", 1) for line in head.splitlines())
    assert lines["name"] == "threadmodel"
    # Assistants cut longer descriptions.
    assert 100 < len(lines["description"]) < 1024
    assert len(body.split()) < 1000


@pytest.mark.parametrize("line", commands())
def test_each_command_is_one_that_there_is(line: str) -> None:
    _, *arguments = shlex.split(line)
    context = click.Context(program.cli)
    if arguments[0] == "run.tmt":
        return
    command = program.cli.get_command(context, arguments[0])
    assert command is not None
    command.make_context(arguments[0], [it.replace("PID", "1") for it in arguments[1:]])


def test_each_command_that_reads_a_run_answers_a_question() -> None:
    asking = {line for line in commands() if line.split()[1] not in RECORDS}
    assert asking == {question["command"] for question in QUESTIONS}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda it: it["asks"])
def test_the_answer_is_in_what_the_command_prints(
    cli: Cli, question: dict[str, Any]
) -> None:
    assert (ROOT / question["source"]).is_file()
    given = [question["run"]] if isinstance(question["run"], str) else question["run"]
    runs = iter(ROOT / name for name in given)
    named = question.get("with", {})
    arguments = [
        next(runs) if word.endswith(".tmt") else named.get(word, word)
        for word in shlex.split(question["command"])[1:]
    ]
    done = cli(*arguments)
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode()
    words = " ".join(said.split())
    for answer in question["answer"]:
        assert re.search(answer, said) or re.search(answer, words), (answer, said)


def test_the_command_prints_the_file(cli: Cli, tmp_path: Path) -> None:
    assert cli("skill").stdout.decode() == SKILL
    written = tmp_path / "skills/threadmodel/SKILL.md"
    cli("skill", "-o", written)
    assert written.read_text() == SKILL
