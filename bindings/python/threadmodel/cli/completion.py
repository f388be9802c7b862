# SPDX-License-Identifier: Apache-2.0
"""``threadmodel completion``: the script that completes commands in a shell."""

from typing import Final

import click
from click.shell_completion import get_completion_class

SHELLS: Final = ("bash", "zsh", "fish")


@click.command(short_help="Print a completion script for a shell.")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes our commands and options in SHELL.

    \b
    eval "$(threadmodel completion bash)"     # in ~/.bashrc
    eval "$(threadmodel completion zsh)"      # in ~/.zshrc
    threadmodel completion fish > ~/.config/fish/completions/threadmodel.fish
    """
    class_ = get_completion_class(shell)
    assert class_ is not None
    program = context.find_root().command
    script = class_(program, {}, "threadmodel", "_THREADMODEL_COMPLETE")
    click.echo(script.source())
