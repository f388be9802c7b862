# SPDX-License-Identifier: Apache-2.0
"""Pages of the reference that come from programs, and the notebooks."""

import inspect
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from types import ModuleType

import click

import threadmodel
from describe import ROOT
from threadmodel import agent
from threadmodel.cli import COMMANDS, cli

NOTEBOOKS = ROOT / "docs" / "notebooks"
WIDTH = 88


def commands() -> str:
    """Return the page of the command line: the help of each command."""
    group = click.Context(cli, info_name="threadmodel", max_content_width=WIDTH)
    lines = ["# Commands", "", (cli.help or "").split("\n")[0], ""]
    for name in sorted(COMMANDS):
        command = cli.get_command(group, name)
        assert command
        context = click.Context(command, parent=group, info_name=name)
        help_text = command.get_help(context)
        lines += [f"## threadmodel {name}", "", "```text", help_text, "```", ""]
    epilog = (cli.epilog or "").removeprefix("\b\nExit status:\n").rstrip()
    return "\n".join([*lines, "## Exit status", "", "```text", epilog, "```", ""])


def java() -> str:
    """Return the Java launcher."""
    home = os.environ.get("JAVA_HOME")
    found = f"{home}/bin/java" if home else shutil.which("java")
    assert found, "no java: the page of the agent is its own help"
    return found


def agent_options() -> str:
    """Return the page of the agent: what it prints itself."""
    printed = subprocess.run(
        [java(), f"-agentpath:{agent.path()}=help", "-version"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    text = (printed.stdout + printed.stderr).strip()
    assert "file=" in text, text
    return "\n".join(
        [
            "# Agent options",
            "",
            "What `-agentpath:libthreadmodel-agent.so=help` prints.",
            "[The agent](../agent.md) explains each of them.",
            "",
            "```text",
            text,
            "```",
            "",
        ]
    )


def directive(name: str) -> list[str]:
    """Return what autodoc is asked of a public name."""
    thing = getattr(threadmodel, name)
    if isinstance(thing, ModuleType):
        return [f".. automodule:: threadmodel.{name}", "   :members:"]
    if inspect.isclass(thing):
        return [f".. autoclass:: threadmodel.{name}", "   :members:"]
    if callable(thing):
        return [f".. autofunction:: threadmodel.{name}"]
    return [f".. autodata:: threadmodel.{name}"]


def python() -> str:
    """Return the page of the package."""
    lines = ["# Python", ""]
    about = inspect.getdoc(threadmodel) or ""
    lines += [about.split("\n")[0], ""]
    for name in threadmodel.__all__:
        lines += [f"## {name}", "", "```{eval-rst}", *directive(name), "```", ""]
    return "\n".join(lines)


def notebook(name: str) -> str:
    """Return a notebook's cells as a page."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text())["cells"]
    parts = []
    for cell in cells:
        source = "".join(cell["source"])
        is_code = cell["cell_type"] == "code"
        parts.append(f"```python\n{source}\n```" if is_code else source)
    return "\n\n".join(parts) + "\n"


def pages() -> Iterator[tuple[str, str]]:
    """Yield each page by its place."""
    yield "reference/commands.md", commands()
    yield "reference/agent.md", agent_options()
    yield "reference/python.md", python()
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        yield f"notebooks/{path.stem}.md", notebook(path.stem)
