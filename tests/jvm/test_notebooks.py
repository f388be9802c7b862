# SPDX-License-Identifier: Apache-2.0
"""The notebooks of docs/, run from recordings of the program that they are about."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from conftest import TIMEOUT_S
from jdks import AGENT, ROOT, Jdk

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
PACKAGE = Path(threadmodel.__file__).parents[1]


@pytest.fixture(scope="session")
def recordings(jdk: Jdk, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with slow.tmt and fixed.tmt."""
    folder = tmp_path_factory.mktemp("press")
    source = ROOT / "docs/examples/press/Press.java"
    subprocess.run([jdk.tool("javac"), "-d", folder, source], check=True)
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
    return folder


def shown(notebook: Any, kind: str) -> list[str]:
    """All that the cells showed in a format."""
    return [
        output["data"][kind]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if kind in output.get("data", {})
    ]


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_every_cell_of_a_notebook_runs(file: Path, recordings: Path) -> None:
    notebook = nbformat.read(file, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    client = nbclient.NotebookClient(
        notebook,
        timeout=TIMEOUT_S,
        resources={"metadata": {"path": str(recordings)}},
    )
    search = os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")])
    client.execute(env={**os.environ, "PYTHONPATH": search})
    # A cell that fails raises; one that shows nothing where it should is found here.
    assert shown(notebook, "image/png")
    assert any("Press" in text for text in shown(notebook, "text/html"))


def test_there_are_the_notebooks_that_the_docs_name() -> None:
    index = (ROOT / "docs/index.md").read_text()
    assert len(NOTEBOOKS) >= 3
    assert all(f"notebooks/{file.name}" in index for file in NOTEBOOKS)
