# SPDX-License-Identifier: Apache-2.0
"""Optional packages: without them everything else works, and an answer that needs one
says how to install it."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import threadmodel

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(threadmodel.__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]
# Asks some questions while only the packages of the core can be imported.
BARE = """
import sys
CORE = {"cffi", "_cffi_backend", "click", "rich", "pygments", "markdown_it", "mdurl"}

class Refuse:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in CORE or top == "threadmodel":
            return None
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refuse())
import threadmodel
from threadmodel import cli

model = threadmodel.Model()
model.define_thread(1, "t")
model.ingest([threadmodel.Event(1, 1, 1), threadmodel.Event(5, 1, 2)])
table = model.threads()
"""
NEEDING = {
    "anywidget": "model.timeline().widget()",
    "duckdb": "model.sql('select 1')",
    "matplotlib": "model.plot.timeline()",
    "mcp": "from threadmodel.cli import mcp; mcp.server(mcp.Runs([]).questions())",
    "numpy": "threadmodel.event_dtype()",
    "pandas": "table.to_pandas()",
    "polars": "table.to_polars()",
    "pyarrow": "table.to_arrow(); table.to_parquet('x.parquet')",
}


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BARE + code],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(PACKAGE)},
    )


def test_the_core_needs_cffi_click_and_rich_alone() -> None:
    done = run(
        "print(repr(table), table['state'], table.to_csv(), table._repr_html_())"
    )
    assert done.stderr == ""
    assert "threads: 1 row" in done.stdout


@pytest.mark.parametrize("package", NEEDING)
def test_what_needs_a_package_names_the_extra_that_brings_it(package: str) -> None:
    done = run(NEEDING[package])
    *_, last = done.stderr.splitlines()
    said = re.fullmatch(
        r"threadmodel\.errors\.MissingExtraError: this needs (\w+): "
        r"pip install 'threadmodel\[(\w+)\]'",
        last,
    )
    assert said, done.stderr
    assert said[1] == package
    assert package in {re.split(r"\W", wanted)[0] for wanted in EXTRAS[said[2]]}
