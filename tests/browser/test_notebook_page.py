# SPDX-License-Identifier: Apache-2.0
"""The lanes of a notebook in JupyterLab: drawn from what a run by nbclient left in the
file, and asking a kernel that is alive for more."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from lab import RUN_ALL, Lab
from nbformat.sign import NotebookNotary
from playwright.sync_api import Browser, Page

import random_runs
import threadmodel
from conftest import PATIENCE_MS, state
from jdks import AGENT, JDKS
from notebooks import NOTEBOOKS, execute, record
from threadmodel import Selection

# What the notebook of the test shows, and what it is compared with.
RUN = {"seed": 4, "threads": 6, "objects": 4, "count": 4000}
CODE = f"""
import random_runs, threadmodel
threadmodel.lanes.ROWS = 60
model = threadmodel.Model()
random_runs.fill(model, **{RUN})
"""
MORE = "threadmodel.lanes.ROWS = 20_000"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder, home = (tmp_path_factory.mktemp(name) for name in ("notebooks", "home"))
    here = Path(random_runs.__file__).parent
    with Lab(folder, home, here) as lab:
        yield lab


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    yield page
    context.close()


def write(lab: Lab, name: str, *cells: str) -> None:
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["kernelspec"] = kernel
    nbformat.write(notebook, lab.folder / name)


def drawn(page: Page) -> None:
    page.wait_for_selector(".lanes[data-drawn]")


def test_jupyterlab_draws_what_nbclient_ran(
    page: Page, lab: Lab, tmp_path: Path
) -> None:
    if not JDKS or not AGENT.exists():
        pytest.skip("no JDK, or no agent, to record with")
    record(JDKS[-1], tmp_path)
    (first_look,) = (file for file in NOTEBOOKS if file.stem == "first-look")
    notebook = execute(first_look, tmp_path)
    # The outputs of an unsigned notebook are not shown until its cells run again.
    NotebookNotary(data_dir=str(lab.log.parent / "data")).sign(notebook)
    nbformat.write(notebook, lab.folder / first_look.name)
    lab.open(page, first_look.name)
    drawn(page)
    timeline = threadmodel.open(tmp_path / "slow.tmt").timeline()
    assert state(page, "s.data.intervals") == len(timeline)
    starts = state(page, "[...s.data.lanes.finest.start]")
    assert starts == [row["start_ns"] for row in timeline]
    assert page.get_by_role("application", name="Timeline of threads").is_visible()


def test_a_live_kernel_yields_the_detail_that_is_asked_for(
    page: Page, lab: Lab
) -> None:
    # The first picture is coarse; what is asked for afterwards need not be.
    write(lab, "live.ipynb", f"{CODE}\nshown = model.timeline()\nshown", MORE)
    lab.open(page, "live.ipynb")
    page.evaluate(RUN_ALL)
    drawn(page)
    assert state(page, "s.data.tile") > 0
    model = threadmodel.Model()
    random_runs.fill(model, **RUN)
    middle = model.length_ns // 2
    page.locator(".jp-Cell", has_text=MORE).get_by_text("[2]:").wait_for()
    state(page, f"s.look({middle}, {middle + 300})")
    page.wait_for_function(
        "threadmodelTimeline.scene.pick(600, 64)?.level.count.every(c => c === 1)"
    )
    picked: list[Any] = state(
        page,
        "(({ level: l, row, table, lane }) => [l.start[row], l.end[row],"
        " table.text('state', l.source[row]), s.data.threads[lane].name])"
        "(scene.pick(600, 64))",
    )
    # The kernel answers for the window and as much again, which cuts its first rows.
    part = model.timeline(Selection(window=(middle - 150, middle + 450)))
    columns = ("start_ns", "end_ns", "state", "thread")
    assert picked in [[row[column] for column in columns] for row in part]


def test_keys_in_the_lanes_do_nothing_to_the_notebook(page: Page, lab: Lab) -> None:
    write(lab, "keys.ipynb", f"{CODE}\nmodel.timeline()")
    lab.open(page, "keys.ipynb")
    page.evaluate(RUN_ALL)
    drawn(page)
    state(page, "s.look(1000, 5000)")
    page.locator(".lanes").focus()
    # To JupyterLab: delete the cell, insert one above and one below.
    for key in ("d", "d", "a", "b"):
        page.keyboard.press(key)
    assert state(page, "s.window.value") == {"from": 2000, "to": 6000}
    assert page.locator(".jp-Notebook .jp-Cell").count() == 1
