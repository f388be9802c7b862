# SPDX-License-Identifier: Apache-2.0
"""The scenario files, through the package: events one by one, answers as expected."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scenario
from threadmodel import Model

FILES = sorted((Path(__file__).parents[1] / "scenarios").glob("*.txt"))
ORDERED = (
    "timeline",
    "deadlocks",
    "critical_path",
    "whatif",
    "lock_order",
    "findings",
    "verdict",
    "verdict_members",
)
# Tables of stretches of time; equal adjacent rows are merged.
STRETCHES = ("timeline", "critical_path")
TIMES = ("start_ns", "end_ns", "open")

Row = dict[str, Any]


def shown(value: Any) -> str:
    """Write a value as the files do."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def ask(story: scenario.Scenario, model: Model, expected: scenario.Expectation) -> Any:
    """Ask for a table by its name."""
    if expected.table == "critical_path":
        return model.critical_path(
            thread=None if expected.to is None else story.threads[expected.to],
            waited_for=expected.waited_for,
        )
    if expected.table == "explanation":
        return model.explain(
            thread=None if expected.to is None else story.threads[expected.to]
        )
    if expected.table == "resource_blame":
        return model.blame(of="resources")
    if expected.table == "thread_causes":
        return model.causes(threads=True)
    if expected.method is not None:
        return model.whatif(change="method", method=expected.method)
    if expected.table == "whatif":
        return model.whatif_rank()
    question: Callable[[], Any] = getattr(model, expected.table)
    return question()


def answer(
    story: scenario.Scenario, model: Model, expected: scenario.Expectation
) -> list[Row]:
    """Ask the question of a scenario, and keep the rows that it selects."""
    rows = list(ask(story, model, expected))
    if expected.table in STRETCHES:
        rows = [row for row in rows if row["start_ns"] != row["end_ns"]]
    kept = []
    for row in rows:
        name = row["thread"] if "thread" in row else row.get("name")
        if expected.threads and name not in expected.threads:
            continue
        if all(shown(row[column]) == v for column, v in expected.where.items()):
            kept.append(row)
    return joined(kept, expected.columns) if expected.table in STRETCHES else kept


def joined(rows: list[Row], columns: list[str]) -> list[Row]:
    """Merge adjacent rows that differ only in their times."""
    out: list[Row] = []
    for row in rows:
        last = out[-1] if out else None
        if (
            last
            and last["thread_id"] == row["thread_id"]
            and last["end_ns"] == row["start_ns"]
            and all(last[c] == row[c] for c in columns if c not in TIMES)
        ):
            out[-1] = {**row, "start_ns": last["start_ns"]}
        else:
            out.append(row)
    return out


class Labels:
    """One object has one label, and no two share it."""

    def __init__(self) -> None:
        """Begin without labels."""
        self.of: dict[str, str] = {}

    def match(self, name: str, label: str) -> bool:
        """Return whether a label can be that of an object, and assign it."""
        if any(known == label for other, known in self.of.items() if other != name):
            return False
        return self.of.setdefault(name, label) == label


def matches(
    labels: Labels, expected: scenario.Expectation, want: list[str], row: Row
) -> bool:
    """Return whether a row of the answer is a row of the file."""
    for column, cell in zip(expected.columns, want, strict=True):
        have = shown(row[column])
        choices = cell.split("|")
        if cell == "*" or have in choices:
            continue
        if column != "object" or have == "-":
            return False
        if not any(labels.match(choice, have) for choice in choices if choice != "-"):
            return False
    return True


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenario(path: Path) -> None:
    story = scenario.read(path)
    labels = Labels()
    for expected in story.expected:
        model = scenario.fill(story, expected.until_ns)
        left = answer(story, model, expected)
        where = f"{path.name}:{expected.line}: {expected.table}"
        shape = [[shown(row[c]) for c in expected.columns] for row in left]
        if expected.table in ORDERED:
            assert len(left) == len(expected.rows), f"{where}: {shape}"
        for index, want in enumerate(expected.rows):
            candidates = left[index : index + 1] if expected.table in ORDERED else left
            found = [row for row in candidates if matches(labels, expected, want, row)]
            assert found, f"{where}: {want} is not among {shape}"
            if expected.table not in ORDERED:
                left.remove(found[0])
        if expected.table not in ORDERED:
            assert not left, f"{where}: more than expected: {shape}"
