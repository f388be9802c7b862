# SPDX-License-Identifier: Apache-2.0
"""`./dev bench peers` in its small form: every group runs, and says what it found."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build"
GROUPS = (
    "overhead",
    "pairs",
    "reading",
    "answers",
    "report",
    "size",
    "start",
    "instructions",
)
# What every machine can measure that runs the tests.
ALWAYS = {
    "reading": "trace, into a model",
    "answers": "threadmodel",
    "start": "threadmodel --version",
}
sys.path.insert(0, str(HERE / "peers"))

import instructions  # noqa: E402
import pairs  # noqa: E402

import rounds  # noqa: E402


def measured(tmp_path: Path, group: str) -> tuple[int, dict[str, Any], str]:
    """Status, figures and text of a group's small form."""
    file = tmp_path / "peers.json"
    words = ["--small", "--build", BUILD, "--json", file, group]
    done = subprocess.run(
        [sys.executable, HERE / "peers", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(BUILD / "bindings/python")},
    )
    assert file.exists(), done.stderr
    return done.returncode, json.loads(file.read_text()), done.stdout + done.stderr


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_measures_in_its_small_form(tmp_path: Path, group: str) -> None:
    status, found, text = measured(tmp_path, group)
    result = found["groups"][group]
    assert status == 0, text
    assert result["rows"] or result["skipped"], text
    assert [row for row in result["rows"] if row["failed"]] == [], text
    names = {row["subject"] for row in result["rows"]}
    assert group not in ALWAYS or ALWAYS[group] in names
    assert found["machine"]["versions"]


def subject(*values: float) -> rounds.Subject:
    given = list(values)
    return lambda: {"cpu_s": given.pop(0)}


def ratios(base: tuple[float, ...], other: tuple[float, ...]) -> rounds.Spread | None:
    """The base's values are those of both its turns, in the order of the rounds."""
    found = rounds.measure("x", {"base": subject(*base), "it": subject(*other)}, 2)
    return found.rows[1].ratios["cpu_s"]


def test_a_ratio_within_the_noise_is_not_reported() -> None:
    assert ratios((1.0, 1.2, 1.0, 1.0), (1.1, 1.1)) is None


def test_a_ratio_beyond_the_noise_is_reported_with_its_spread() -> None:
    assert ratios((1.0, 1.0, 1.0, 1.0), (2.0, 4.0)) == rounds.Spread(3.0, 2.0, 4.0)


def test_a_subject_that_fails_is_named_and_the_others_are_measured() -> None:
    def fails() -> rounds.Figures:
        raise rounds.FailedError("it broke")

    found = rounds.measure("x", {"base": subject(*[1.0] * 4), "it": fails}, 2)
    assert [row.failed for row in found.rows] == ["", "it broke"]


def test_what_recording_adds_has_the_interval_of_its_rounds() -> None:
    turns = [1.0, 1.0, 2.0, 2.0, 1.0, 1.0]
    rows = pairs.compare("x", subject(*turns), subject(1.02, 2.0, 0.98), 3)
    it = rows[0].figures["added_percent"]
    assert it.least < it.median < it.most
    assert abs(it.median) < 0.1
    assert rows[1].figures["added_percent"] == rounds.Spread(0.0, 0.0, 0.0)


def test_a_count_of_instructions_may_rise_by_two_in_a_hundred() -> None:
    kept = {"path": 1000}
    assert instructions.compare({"path": 1020}, kept) == []
    assert instructions.compare({"path": 10}, kept) == []
    assert len(instructions.compare({"path": 1021}, kept)) == 1
    assert len(instructions.compare({}, kept)) == 1


def test_calls_are_counted_with_what_they_call(tmp_path: Path) -> None:
    profile = tmp_path / "callgrind.out"
    profile.write_text(
        "fn=(1) main\n10 5\ncfn=(2) work'2\ncalls=2 20\n10 70\n"
        "cfn=(2)\ncalls=1 20\n11 30\n\nfn=(2)\n20 100\n"
    )
    assert instructions.inclusive(profile) == {"work": 100}
