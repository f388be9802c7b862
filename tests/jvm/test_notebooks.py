# SPDX-License-Identifier: Apache-2.0
"""The notebooks of docs/: every cell runs and shows its result.

That JupyterLab draws their widgets is tested in tests/browser/test_notebook_page.py.
"""

from pathlib import Path
from typing import Any

import pytest

from jdks import ROOT, Jdk
from notebooks import NOTEBOOKS, execute, record


@pytest.fixture(scope="session")
def recordings(jdk: Jdk, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with slow.tmt and fixed.tmt."""
    folder = tmp_path_factory.mktemp("press")
    record(jdk, folder)
    return folder


def shown(notebook: Any, kind: str) -> list[str]:
    """All output of the cells in a format."""
    return [
        output["data"][kind]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if kind in output.get("data", {})
    ]


@pytest.mark.one_release
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_every_cell_of_a_notebook_runs(file: Path, recordings: Path) -> None:
    notebook = execute(file, recordings)
    # A cell without its output is found here.
    assert shown(notebook, "image/png")
    assert any("Press" in text for text in shown(notebook, "text/html"))


def test_there_are_the_notebooks_that_the_docs_name() -> None:
    index = (ROOT / "docs/index.md").read_text()
    assert len(NOTEBOOKS) >= 3
    assert all(f"notebooks/{file.name}" in index for file in NOTEBOOKS)
