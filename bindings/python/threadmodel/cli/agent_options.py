# SPDX-License-Identifier: Apache-2.0
"""Options of the agent, for every command that records."""

from collections.abc import Callable
from typing import Any

import click

from threadmodel.cli.files import AGENT_OPTIONS


def recording_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --depth and --agent-option."""
    depth = click.option(
        "-d",
        "--depth",
        metavar="N",
        type=click.IntRange(0, 256),
        help="Frames to record per stack; 0: no stacks.  [agent's default: 64]",
    )
    others = click.option(
        "-A",
        "--agent-option",
        "agent_options",
        metavar="KEY=VALUE",
        type=AGENT_OPTIONS,
        multiple=True,
        help="Passed to the agent as it is; repeatable.",
    )
    return depth(others(command))
