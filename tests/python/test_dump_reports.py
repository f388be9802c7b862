# SPDX-License-Identifier: Apache-2.0
"""Forms of dumps in public reports: texts of our own in tests/data/dumps/reports.toml.

Each has the address of its report, and the answer that its text gives.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from threadmodel import errors

DATA = Path(__file__).resolve().parents[1] / "data/dumps/reports.toml"
REPORTS: list[dict[str, Any]] = tomllib.loads(DATA.read_text())["report"]
READ = [it for it in REPORTS if "error" not in it]
UNREAD = [it for it in REPORTS if "error" in it]


def write(report: dict[str, Any], folder: Path) -> Path:
    path = folder / "dump"
    path.write_text(report["text"])
    return path


@pytest.mark.filterwarnings("ignore::threadmodel.errors.DamagedTraceWarning")
@pytest.mark.parametrize("report", READ, ids=lambda it: it["source"])
def test_a_reported_form_gives_the_answer_of_its_text(
    report: dict[str, Any], tmp_path: Path
) -> None:
    model = threadmodel.open(write(report, tmp_path))
    last = {
        row["thread"]: (row["state"], row["peer"] or "") for row in model.timeline()
    }
    assert len(model.threads()) == report["threads"]
    for thread, state, peer in report["doing"]:
        assert last[thread] == (state, peer), thread
    if "first" in report:
        # The first statement of the report: its verdict, else its first card.
        (verdict,) = model.verdict()
        titles = [verdict["title"], *(row["title"] for row in model.findings())][:2]
        assert any(title.startswith(report["first"]) for title in titles), titles


@pytest.mark.parametrize("report", UNREAD, ids=lambda it: it["source"])
def test_a_form_that_is_not_read_is_named(
    report: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(errors.FormatError, match=report["error"]):
        threadmodel.open(write(report, tmp_path))


def test_threads_that_a_log_only_mentions_are_no_dump(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(
        "10:00:00 ERROR uncaught in Thread[main,5,main]\n"
        "java.lang.IllegalStateException: late\n"
        "\tat shop.Main.run(Main.java:1)\n"
        '"quoted"\n'
        "10:00:01 WARN  interrupts Thread[worker-1,5,main]\n"
        "10:00:02 WARN  interrupts Thread[worker-2,5,main]\n"
    )
    with pytest.raises(errors.FormatError, match="no thread dump begins"):
        threadmodel.open(path)
