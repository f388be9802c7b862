# SPDX-License-Identifier: Apache-2.0
"""The notebooks of docs/, run by a kernel of their own, with recordings of the program
that they are about."""

import os
import subprocess
from pathlib import Path
from typing import Any

import nbclient
import nbformat

import threadmodel
from jdks import AGENT, ROOT, Jdk

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
PACKAGE = Path(threadmodel.__file__).parents[1]
# Long enough for any machine: a cell that takes longer hangs.
TIMEOUT_S = 600


def record(jdk: Jdk, folder: Path) -> None:
    """Write slow.tmt and fixed.tmt into a folder."""
    source = ROOT / "docs/examples/press/Press.java"
    subprocess.run([*jdk.compiler(), "-d", folder, source], check=True)
    for edition in ("slow", "fixed"):
        subprocess.run(
            [
                jdk.tool("java"),
                f"-agentpath:{AGENT}=file={folder / edition}.tmt",
                *("-cp", folder, "Press", edition),
            ],
            check=True,
            timeout=TIMEOUT_S,
        )


def environment() -> dict[str, str]:
    """The environment in which a kernel finds the built package."""
    search = os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": search}


def execute(file: Path, folder: Path) -> Any:
    """Run all cells of a notebook in a folder; a failure raises."""
    notebook = nbformat.read(file, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    client = nbclient.NotebookClient(
        notebook, timeout=TIMEOUT_S, resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env=environment())
    return notebook
