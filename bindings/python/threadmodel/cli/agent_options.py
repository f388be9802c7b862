# SPDX-License-Identifier: Apache-2.0
"""What every command that records hands to the agent."""

from collections.abc import Callable
from typing import Any

import click


def recording_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --depth and --agent-option."""
    depth = click.option(
        "-d",
        "--depth",
        metavar="N",
        type=click.IntRange(0, 256),
        help="Frames of a stack to keep; 0: no stacks.  [agent's default: 16]",
    )
    others = click.option(
        "-A",
        "--agent-option",
        "agent_options",
        metavar="KEY=VALUE",
        multiple=True,
        help="Handed to the agent as it is; may be given more than once.",
    )
    return depth(others(command))
