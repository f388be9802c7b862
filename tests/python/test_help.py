# SPDX-License-Identifier: Apache-2.0
"""The help of each command has examples, which are valid command lines."""

import re
import shlex

import click
import pytest

from threadmodel.cli import COMMANDS, cli


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_examples_that_it_understands(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.name == name
    context = click.Context(command, info_name=name)
    examples = re.findall(rf"threadmodel {name}\b(.*)", command.help or "")
    assert examples
    for example in examples:
        # Commands after a pipe are not checked.
        words = shlex.split(re.split(r" [|>#]|\)", example)[0])
        command.make_parser(context).parse_args(words)
